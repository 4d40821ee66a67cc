"""What the agent notes down, and what comes back: a chat with a scripted model over real HTTP, and `hermes memory`."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.base import Notice
from hermes.commands.chat.chat import Chat
from hermes.config import load
from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import stored
from tests.unit.cli.program import Hermes, refused

NOTE = {"action": "add", "target": "user", "content": "Drinks green tea."}


def chat(db: SessionDB, *said: str) -> tuple[str, list[Any]]:
    """A conversation of these messages; its id, and what was told."""
    talk = Chat(db, load())
    talk.wishes = talk.wishes._replace(titles_by_model=False)
    events = [event for text in said for event in talk.ask(text)]
    talk.close()
    return talk.agent.session_id, events


def test_what_is_noted_in_one_conversation_is_known_in_the_next(model: Scripted, hermes: Hermes) -> None:
    model.script += [Say(calls=[("memory", NOTE)]), Say("I will remember.")]
    with SessionDB() as db:
        chat(db, "I drink green tea.")
        result = model.sent[1].messages[-1]["content"]
        assert result.startswith("Noted. user has 17 of 1,375 characters now:\n- Drinks green tea.")
        assert "Drinks green tea." not in model.sent[0].messages[0]["content"]
        chat(db, "Hello again.")
    prompt = model.sent[2].messages[0]["content"]
    assert "<user-notes" in prompt
    assert "- Drinks green tea." in prompt
    assert hermes("memory", "show", "user").out == "What it knows about you\n  Drinks green tea.\n"


def test_a_note_that_does_not_fit_is_refused_and_the_turn_goes_on(model: Scripted) -> None:
    model.script += [Say(calls=[("memory", NOTE | {"content": "x" * 1400})]), Say("Too long.")]
    with SessionDB() as db:
        chat(db, "Remember all of this.")
    assert "1,375 is the limit" in model.sent[1].messages[-1]["content"]


def test_past_conversations_come_along_and_are_never_stored(model: Scripted, hermes: Hermes) -> None:
    hermes("memory", "setup", "sessions")
    model.script += [Say("Noted: the treasure is under the oak.")]
    with SessionDB() as db:
        first, _ = chat(db, "The treasure lies under the old oak.")
        model.script += [Say("<memory-context>secret</memory-context>Under the oak.")]
        second, _ = chat(db, "Where was that treasure again, please?")
        asked = model.sent[-1].messages[-1]["content"]
        assert asked.startswith("Where was that treasure again, please?\n\n<memory-context>\n<recalled session=")
        assert first in asked
        assert asked.endswith("</recalled>\n</memory-context>")
        kept = stored(db, second)
    assert kept == [("user", "Where was that treasure again, please?"), ("assistant", "Under the oak.")]


def test_a_provider_that_is_not_there_is_said_and_the_turn_goes_on(model: Scripted, hermes: Hermes) -> None:
    hermes("config", "set", "memory.provider", "honcho")
    with SessionDB() as db:
        _, events = chat(db, "hello")
    [notice] = [event.text for event in events if isinstance(event, Notice)]
    assert "no memory provider 'honcho'" in notice


def test_notes_that_are_off_are_neither_offered_nor_shown(model: Scripted, hermes: Hermes, hermes_home: Path) -> None:
    (hermes_home / "memories").mkdir()
    (hermes_home / "memories" / "MEMORY.md").write_text("A fact.\n")
    hermes("config", "set", "memory.memory_enabled", "false")
    hermes("config", "set", "memory.user_profile_enabled", "false")
    with SessionDB() as db:
        chat(db, "hello")
    [sent] = model.sent
    assert "A fact." not in sent.messages[0]["content"]
    assert "memory" not in [tool["function"]["name"] for tool in sent.body["tools"]]


# -- hermes memory


def test_status_says_how_full_it_is(hermes: Hermes, hermes_home: Path) -> None:
    (hermes_home / "memories").mkdir(parents=True)
    (hermes_home / "memories" / "MEMORY.md").write_text("One.\n§\nTwo.\n")
    assert "2 entries, 11 of 2,200 characters" in hermes("memory", "status").out
    status = json.loads(hermes("memory", "status", "--json").out)
    assert (status["provider"], status["targets"][0]["entries"]) == (None, 2)


def test_a_provider_is_chosen_and_taken_away_again(hermes: Hermes) -> None:
    assert "sessions" in hermes("memory", "setup").out
    assert "no memory provider 'nobody'" in refused(hermes("memory", "setup", "nobody"), 1)
    hermes("memory", "setup", "sessions")
    assert load().settings.memory.provider == "sessions"
    hermes("memory", "off")
    assert load().settings.memory.provider == ""
    assert "There was none" in hermes("memory", "off").out


def test_edit_opens_the_editor_and_says_when_it_is_too_much(
    hermes: Hermes, hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nhead -c 1400 /dev/zero | tr "\\0" x > "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    done = hermes("memory", "edit", "user")
    assert done.out == "What it knows about you: 1 entry, 1,400 of 1,375 characters.\n"
    assert "25 characters over its limit" in done.err
    assert (hermes_home / "memories" / "USER.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("command", ["memory", "config"])
def test_without_a_terminal_no_editor_is_started_that_nobody_named(
    command: str, hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    told = refused(hermes(command, "edit"), 2)
    assert told.startswith("hermes: There is no terminal to edit in; set EDITOR, or write ")
