"""People on a platform, each with a conversation of their own."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.commands.chat.chat import Chat, Wishes
from hermes.commands.chat.slash import perform
from hermes.config import Settings, load
from hermes.gateway.base import Incoming, Undelivered
from hermes.gateway.core import Gateway
from hermes.gateway.drawing import drawn
from hermes.gateway.keys import Place
from hermes.gateway.transcripts import read
from hermes.memory.notes import notes_of
from hermes.store import SessionDB
from tests.servers.platform import Paper, configured, running, until
from tests.servers.scripted import Hang, Say, Scripted, Sent


def echo(sent: Sent) -> Say:
    return Say(f"You said: {sent.messages[-1]['content']}")


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


def test_two_people_and_a_group_are_kept_apart(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model)
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "a secret")
        paper.says("bob", "hello")
        paper.says("alice", "in the room", room="r")
        paper.says("bob", "me too", room="r")
        paper.says("alice", "in the thread", room="r", thread="t")
        until(
            lambda: len(paper.heard("alice")) == 1 and len(paper.heard("bob")) == 1 and len(paper.heard(room="r")) == 3
        )
        paper.says("bob", "and I, there", room="r", thread="t")
        until(lambda: len(paper.heard(room="r", thread="t")) == 2)
    routes = {row["key"].removeprefix("agent:main:paper:"): row for row in db.list_routes()}
    assert set(routes) == {"dm:alice", "dm:bob", "group:r:alice", "group:r:bob", "group:r:t"}
    assert len({row["session_id"] for row in routes.values()}) == 5
    assert paper.heard(room="r", thread="t")[1] == "You said: [Bob] and I, there"
    shared = db.get_messages(routes["group:r:t"]["session_id"])
    assert [row["content"] for row in shared if row["role"] == "user"] == [
        "[Alice] in the thread",
        "[Bob] and I, there",
    ]
    bob = db.scoped("paper:bob")
    assert bob.search_messages("secret") == []
    session = db.get_session(routes["group:r:bob"]["session_id"])
    assert session is not None
    assert (session["owner"], session["source"], session["chat_id"], session["chat_type"]) == (
        "paper:bob", "paper", "r", "group",
    )  # fmt: skip
    assert len(session["id"].rpartition("_")[2]) == 8


def test_in_a_shared_room_everybody_is_in_one_conversation(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, group_sessions_per_user=False)
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "one", room="r")
        until(lambda: len(paper.heard(room="r")) == 1)
        paper.says("bob", "two", room="r")
        until(lambda: len(paper.heard(room="r")) == 2)
    [route] = db.list_routes()
    assert (route["key"], route["owner"]) == ("agent:main:paper:group:r", "paper:chat:r")
    assert [row["content"] for row in db.get_messages(route["session_id"])][::2] == ["[Alice] one", "[Bob] two"]


def test_a_stranger_is_not_let_in_without_a_code(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    from hermes.commands.pairing import pair

    configured(hermes_home, model, gateway={"allowed_users": ["paper:alice"]})
    paper = Paper()
    with running(db, paper):
        assert not paper.says("eve", "let me in")
        assert not paper.says("eve", "let me in", room="r")
        assert not paper.says("eve", "please")
        assert paper.says("alice", "hello")
        until(lambda: paper.heard("alice"))
        words = paper.heard("eve")
        assert words[0] == words[1] and paper.heard(room="r") == []
        code = words[0].split("pair ")[1].split()[0]
        pair(db, code)
        assert paper.says("eve", "thanks")
        until(lambda: paper.heard("eve")[-1] == "You said: thanks")
    assert len(model.sent) == 2
    assert {row["owner"] for row in db.search_sessions()} == {"paper:alice", "paper:eve"}


def test_one_key_has_one_turn_at_a_time_and_others_go_on_beside_it(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model, display={"busy_input_mode": "queue"})
    now, most, lock, bob = [0], [0], threading.Lock(), threading.Event()

    def slowly(sent: Sent) -> Say:
        if "slow" in str(sent.messages[-1]["content"]):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            bob.wait(60)
            with lock:
                now[0] -= 1
        return echo(sent)

    model.otherwise = slowly
    paper = Paper()
    with running(db, paper):
        for number in range(3):
            paper.says("alice", f"slow {number}")
        paper.says("bob", "quick")
        until(lambda: paper.heard("bob"))
        assert len(paper.heard("alice")) == 0
        bob.set()
        until(lambda: len(paper.heard("alice")) == 3)
    assert paper.heard("alice") == [f"You said: slow {number}" for number in range(3)]
    assert most == [1]


def test_a_message_interrupts_the_turn_before_it(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model)
    model.add(Hang())
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "something long")
        until(lambda: len(model.sent) == 1)
        paper.says("alice", "never mind")
        until(lambda: paper.heard("alice"))
    assert paper.heard("alice") == ["You said: never mind"]


def test_commands_are_those_of_the_terminal_and_reach_ones_own_sessions_alone(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model)
    paper = Paper()
    with running(db, paper):
        paper.says("bob", "his secret")
        until(lambda: paper.heard("bob"))
        bobs = db.get_route("agent:main:paper:dm:bob")["session_id"]  # type: ignore[index]
        typed = ["hello", "/title My Research", "/title", "/new", "second", "/resume My Research", "third"]
        for number, text in enumerate([*typed, f"/resume {bobs}", "/search secret", "/exit", "/debug"], 1):
            paper.says("alice", text)
            until(lambda number=number: len(paper.heard("alice")) >= number)
    heard = paper.heard("alice")
    assert heard[1:3] == ["Title set: My Research", "Title: My Research"]
    assert heard[3].startswith("A new conversation.")
    assert heard[5].startswith("↻ Resumed session") and "hello" in heard[5]
    assert "his secret" not in " ".join(heard) and bobs not in " ".join(heard).replace(f"'{bobs}'", "")
    assert heard[-2] == "/exit works in the terminal only." and "administrators" in heard[-1]
    route = db.get_route("agent:main:paper:dm:alice")
    assert route is not None
    assert [row["content"] for row in db.get_messages(route["session_id"])][::2] == ["hello", "third"]


def test_what_a_platform_delivers_twice_is_answered_once(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model)
    paper = Paper()
    with running(db, paper):
        assert paper.says("alice", "hello", event="7")
        assert not paper.says("alice", "hello", event="7")
        until(lambda: paper.heard("alice"))
    with running(db, paper):
        assert not paper.says("alice", "hello", event="7")
    assert len(model.sent) == 1 and len(paper.told) == 1


def test_a_long_answer_comes_in_pieces_and_a_refused_one_is_tried_again(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model)
    text = "\n\n".join(f"Paragraph {number} " + "word " * 20 for number in range(6))
    model.add(Say(text))
    paper = Paper()
    paper.refuses = [Undelivered("slow down", seconds=0.01), Undelivered("gone", seconds=0.01)]
    with running(db, paper):
        paper.says("alice", "tell me")
        until(lambda: db.posts("sent") and not db.posts("pending", "sending"))
    heard = paper.heard("alice")
    assert len(heard) > 1 and all(len(piece) <= 200 for piece in heard)
    assert "".join("".join(heard).split()) == "".join(text.split())
    assert next(row["tries"] for row in db.posts("sent")) == 3


def test_what_cannot_be_delivered_is_marked_and_kept(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model)
    paper = Paper()
    paper.refuses = [Undelivered("the person blocked us", final=True)]
    with running(db, paper):
        paper.says("alice", "hello")
        [row] = until(lambda: db.posts("undelivered"))
    assert row["error"] == "the person blocked us" and "You said: hello" in row["content"]


def test_an_answer_grows_while_it_is_written(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    streaming = {"enabled": True, "edit_interval": 0.1, "buffer_threshold": 5, "cursor": "▉"}
    configured(hermes_home, model, streaming=streaming)
    model.add(Say("one two three four five six", pause=0.12))
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "count")
        until(lambda: db.posts("sent"))
    assert paper.heard("alice") == ["one two three four five six"]
    assert len(paper.edited) >= 2 and paper.edited[0].endswith("▉") and paper.typed >= 1


def test_a_session_is_reset_by_its_rule_and_nothing_is_lost(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, session_reset={"mode": "idle", "idle_minutes": 1})
    paper = Paper()
    key = "agent:main:paper:dm:alice"
    with running(db, paper):
        paper.says("alice", "hello")
        until(lambda: paper.heard("alice"))
        old = db.get_route(key)["session_id"]  # type: ignore[index]
        db.set_route(key, {"active_at": time.time() - 61})
        until(lambda: db.get_route(key)["session_id"] != old)  # type: ignore[index]
        paper.says("alice", "good morning")
        until(lambda: len(paper.heard("alice")) == 3)
    heard = paper.heard("alice")
    assert heard[1] == f"A new conversation: it was quiet for 1 minutes. /resume {old} goes back to the last one."
    ended = db.get_session(old)
    assert ended is not None and ended["ended_at"] is not None
    assert [row["content"] for row in db.get_messages(old)] == ["hello", "You said: hello"]
    new = db.get_route(key)["session_id"]  # type: ignore[index]
    assert [row["content"] for row in db.get_messages(new)] == ["good morning", "You said: good morning"]


def test_a_turn_is_parked_by_a_stop_and_taken_up_by_the_next_run(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model, display={"busy_input_mode": "queue"})
    model.add(Hang())
    paper = Paper()
    with running(db, paper, grace=0.1):
        paper.says("alice", "work")
        paper.says("alice", "and then this")
        until(lambda: len(model.sent) == 1)
    assert paper.told == []
    assert [row["state"] for row in db.arrivals()] == ["running", "waiting"]
    with running(db, paper):
        until(lambda: len(paper.heard("alice")) == 2)
    assert paper.heard("alice") == ["You said: work", "You said: and then this"]
    [session] = db.search_sessions()
    assert [row["content"] for row in db.get_messages(session["id"])][::2] == ["work", "and then this"]
    assert {row["state"] for row in db.arrivals()} == {"done"}


def test_the_index_and_the_transcripts_follow_the_store_and_are_made_anew(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model)
    paper, folder = Paper(), hermes_home / "sessions"
    with running(db, paper):
        paper.says("alice", "hello")
        until(lambda: paper.heard("alice"))
    [route] = db.list_routes()
    index, transcript = folder / "sessions.json", folder / f"{route['session_id']}.jsonl"
    assert json.loads(index.read_text())[route["key"]]["session_id"] == route["session_id"]
    assert [line["content"] for line in read(transcript)[0]] == ["hello", "You said: hello"]
    index.unlink()
    transcript.write_text(transcript.read_text()[:-9] + "\nnoise")
    assert len(read(transcript)[0]) == 1 and len(read(transcript)[1]) == 2
    with running(db, paper):
        paper.says("alice", "again")
        until(lambda: len(paper.heard("alice")) == 2)
    assert json.loads(index.read_text())[route["key"]]["session_id"] == route["session_id"]
    assert [line["role"] for line in read(transcript)[0]] == ["user", "assistant"] * 2
    assert read(transcript)[1] == []
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_conversation_of_the_terminal_goes_on_in_the_chat(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, gateway={"allow_all_users": True, "identities": {"Alice": ["local", "paper:alice"]}})
    db.create_session("terminal", "cli")
    db.append_message("terminal", "user", "begun at the desk")
    db.append_message("terminal", "assistant", "indeed")
    db.create_session("nobodys", "paper", owner="paper:zoe")
    db.request_handoff("nobodys", "paper")
    paper = Paper()
    with running(db, paper):
        db.request_handoff("terminal", "paper")
        until(lambda: paper.heard("alice"))
        paper.says("alice", "go on")
        until(lambda: len(paper.heard("alice")) == 2)
        assert db.get_handoff_state("terminal")["state"] == "completed"  # type: ignore[index]
    assert [row["content"] for row in db.get_messages("terminal")][-2:] == ["go on", "You said: go on"]


def test_whoever_sends_too_much_is_told_so(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, gateway={"allow_all_users": True, "messages_per_minute": 2})
    paper = Paper()
    with running(db, paper):
        answers = [paper.says("alice", f"{number}") for number in range(4)]
        assert answers == [True, True, False, False]
        assert paper.says("alice", "/stop")  # is heard all the same
        assert paper.says("bob", "hello")
        until(lambda: paper.heard("bob"))


def test_before_a_reset_the_agent_saves_what_it_learnt_for_this_person_alone(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    reset = {"mode": "daily", "at_hour": 4, "notify": False}
    configured(hermes_home, model, session_reset=reset, platform_toolsets={"paper": ["memory"]})
    note = {"action": "add", "target": "user", "content": "Alice drinks tea."}
    model.add(Say("Noted."), Say(calls=[("memory", note)]), Say("done"))
    paper, key = Paper(), "agent:main:paper:dm:alice"
    with running(db, paper):
        paper.says("alice", "I drink tea")
        until(lambda: paper.heard("alice"))
        old = db.get_route(key)["session_id"]  # type: ignore[index]
        db.set_route(key, {"active_at": time.time() - 90_000})
        until(lambda: db.get_route(key)["session_id"] != old)  # type: ignore[index]
        paper.says("alice", "good morning")
        paper.says("bob", "good morning")
        until(lambda: len(paper.heard("alice")) == 2 and paper.heard("bob"))
    told = [sent for sent in model.sent[-2:] if "drinks tea" in sent.messages[0]["content"]]
    assert len(told) == 1
    assert [row["owner"] for row in db.search_sessions() if "drinks tea" in (row["system_prompt"] or "")] == [
        "paper:alice"
    ]


def test_a_conversation_is_handed_over_by_a_command_and_back(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, gateway={"allow_all_users": True, "identities": {"Alice": ["cli", "paper:alice"]}})
    chat = Chat(db, load())
    list(chat.ask("begun at the desk"))
    paper = Paper()
    db.request_handoff(chat.agent.session_id, "papre")  # which nobody serves
    with running(db, paper):
        assert drawn(perform(chat, "/handoff paper")) == "This conversation goes on at paper."
        paper.says("alice", "/handoff cli")
        until(lambda: len(paper.heard("alice")) == 2)
    assert paper.heard("alice")[1] == f"`hermes --resume {chat.agent.session_id}` goes on with this in the terminal."
    assert drawn(perform(chat, "/handoff")) == "This conversation goes on at cli."
    stranger = Chat(db.scoped("paper:zoe"), load(), Wishes(source="paper", owner="paper:zoe"))  # type: ignore[arg-type]
    list(stranger.ask("hello"))
    with running(db, paper):
        assert drawn(perform(stranger, "/handoff paper")).startswith("This conversation goes on at paper in a moment")
        until(lambda: len(paper.heard("zoe")) == 1)


def test_a_session_with_a_program_running_behind_it_is_not_reset(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    reset = {"mode": "idle", "idle_minutes": 1, "notify": False}
    configured(hermes_home, model, session_reset=reset, platform_toolsets={"paper": ["terminal"]})
    model.add(Say(calls=[("terminal", {"command": "sleep 60", "background": True})]), Say("It runs."))
    paper, key = Paper(), "agent:main:paper:dm:alice"
    with running(db, paper) as gateway:
        paper.says("alice", "start it")
        until(lambda: paper.heard("alice") == ["It runs."])
        old = db.get_route(key)["session_id"]  # type: ignore[index]
        db.set_route(key, {"active_at": time.time() - 3600})
        lane = next(iter(gateway._lanes.values()))
        assert lane.busy_behind()
        paper.says("alice", "still there?")
        until(lambda: len(paper.heard("alice")) == 2)
        assert db.get_route(key)["session_id"] == old  # type: ignore[index]


def test_a_command_that_deletes_something_asks_first(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model)
    paper = Paper()
    with running(db, paper):
        for number, text in enumerate(("one", "two", "/undo", "no", "/undo", "yes"), 1):
            paper.says("alice", text)
            until(lambda number=number: len(paper.heard("alice")) >= number)
    question = "Delete everything from “two” on, for good?\n\nAnswer with one of: yes, no."
    assert paper.heard("alice")[2:] == [
        question,
        "Nothing was changed.",
        question,
        "Took back 2 messages, from “two” on.",
    ]
    [session] = db.search_sessions()
    assert [row["content"] for row in db.get_messages(session["id"])] == ["one", "You said: one"]


def test_a_turn_that_takes_long_is_told_of_and_a_silent_one_is_given_up(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    limits = {"gateway_notify_interval": 1, "gateway_timeout": 3, "gateway_timeout_warning": 0}
    configured(hermes_home, model, agent=limits)
    model.add(Hang())
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "something endless")
        until(lambda: any("stopped it" in text for text in paper.heard("alice")), 60)
        paper.says("alice", "and now?")
        until(lambda: paper.heard("alice")[-1] == "You said: and now?", 60)
    assert paper.heard("alice")[0].startswith("Still at it, for ")


def test_what_is_said_meanwhile_steers_where_it_is_set_so(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, display={"busy_input_mode": "steer"}, platform_toolsets={"paper": ["todo"]})
    steered = threading.Event()

    def wait(sent: Sent) -> Say:
        steered.wait(60)
        return Say(calls=[("todo", {})])

    model.add(wait, Say("In French, then."))
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "write it")
        until(lambda: len(model.sent) == 1)
        paper.says("alice", "in French, please")
        steered.set()
        until(lambda: paper.heard("alice"))
    assert paper.heard("alice") == ["In French, then."]
    assert model.sent[1].messages[-1] == {"role": "user", "content": "in French, please"}


def test_a_turn_is_stopped_and_a_conversation_compressed_from_the_chat(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model)
    paper, key = Paper(), "agent:main:paper:dm:alice"
    with running(db, paper):
        model.add(Hang())
        paper.says("alice", "something long")
        until(lambda: len(model.sent) == 1)
        paper.says("alice", "/stop")
        until(lambda: paper.heard("alice") == ["Stopped; what was said is kept."])
        for number in range(15):
            paper.says("alice", f"message {number}")
            until(lambda number=number: f"You said: message {number}" in paper.heard("alice"))
        before = db.get_route(key)["session_id"]  # type: ignore[index]
        paper.says("alice", "/compress")
        until(lambda: db.get_route(key)["session_id"] != before)  # type: ignore[index]
        paper.says("alice", "still there?")
        until(lambda: paper.heard("alice")[-1] == "You said: still there?")
    after = db.get_session(db.get_route(key)["session_id"])  # type: ignore[index]
    assert after is not None and after["parent_session_id"] == before
    assert (after["owner"], after["source"], after["chat_id"]) == ("paper:alice", "paper", "alice")


def test_a_room_that_becomes_another_persons_tells_nothing_of_the_one_before(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model, gateway={"allow_all_users": True})
    for anew in (False, True):  # the lane is still there, or the gateway was started again meanwhile
        room, paper = f"room{anew}", Paper()

        def say(gateway: Gateway, user: str, text: str, room: str = room) -> None:
            gateway.receive(Incoming(Place("paper", "dm", room, "", user), f"{room}-{user}-{text}", text))
            until(lambda: not db.arrivals("waiting", "running"))

        with running(db, paper) as gateway:
            say(gateway, "alice", "it is hunter2")
            say(gateway, "alice", "another")
            if not anew:
                say(gateway, "bob", "hello")
        if anew:
            with running(db, paper) as gateway:
                say(gateway, "bob", "hello")
                say(gateway, "bob", "again")
        asked = [one for one in model.sent if one.messages[-1]["content"] == "hello"][-1]
        assert not any("hunter2" in str(one["content"]) for one in asked.messages)
        said = {
            (one["owner"], str(row["content"]))
            for one in db.search_sessions()
            for row in db.get_messages(one["id"])
            if one["chat_id"] == room and row["role"] == "user"
        }
        wanted = {("paper:alice", "it is hunter2"), ("paper:alice", "another"), ("paper:bob", "hello")}
        assert said == wanted | ({("paper:bob", "again")} if anew else set())
    [route] = [one for one in db.list_routes() if one["chat_id"] == "roomTrue"]
    assert route["owner"] == "paper:bob" and db.message_count(route["session_id"]) == 4


def test_a_number_without_end_is_answered_like_any_other_mistake(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    configured(hermes_home, model, gateway={"allow_all_users": True})
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "/sessions " + "9" * 5000)
        until(lambda: paper.heard("alice"))
    assert paper.heard("alice") == [f"'{'9' * 40}' is no number from 1 on."]


def test_administrators_may_more_than_others(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    quick = {"uptime": {"type": "exec", "command": "echo up"}}
    configured(
        hermes_home, model, quick_commands=quick,
        gateway={"allowed_users": ["paper:bob"], "admin_users": ["paper:alice"], "allow_all_users": True},
    )  # fmt: skip
    paper = Paper()
    with running(db, paper):
        for person in ("alice", "bob"):
            paper.says(person, "/uptime")
            paper.says(person, "/debug")
        until(lambda: "Provider: custom" in "".join(paper.heard("alice")) and len(paper.heard("bob")) == 2)
    assert paper.heard("alice")[0] == "up"
    refused = "/{} is for administrators (gateway.admin_users)."
    assert sorted(paper.heard("bob")) == [refused.format("debug"), refused.format("uptime")]


def test_one_person_has_the_same_sessions_on_every_account_until_it_is_taken_back(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    db.create_session("desk", "cli")
    db.append_message("desk", "user", "begun at the desk")
    paper = Paper()
    for linked, goes_on in ((True, True), (False, False)):
        identities = {"Alice": ["local", "paper:alice"]} if linked else {"Alice": ["local"]}
        configured(hermes_home, model, gateway={"allow_all_users": True, "identities": identities})
        with running(db, paper):
            heard = len(paper.heard("alice"))
            paper.says("alice", "/new")
            paper.says("alice", "/resume desk")
            until(lambda heard=heard: len(paper.heard("alice")) == heard + 2)
        assert paper.heard("alice")[-1].startswith("↻ Resumed session desk") == goes_on
    assert db.scoped("paper:alice").get_session("desk") is None


def test_what_was_noted_about_a_person_is_known_on_every_account(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    for owner, entry in (("local", "Likes tea."), ("paper:alice", "Lives in Bern."), ("paper:bob", "Likes coffee.")):
        notes_of(Settings(), owner).add("user", entry)
    identities = {"Alice": ["paper:alice", "cli"]}
    configured(hermes_home, model, gateway={"allow_all_users": True, "identities": identities})
    with running(db, Paper()):
        settings = load().settings
        for owner in ("local", "paper:alice"):
            assert notes_of(settings, owner).entries("user") == ["Likes tea.", "Lives in Bern."]
        assert notes_of(settings, "paper:bob").entries("user") == ["Likes coffee."]
    assert notes_of(Settings(), "paper:alice").entries("user") == []


@pytest.mark.parametrize(
    ("streaming", "display", "grows"),
    [
        ({"enabled": True, "transport": "off"}, {}, False),
        ({"enabled": False}, {}, False),
        ({"enabled": False}, {"platforms": {"paper": {"streaming": True}}}, True),
        ({"enabled": True}, {"platforms": {"paper": {"streaming": False}}}, False),
    ],
)
def test_whether_an_answer_grows_is_said_for_all_or_for_one_platform(
    hermes_home: Path, model: Scripted, db: SessionDB, streaming: dict[str, Any], display: dict[str, Any], grows: bool
) -> None:
    configured(hermes_home, model, streaming={"buffer_threshold": 1, **streaming}, display=display)
    paper = Paper()
    with running(db, paper):
        paper.says("alice", "one two three")
        until(lambda: db.posts("sent"))
    assert paper.heard("alice") == ["You said: one two three"] and bool(paper.edited) == grows
