"""Two people and a group, in a Telegram and on a real Matrix at once, with one agent.

The model says what it knows: everything that people said to it in the conversation it was asked in. So whatever one
person should not see of another would stand in an answer.
"""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.commands.gateway import PROGRAM
from hermes.commands.gateway import running as serving
from hermes.config import load
from hermes.gateway.adapters.matrix import Matrix
from hermes.gateway.adapters.telegram import Telegram
from hermes.gateway.routed import SAVE
from hermes.gateway.schedule import Scheduler
from hermes.store import SessionDB
from tests.servers.matrix import Person
from tests.servers.platform import configured, running, until
from tests.servers.scripted import Answer, Hang, Say, Scripted, Sent
from tests.servers.synapse import Synapse
from tests.servers.telegram import TOKEN, FakeTelegram
from tests.unit.cli.program import spawn

ALICE, BOB, GROUP = 7, 8, -100  # on Telegram
TEA = {"action": "add", "target": "user", "content": "Alice drinks tea."}


def knowing(sent: Sent) -> Answer:
    """Tells everything that was said in this conversation; saves one thing when it is closed."""
    last = sent.messages[-1]
    if last["role"] == "tool":
        return Say("done")
    if last["content"] == SAVE:
        return Say(calls=[("memory", TEA)])
    return Say("I know: " + "; ".join(one["content"] for one in sent.messages if one["role"] == "user"))


class Town:
    """Everybody and everything; `asks` and `writes` wait for the answer, in Telegram and on Matrix."""

    def __init__(self, home: Path, db: SessionDB, model: Scripted, telegram: FakeTelegram, synapse: Synapse) -> None:
        self.home, self.db, self.model, self.telegram = home, db, model, telegram
        self.agent, self.alice, self.bob = (synapse.person(name) for name in ("Hermes", "Alice", "Bob"))
        self.rooms: dict[str, str] = {}

    def set_up(self, **settings: Any) -> None:
        chats = {"base_url": self.telegram.url, "poll_seconds": 1, "port": 0}
        toolsets: dict[str, list[str]] = {"telegram": ["memory"], "matrix": ["memory"], "cron": [], "cli": []}
        configured(
            self.home, self.model, **{"platforms": {"telegram": chats}, "platform_toolsets": toolsets, **settings}
        )

    def opens(self) -> Any:
        """The gateway, with both platforms."""
        config = load()
        return running(self.db, Telegram(config), Matrix(config))

    def gathers(self) -> str:
        """A room on Matrix with everybody in it."""
        room = self.alice.room(self.bob, self.agent, name="Our room")
        self.bob.joins(room)
        until(lambda: self.alice.members(room)[self.agent.user] == "join")
        return room

    def asks(self, user: int, text: str, *, chat: int | None = None, thread: int | None = None) -> str:
        where = user if chat is None else chat
        before = len(self.telegram.heard(where))
        self.telegram.says(user, text if chat is None else f"@hermes_bot {text}", chat=chat, thread=thread)
        until(lambda: len(self.telegram.heard(where)) > before)
        return self.telegram.heard(where)[-1]

    def writes(self, person: Person, text: str, *, room: str = "", thread: str = "") -> str:
        where = room or self.aside(person)
        before = len(person.heard(where, of=self.agent))
        person.says(where, f"Hermes: {text}" if room else text, thread=thread)
        until(lambda: len(person.heard(where, of=self.agent)) > before)
        return person.heard(where, of=self.agent)[-1]

    def aside(self, person: Person) -> str:
        """The room in which a person is alone with the agent."""
        if person.user not in self.rooms:
            self.rooms[person.user] = person.room(self.agent, direct=True)
        return self.rooms[person.user]

    def close(self) -> None:
        for person in (self.agent, self.alice, self.bob):
            person.close()


@pytest.fixture
def town(hermes_home: Path, synapse: Synapse, monkeypatch: pytest.MonkeyPatch) -> Iterator[Town]:
    hermes_home.mkdir(parents=True)
    with Scripted(otherwise=knowing) as model, SessionDB() as db, FakeTelegram() as telegram:
        made = Town(hermes_home, db, model, telegram, synapse)
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
        monkeypatch.setenv("MATRIX_HOMESERVER", synapse.url)
        monkeypatch.setenv("MATRIX_ACCESS_TOKEN", made.agent.token)
        made.set_up()
        yield made
        made.close()


def test_everybody_in_a_group_has_a_conversation_of_their_own(town: Town) -> None:
    with town.opens():
        room = town.gathers()
        assert town.asks(ALICE, "my cat is ill") == "I know: my cat is ill"
        assert town.asks(BOB, "I like jazz") == "I know: I like jazz"
        assert town.asks(ALICE, "red", chat=GROUP) == "I know: red"
        assert town.asks(BOB, "blue", chat=GROUP) == "I know: blue"
        assert town.asks(ALICE, "green", chat=GROUP) == "I know: red; green"
        assert town.writes(town.alice, "my secret") == "I know: my secret"
        assert town.writes(town.bob, "mine") == "I know: mine"
        assert town.writes(town.alice, "one", room=room) == "I know: one"
        assert town.writes(town.bob, "two", room=room) == "I know: two"
        assert town.writes(town.alice, "three", room=room) == "I know: one; three"
    assert len(town.db.list_routes()) == 8
    owners = {"telegram:7", "telegram:8", f"matrix:{town.alice.user}", f"matrix:{town.bob.user}"}
    assert {row["owner"] for row in town.db.search_sessions()} == owners


def test_with_a_shared_group_everybody_in_it_is_in_one_conversation(town: Town) -> None:
    town.set_up(group_sessions_per_user=False)
    with town.opens():
        room = town.gathers()
        assert town.asks(ALICE, "my cat is ill") == "I know: my cat is ill"
        assert town.asks(ALICE, "red", chat=GROUP) == "I know: [User7] red"
        assert town.asks(BOB, "blue", chat=GROUP) == "I know: [User7] red; [User8] blue"
        assert town.writes(town.alice, "one", room=room) == "I know: [Alice] one"
        assert town.writes(town.bob, "two", room=room) == "I know: [Alice] one; [Bob] two"
        assert town.writes(town.bob, "mine") == "I know: mine"
    owners = {row["owner"] for row in town.db.search_sessions()}
    assert owners == {"telegram:7", "telegram:chat:-100", f"matrix:chat:{room}", f"matrix:{town.bob.user}"}


def test_a_thread_is_shared_by_those_who_are_in_it_and_by_nobody_else(town: Town) -> None:
    with town.opens():
        room = town.gathers()
        root = town.alice.says(room, "let us plan the trip")
        assert town.asks(ALICE, "red", chat=GROUP) == "I know: red"
        assert town.asks(ALICE, "in the topic", chat=GROUP, thread=5) == "I know: [User7] in the topic"
        assert town.asks(BOB, "too", chat=GROUP, thread=5) == "I know: [User7] in the topic; [User8] too"
        assert town.writes(town.alice, "one", room=room) == "I know: one"
        assert town.writes(town.alice, "to Rome", room=room, thread=root) == "I know: [Alice] to Rome"
        assert town.writes(town.bob, "by train", room=room, thread=root) == "I know: [Alice] to Rome; [Bob] by train"
    assert [one["message_thread_id"] for one in town.telegram.sent if "topic" in one["text"]] == ["5", "5"]
    assert len(town.alice.heard(room, of=town.agent, thread=root)) == 2


def test_a_title_belongs_to_its_owner_and_leads_nobody_else_there(town: Town) -> None:
    with town.opens():
        town.asks(ALICE, "where to go")
        assert "Plans" in town.asks(ALICE, "/title Plans")
        town.writes(town.bob, "what to buy")
        assert "Plans" in town.writes(town.bob, "!title Plans")
        town.writes(town.alice, "hello")
        assert "Plans" in town.writes(town.alice, "!resume Plans")  # there is none of hers here
        assert town.writes(town.alice, "and?") == "I know: hello; and?"
        assert "new" in town.asks(ALICE, "/new").lower()
        assert town.asks(ALICE, "fresh") == "I know: fresh"
        town.asks(ALICE, "/resume Plans")
        assert town.asks(ALICE, "back") == "I know: where to go; back"
    titled = {row["owner"] for row in town.db.search_sessions() if row["title"] == "Plans"}
    assert titled == {"telegram:7", f"matrix:{town.bob.user}"}


def test_a_new_day_begins_a_new_conversation_and_what_matters_is_remembered(town: Town) -> None:
    town.set_up(session_reset={"mode": "daily", "at_hour": 4})
    with town.opens():
        room = town.aside(town.alice)
        town.writes(town.alice, "I drink tea")
        key = key_of(town, town.alice)
        old = town.db.get_route(key)["session_id"]  # type: ignore[index]
        town.asks(BOB, "I like jazz")
        town.db.set_route(key, {"active_at": time.time() - 90_000})  # she wrote it yesterday
        until(lambda: town.db.get_route(key)["session_id"] != old)  # type: ignore[index]
        town.alice.says(room, "good morning")
        until(lambda: len(town.alice.heard(room)) == 3)
        assert town.asks(BOB, "good morning, too") == "I know: I like jazz; good morning, too"
    assert town.alice.heard(room)[1:] == [
        f"A new conversation: a new day began. /resume {old} goes back to the last one.",
        "I know: good morning",
    ]
    asked = {one.messages[-1]["content"]: one.messages[0]["content"] for one in town.model.sent}
    assert "Alice drinks tea." in asked["good morning"] and "drinks tea" not in asked["good morning, too"]
    ended = town.db.get_session(old)
    assert ended is not None and ended["ended_at"] is not None
    assert town.db.get_messages(old)[0]["content"] == "I drink tea"


def test_a_gateway_that_is_killed_in_the_middle_goes_on_with_every_turn(town: Town) -> None:
    """A process of its own, killed while the model thinks about two messages; each is answered once."""
    room = town.alice.room(town.agent, direct=True)
    town.model.add(Hang(), Hang())
    process = subprocess.Popen(PROGRAM, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: (serving() or {}).get("pid") == process.pid)
        town.telegram.says(BOB, "add up my invoices")
        town.alice.says(room, "plan my week")
        until(lambda: len(town.model.sent) == 2)
        process.kill()
    finally:
        process.kill()
        process.wait(60)
    assert town.telegram.heard(BOB) == [] and town.alice.heard(room) == []
    with town.opens():
        until(lambda: town.telegram.heard(BOB) and town.alice.heard(room))
        assert town.asks(BOB, "thanks") == "I know: add up my invoices; thanks"
        town.rooms[town.alice.user] = room
        assert town.writes(town.alice, "thanks") == "I know: plan my week; thanks"
    assert town.telegram.heard(BOB) == ["I know: add up my invoices", "I know: add up my invoices; thanks"]
    assert town.alice.heard(room) == ["I know: plan my week", "I know: plan my week; thanks"]
    assert [row["state"] for row in town.db.arrivals()] == ["done"] * 4


def test_a_conversation_goes_to_the_terminal_and_on_to_another_platform(town: Town) -> None:
    accounts = ["local", "telegram:7", f"matrix:{town.alice.user}"]
    town.set_up(gateway={"allow_all_users": True, "identities": {"Alice": accounts}})
    with town.opens():
        town.writes(town.alice, "we plan a trip")
        session = town.db.get_route(key_of(town, town.alice))["session_id"]  # type: ignore[index]
        told = town.writes(town.alice, "!handoff cli")
        assert told == f"`hermes --resume {session}` goes on with this in the terminal."
        asked = spawn("--resume", session, "-q", "by train")
        assert asked.code == 0 and "I know: we plan a trip; by train" in asked.out
        # From Matrix to Telegram, where she has not written yet.
        town.writes(town.alice, "!handoff telegram")
        until(lambda: town.telegram.heard(ALICE))
        assert town.telegram.heard(ALICE) == ["Your conversation “We plan a trip” goes on here."]
        assert town.asks(ALICE, "in May") == "I know: we plan a trip; by train; in May"
        assert town.writes(town.bob, "hello") == "I know: hello"
    sessions = {row["id"]: row["owner"] for row in town.db.search_sessions()}
    assert sessions[session] == f"matrix:{town.alice.user}" and len(sessions) == 2


def key_of(town: Town, person: Person) -> str:
    return f"agent:main:matrix:dm:{town.aside(person).replace(':', '%3A')}"


def test_jobs_tell_a_group_and_a_person_who_has_not_written_yet(town: Town) -> None:
    for name, chat in (("group", f"telegram:{GROUP}"), ("alice", f"matrix:{town.alice.user}")):
        made = spawn("cron", "add", "daily at 9", "What is on today?", "--deliver", chat, "--name", name)
        assert made.code == 0, made.err
    with_due_jobs(town.db)
    with town.opens() as gateway:
        gateway.tasks.append(Scheduler(gateway).tick)
        [room] = until(lambda: town.alice.invitations())
        town.alice.joins(room)
        until(lambda: town.alice.heard(room) and town.telegram.heard(GROUP))
        town.rooms[town.alice.user] = room
        assert town.writes(town.alice, "thank you") == "I know: thank you"
    words = "⏰ {}\n\nI know: What is on today?"
    assert town.telegram.heard(GROUP) == [words.format("group")]
    assert town.alice.heard(room)[0] == words.format("alice")
    listed = spawn("sessions", "list").out
    assert "thank you" in listed and "What is on today?" not in listed
    assert sorted(row["source"] for row in town.db.search_sessions()) == ["cron", "cron", "matrix"]


def with_due_jobs(db: SessionDB) -> None:
    jobs = json.loads(db.get_meta("cron.jobs") or "[]")
    db.set_meta("cron.jobs", json.dumps([job | {"next": time.time() - 60} for job in jobs]))
