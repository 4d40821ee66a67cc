"""A chat without any screen, with a scripted model over real HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.commands.chat.chat import Chat, Wishes
from hermes.commands.chat.slash import perform
from hermes.commands.reply import Facts, Panel, Reply, Span, Table, Text, Transcript
from hermes.config import load
from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted, Sent


def answer(sent: Sent) -> Say:
    asked = str(sent.messages[-1]["content"])
    return Say("A title for this talk") if "Give this conversation a title" in asked else Say(f"You said: {asked}")


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=answer) as server:
        yield server


class Person:
    """Types, and reads what is said."""

    def __init__(self, db: SessionDB, home: Path, settings: str = "", source: str = "cli") -> None:
        (home / "config.yaml").write_text(settings)
        self.db = db
        self.chat = Chat(db, load(), Wishes(source=source, titles_by_model=False))
        self.says_yes = True
        self.asked: list[str] = []  # what the person was asked before it was done

    def type(self, typed: str, where: str = "terminal") -> str:
        """A command or a message; turns that it brings about are carried out."""
        reply = perform(self.chat, typed, where=where) if typed.startswith("/") else Reply()
        if reply.ask is not None:
            self.asked.append(reply.ask.question)
            reply = reply.ask.then() if self.says_yes else Reply()
        if not typed.startswith("/"):
            self.chat.queue.append(typed)
        while self.chat.queue:
            list(self.chat.ask(self.chat.queue.popleft()))
        return read(reply)

    def said(self) -> list[str]:
        return [message["content"] for message in self.chat.agent.messages]


def read(reply: Reply) -> str:
    lines: list[str] = []
    for part in reply.parts:
        if isinstance(part, Text | Panel):
            lines += ["".join(span.text for span in map(as_span, line)) for line in part.lines]
        elif isinstance(part, Facts):
            lines += [f"{name}: {value}" for name, value, _ in part.facts]
        elif isinstance(part, Table):
            lines += [" ".join(map(str, row)) for row in part.rows]
        elif isinstance(part, Transcript):
            lines += [entry.text for entry in part.entries]
    return "\n".join([*lines, *reply.notices])


def as_span(piece: str | Span) -> Span:
    return Span(piece) if isinstance(piece, str) else piece


@pytest.fixture
def person(model: Scripted, hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    monkeypatch.chdir(tmp_path)
    hermes_home.mkdir(parents=True)
    with SessionDB() as db:
        one = Person(db, hermes_home, settings_for(model))
        yield one
        one.chat.close()


def settings_for(model: Scripted, more: str = "") -> str:
    return model.settings + more
