"""Matrix: the real SDK against a real homeserver."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hermes.config import load
from hermes.errors import ConfigError, StoreBusy
from hermes.gateway.adapters.matrix import Matrix
from hermes.gateway.base import Incoming, Undelivered
from hermes.gateway.keys import Place
from hermes.gateway.schedule import Scheduler
from hermes.store import SessionDB
from tests.servers.matrix import Line, Person
from tests.servers.platform import configured, running, until
from tests.servers.rendering import render
from tests.servers.scripted import Raw, Say, Scripted, Sent
from tests.servers.synapse import Synapse

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108020000009077")


def echo(sent: Sent) -> Say:
    content = sent.messages[-1]["content"]
    return Say(f"You said: {content if isinstance(content, str) else content[0]['text']}")


class Stage(NamedTuple):
    home: Path
    db: SessionDB
    model: Scripted
    line: Line
    agent: Person
    alice: Person
    bob: Person

    def set_up(self, **settings: Any) -> None:
        """What is said while the agent works waits, so that everything is answered."""
        given: dict[str, Any] = {"platform_toolsets": {"matrix": []}, "display": {"busy_input_mode": "queue"}}
        configured(self.home, self.model, **(given | settings))


@pytest.fixture
def stage(hermes_home: Path, synapse: Synapse, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    hermes_home.mkdir(parents=True, exist_ok=True)
    people = [synapse.person(name) for name in ("Hermes", "Alice", "Bob")]
    with Scripted(otherwise=echo) as model, SessionDB() as db, Line(synapse.url) as line:
        monkeypatch.setenv("MATRIX_HOMESERVER", line.url)
        monkeypatch.setenv("MATRIX_ACCESS_TOKEN", people[0].token)
        made = Stage(hermes_home, db, model, line, *people)
        made.set_up()
        yield made
    for person in people:
        person.close()


def a_group(stage: Stage) -> str:
    """Alice's room, with Bob and the agent in it."""
    room = stage.alice.room(stage.bob, stage.agent, name="Our room")
    stage.bob.joins(room)
    until(lambda: stage.alice.members(room)[stage.agent.user] == "join")
    return room


def test_in_a_group_it_answers_when_it_is_named_answered_or_given_a_command(stage: Stage) -> None:
    alice, bob, agent = stage.alice, stage.bob, stage.agent
    short = agent.user.partition(":")[0]
    with running(stage.db, Matrix(load())):
        room = a_group(stage)
        alice.says(room, "not for the agent")
        alice.says(room, "Hermes: one")
        until(lambda: len(alice.heard(room, of=agent)) == 1)
        alice.says(room, f"{short} two")
        until(lambda: len(alice.heard(room, of=agent)) == 2)
        alice.says(room, "Hermes three", **{"m.mentions": {"user_ids": [agent.user]}})
        until(lambda: len(alice.heard(room, of=agent)) == 3)
        first = alice.events(room)[0]["event_id"]
        bob.says(room, "> <@a> quoted\n\nfour", **{"m.relates_to": {"m.in_reply_to": {"event_id": first}}})
        until(lambda: len(alice.heard(room, of=agent)) == 4)
        bob.says(room, "!title Our plans")
        bob.says(room, "Hermes: from a program", msgtype="m.notice")
        until(lambda: len(alice.heard(room, of=agent)) == 5)
    assert [text for text in alice.heard(room, of=agent) if text.startswith("You")] == [
        "You said: one", "You said: two", "You said: three", "You said: four",
    ]  # fmt: skip
    assert any("Our plans" in text for text in alice.heard(room, of=agent))
    keys = {row["key"] for row in stage.db.list_routes()}
    users = [person.user.replace(":", "%3A") for person in (alice, bob)]
    assert keys == {f"agent:main:matrix:group:{room}:{user}" for user in users}


def test_marks_are_sent_as_html_and_ring_nobody_s_bell(stage: Stage) -> None:
    stage.model.add(Say("**Bold**, `code` and <script>\n\n- @room"))
    with running(stage.db, Matrix(load())):
        room = stage.alice.room(stage.agent, direct=True)
        stage.alice.says(room, "hello")
        [event] = until(lambda: stage.alice.events(room))
        until(lambda: stage.agent.user in stage.alice.typists or stage.alice.looks())
        until(lambda: not stage.alice.typing or stage.alice.looks())
    content = event["content"]
    assert content["body"] == "**Bold**, `code` and <script>\n\n- @room" and content["m.mentions"] == {}
    assert content["format"] == "org.matrix.custom.html"
    assert "<strong>Bold</strong>, <code>code</code> and &lt;script&gt;" in content["formatted_body"]
    assert "<li>@room</li>" in content["formatted_body"]


def test_a_thread_is_a_conversation_of_its_own_and_answered_there(stage: Stage) -> None:
    with running(stage.db, Matrix(load())):
        room = a_group(stage)
        root = stage.alice.says(room, "let us plan")
        stage.bob.says(room, "Hermes: one", thread=root)
        until(lambda: stage.alice.heard(room, of=stage.agent, thread=root))
        stage.alice.says(room, "Hermes: two", thread=root)
        until(lambda: len(stage.alice.heard(room, of=stage.agent, thread=root)) == 2)
    [route] = stage.db.list_routes()
    assert route["key"] == f"agent:main:matrix:group:{room}:{root}" and route["thread_id"] == root
    assert stage.alice.heard(room, of=stage.agent, thread=root) == ["You said: [Bob] one", "You said: [Alice] two"]


def test_an_answer_grows_by_edits(stage: Stage) -> None:
    stage.set_up(streaming={"enabled": True, "edit_interval": 0.1, "buffer_threshold": 5})
    room = stage.alice.room(stage.agent, direct=True)

    def slowly(sent: Sent) -> Raw:
        return Raw(
            Watched(list(render(sent.path, sent.body, Say("one two three four"))), lambda: stage.alice.heard(room))
        )

    stage.model.add(slowly)
    with running(stage.db, Matrix(load())):
        stage.alice.says(room, "count")
        until(lambda: stage.alice.heard(room) == ["one two three four"])
    first, *changes = [one["content"] for one in stage.alice.events(room)]
    assert first["body"].startswith("one two") and first["body"].endswith(" ▉")
    assert changes[-1]["body"] == "* one two three four" and changes[-1]["m.relates_to"]["rel_type"] == "m.replace"


class Watched(list[bytes]):
    """Events of a stream; the fourth and later ones come once something is seen of the others."""

    def __init__(self, events: list[bytes], seen: Callable[[], Any]) -> None:
        super().__init__(events)
        self._seen = seen

    def __iter__(self) -> Iterator[bytes]:
        for number, event in enumerate(super().__iter__()):
            if number == 4:
                until(self._seen)
            yield event


def test_a_picture_comes_along(stage: Stage) -> None:
    alice = stage.alice
    address = alice.uploads(PNG, "image/png")
    with running(stage.db, Matrix(load())):
        room = alice.room(stage.agent, direct=True)
        info = {"mimetype": "image/png", "size": len(PNG)}
        alice.says(room, "what is this?", msgtype="m.image", url=address, filename="a.png", info=info)
        until(lambda: alice.heard(room))
        alice.says(room, "b.png", msgtype="m.image", url="mxc://localhost/../../etc", info=info)
        until(lambda: len(alice.heard(room)) == 2)
    parts = stage.model.sent[0].messages[-1]["content"]
    assert parts[0]["text"] == "what is this?" and parts[1]["image_url"]["url"].startswith(
        "data:image/png;base64,iVBOR"
    )
    assert alice.heard(room)[1] == "You said: [The file b.png could not be fetched.]"


def test_files_come_and_go(stage: Stage, tmp_path: Path) -> None:
    alice, chart = stage.alice, tmp_path / "chart.png"
    chart.write_bytes(PNG)
    (tmp_path / "sums.csv").write_text("a,1\n")
    stage.set_up(terminal={"cwd": str(tmp_path)}, platform_toolsets={"matrix": ["messaging"]})
    with running(stage.db, Matrix(load())) as gateway:
        gateway.tasks.append(Scheduler(gateway).send_posted)
        room = alice.room(stage.agent, direct=True)
        info = {"mimetype": "text/csv", "size": 4}
        address = alice.uploads(b"b,2\n", "text/csv")
        alice.says(room, "sum this up", msgtype="m.file", url=address, filename="../in.csv", info=info)
        until(lambda: alice.heard(room))
        stage.model.add(
            Say(calls=[("send_message", {"message": "The **chart**.", "file": "chart.png"})]),
            Say(calls=[("send_message", {"message": "", "file": "sums.csv"})]),
            Say("There you are."),
        )
        alice.says(room, "show me")
        until(lambda: len(alice.events(room)) == 4)
    [line] = re.findall(r"\[The file in.csv is at (.*)\]", alice.heard(room)[0])
    assert Path(line).read_bytes() == b"b,2\n" and Path(line).is_relative_to(stage.home / "received" / "matrix")
    sent = {one["content"].get("filename"): one["content"] for one in alice.events(room)}
    picture, table = sent["chart.png"], sent["sums.csv"]
    assert (picture["msgtype"], picture["body"], picture["info"]["size"]) == ("m.image", "The **chart**.", len(PNG))
    assert "<strong>chart</strong>" in picture["formatted_body"] and alice.downloads(picture["url"]) == PNG
    assert (table["msgtype"], table["body"]) == ("m.file", "sums.csv") and alice.downloads(table["url"]) == b"a,1\n"


def test_what_was_said_while_it_was_away_is_answered_and_what_comes_again_counts_once(stage: Stage) -> None:
    alice, mark = stage.alice, f"matrix.sync:{stage.agent.user}"
    with running(stage.db, Matrix(load())):
        room = a_group(stage)
        alice.says(room, "Hermes: first")
        until(lambda: alice.heard(room, of=stage.agent))
    kept = stage.db.get_meta(mark)
    for number in range(140):  # more than one answer of the homeserver holds
        alice.says(room, f"{'Hermes: ' if number % 35 == 0 else ''}{number}")
    with running(stage.db, Matrix(load())):
        until(lambda: len(alice.heard(room, of=stage.agent)) == 5)
        until(lambda: stage.db.get_meta(mark) != kept)
    assert kept is not None
    stage.db.set_meta(mark, kept)  # as after a crash before the mark was kept
    with running(stage.db, Matrix(load())):
        alice.says(room, "Hermes: last")
        until(lambda: "You said: last" in alice.heard(room, of=stage.agent))
    said = ["first", "0", "35", "70", "105", "last"]
    assert alice.heard(room, of=stage.agent) == [f"You said: {one}" for one in said]
    assert json.loads(kept)["names"] == json.loads(stage.db.get_meta(mark) or "")["names"]


def test_an_answer_that_got_lost_on_the_way_back_is_sent_again_and_arrives_once(stage: Stage) -> None:
    with running(stage.db, Matrix(load())):
        room = stage.alice.room(stage.agent, direct=True)
        stage.line.lost = 3
        stage.alice.says(room, "hello")
        until(lambda: stage.db.posts("sent"))
        stage.alice.says(room, "again")
        until(lambda: len(stage.alice.heard(room)) == 2)
    assert len(stage.line.sent) > 2 and len(set(stage.line.sent)) == 2
    assert stage.alice.heard(room) == ["You said: hello", "You said: again"]


def test_a_homeserver_that_was_away_is_found_again(stage: Stage) -> None:
    with running(stage.db, Matrix(load())):
        room = stage.alice.room(stage.agent, direct=True)
        stage.alice.says(room, "before")
        until(lambda: stage.alice.heard(room))
        stage.line.cut = True
        stage.alice.says(room, "meanwhile")
        until(lambda: stage.line.refused >= 1)
        stage.line.cut = False
        until(lambda: len(stage.alice.heard(room)) == 2)
    assert stage.alice.heard(room) == ["You said: before", "You said: meanwhile"]


def test_what_the_store_could_not_take_is_heard_again(stage: Stage) -> None:
    heard: list[str] = []

    def receive(incoming: Incoming) -> bool:
        heard.append(incoming.text)
        if len(heard) == 1:
            raise StoreBusy("another program holds the store")
        return True

    adapter = Matrix(load())
    with running(stage.db) as gateway:
        adapter.gateway = gateway
        adapter.connect(receive)
        try:
            room = stage.alice.room(stage.agent, direct=True)
            stage.alice.says(room, "hello")
            until(lambda: len(heard) == 2)
        finally:
            adapter.disconnect()
            adapter.close()
    assert heard == ["hello", "hello"]


def test_a_mark_that_the_homeserver_does_not_know_any_more_is_a_new_beginning(stage: Stage) -> None:
    room = stage.alice.room(stage.agent, direct=True)
    mark = f"matrix.sync:{stage.agent.user}"
    with running(stage.db, Matrix(load())):
        stage.alice.says(room, "before")
        until(lambda: stage.alice.heard(room))
    stage.db.set_meta(mark, json.dumps({"since": "of another homeserver", "names": "n"}))
    with running(stage.db, Matrix(load())):
        until(lambda: "another" not in str(stage.db.get_meta(mark)))
        stage.alice.says(room, "after")
        until(lambda: len(stage.alice.heard(room)) == 2)
    assert stage.alice.heard(room) == ["You said: before", "You said: after"]


def test_a_busy_homeserver_says_when_to_try_again(stage: Stage, synapse: Synapse) -> None:
    adapter = Matrix(load())
    with running(stage.db, adapter):
        room = stage.alice.room(stage.agent, direct=True)
        stage.alice.says(room, "hello")
        until(lambda: stage.alice.heard(room))
        synapse.limit(stage.agent, per_second=1, burst=1)
        place = Place("matrix", "dm", room, user=stage.alice.user)

        def refusal() -> Undelivered | None:
            numbers.append(len(numbers))
            try:
                adapter.send(place, "more", key=f"more-{len(numbers)}")
            except Undelivered as refused:
                return refused
            return None

        numbers: list[int] = []
        busy = until(refusal)
        assert busy.seconds is not None and 0 < busy.seconds <= 2 and not busy.final and not busy.unsure
        with pytest.raises(Undelivered) as gone:
            adapter.send(place._replace(chat="!nowhere:localhost"), "hello", key="nowhere")
        synapse.limit(stage.agent, per_second=0, burst=0)
    assert gone.value.final


def test_invitations_of_strangers_wait_and_aside_they_are_told_a_code(stage: Stage) -> None:
    alice, bob, agent = stage.alice, stage.bob, stage.agent
    stage.set_up(gateway={"allowed_users": [f"matrix:{alice.user}"]})
    with running(stage.db, Matrix(load())):
        strange = bob.room(agent, alice, name="Come in")
        aside = bob.room(agent, direct=True)
        ours = alice.room(agent, bob, name="Ours")
        bob.says(aside, "hello")
        until(lambda: alice.members(ours)[agent.user] == "join")
        [words] = until(lambda: bob.heard(aside))
        assert bob.members(strange)[agent.user] == "invite"
        bob.joins(ours)
        bob.says(ours, "Hermes: hello")
        alice.says(ours, "Hermes: hello")
        until(lambda: alice.heard(ours, of=agent))
    assert "hermes gateway pair" in words and len(stage.model.sent) == 1
    assert alice.heard(ours, of=agent) == ["You said: hello"]


def test_what_was_said_before_it_was_invited_was_not_said_to_it(stage: Stage) -> None:
    room = stage.alice.room(name="Ours", initial_state=[])
    stage.alice.says(room, "Hermes: too early")
    with running(stage.db, Matrix(load())):
        stage.alice.call("POST", f"/_matrix/client/v3/rooms/{room}/invite", {"user_id": stage.agent.user})
        stage.alice.says(room, "Hermes: now")
        until(lambda: stage.alice.heard(room))
    assert stage.alice.heard(room) == ["You said: now"]


def test_rooms_can_be_chosen_and_need_no_name_where_it_always_answers(stage: Stage) -> None:
    free = stage.alice.room(stage.agent, stage.bob)
    other = stage.alice.room(stage.agent, stage.bob)
    stage.set_up(matrix={"allowed_rooms": [free], "free_response_rooms": [free]})
    with running(stage.db, Matrix(load())):
        until(lambda: stage.alice.members(free)[stage.agent.user] == "join")
        stage.alice.says(other, "Hermes: hello")
        stage.alice.says(free, "hello")
        until(lambda: stage.alice.heard(free))
    assert stage.alice.members(other)[stage.agent.user] == "invite"
    assert stage.alice.heard(free) == ["You said: hello"] and len(stage.model.sent) == 1


def test_an_encrypted_room_is_told_once_that_it_cannot_be_read(stage: Stage) -> None:
    secret = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    content = {
        "algorithm": "m.megolm.v1.aes-sha2",
        "ciphertext": "?",
        "session_id": "s",
        "sender_key": "k",
        "device_id": "d",
    }
    with running(stage.db, Matrix(load())):
        room = stage.alice.room(stage.agent, direct=True, initial_state=[secret])
        stage.alice.sends(room, "m.room.encrypted", content)
        stage.alice.sends(room, "m.room.encrypted", content)
        until(lambda: stage.alice.heard(room))
        stage.alice.says(room, "in the clear")
        until(lambda: len(stage.alice.heard(room)) == 2)
    assert "encrypted" in stage.alice.heard(room)[0] and stage.alice.heard(room)[1] == "You said: in the clear"


def test_a_person_is_written_to_aside_in_the_room_they_have_or_in_a_new_one(stage: Stage) -> None:
    adapter = Matrix(load())
    with running(stage.db, adapter):
        room = stage.alice.room(stage.agent, direct=True)
        until(lambda: stage.alice.members(room)[stage.agent.user] == "join")
        until(lambda: adapter.chat_info(Place("matrix", "dm", room))["name"] != room)
        adapter.send(Place("matrix", "dm", stage.alice.user), "good morning", key="a")
        until(lambda: stage.alice.heard(room) == ["good morning"])
        made = adapter.direct(stage.bob.user)
        assert stage.bob.invitations() == {made: stage.agent.user} and adapter.direct(stage.bob.user) == made
        adapter.send(Place("matrix", "dm", stage.bob.user), "hello", key="b")
        stage.bob.joins(made)
        until(lambda: stage.bob.heard(made) == ["hello"])


def test_a_password_lets_it_in_as_the_same_device_each_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MATRIX_ACCESS_TOKEN")
    monkeypatch.setenv("MATRIX_USER_ID", stage.agent.user)
    monkeypatch.setenv("MATRIX_PASSWORD", "a password")
    room = stage.alice.room(stage.agent, direct=True)
    for name in ("one", "two"):
        adapter = Matrix(load())
        with running(stage.db, adapter):
            adapter.send(Place("matrix", "dm", room), "the same", key="the same")
            adapter.send(Place("matrix", "dm", room), name, key=name)
    until(lambda: "two" in stage.alice.heard(room))
    assert stage.alice.heard(room) == ["the same", "one", "two"]


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"MATRIX_HOMESERVER": ""}, "MATRIX_HOMESERVER"),
        ({"MATRIX_HOMESERVER": "matrix.org"}, "https://matrix.org"),
        ({"MATRIX_ACCESS_TOKEN": ""}, "MATRIX_USER_ID and MATRIX_PASSWORD"),
        ({"MATRIX_ACCESS_TOKEN": "wrong"}, "refused MATRIX_ACCESS_TOKEN"),
        ({"MATRIX_ACCESS_TOKEN": "", "MATRIX_USER_ID": "@a:b", "MATRIX_PASSWORD": "wrong"}, "refused MATRIX_USER_ID"),
        ({"MATRIX_HOMESERVER": "http://127.0.0.1:1"}, "cannot be reached"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=words), running(stage.db, Matrix(load())):
        pass
