"""The page on chats: every command runs and prints what it says, and so does the conversation in it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import pytest

from hermes.cli.main import parser
from hermes.commands.chat.slash import COMMANDS
from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.terminal import Terminal
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import AUTH, PROGRAM, PROJECT, fill_guide, spawn

PAGE = GUIDES / "chat.md"
ANSWERS = {
    "How many legs has a spider?": "Eight.",
    "Count the legs of these.\n\nspiders, ants": "Eight and six.",
    "And a lobster?": "Ten, the claws among them.",
    "And three of them?": "Twenty-four.",
    "And a crab?": "Ten as well.",
}


def answer(sent: Sent) -> Say:
    return Say(ANSWERS.get(str(sent.messages[-1]["content"]), "Legs"))


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    with Scripted(otherwise=answer) as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield server


def in_a_shell(command: str) -> list[str]:
    """What a person sees who types this."""
    program = " ".join(map(quote, PROGRAM))
    typed = re.sub(r"(?<![\w/])hermes (?=-)", lambda _: f"{program} ", command)
    done = subprocess.run(
        ["sh", "-c", typed], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, env={**os.environ}
    )
    return (done.stdout + done.stderr).splitlines()


def plain(lines: list[str]) -> list[str]:
    return [re.sub(r"\d{8}_\d{6}_[0-9a-f]{6}", "ID", line) for line in lines]


def conversation() -> list[tuple[str, list[str]]]:
    """What is typed in the page's conversation, and what it brings about."""
    [block] = re.findall(r"^```chat\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    pieces = re.split(r"^❯ ", block, flags=re.MULTILINE)[1:]
    return [(typed, lines) for typed, *lines in (piece.splitlines() for piece in pieces)]


def test_the_page_is_true(model: Scripted) -> None:
    found = [example for example in examples(PAGE) if example.prints is not None]
    assert len(found) == 5
    for example in found[:3]:
        assert plain(in_a_shell(example.command)) == plain(example.prints or []), example
    with Terminal() as terminal:
        for typed, lines in conversation():
            terminal.say(typed)
            for line in lines:
                terminal.wait_for(line)
        assert terminal.leave() == 0
    for example in found[3:]:
        assert plain(in_a_shell(example.command)) == plain(example.prints or []), example


def test_every_command_of_the_page_exists_and_every_one_is_there() -> None:
    rows = re.findall(r"^\| (`/.*?) \|", PAGE.read_text(), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`/(\w+)", row)} - {"q"}
    assert named | {"help"} == set(COMMANDS)


def test_every_option_of_the_page_exists() -> None:
    options = {name for action in parser()._actions for name in action.option_strings}
    named = set(re.findall(r"`(--?[a-z]+)", PAGE.read_text()))
    assert {"-q", "-z", "--image"} <= named <= options


NEWEST = PROJECT[:-1] + "a"


@pytest.mark.parametrize(
    ("typed", "session"),
    [
        (["--continue"], AUTH),
        (["-c"], AUTH),
        (["chat", "--continue"], AUTH),
        (["chat", "-c"], AUTH),
        (["-c", "my project"], NEWEST),
        (["--resume", AUTH], AUTH),
        (["-r", AUTH], AUTH),
        (["-r", PROJECT], NEWEST),
        (["--resume", "refactoring auth"], AUTH),
        (["chat", "--resume", AUTH], AUTH),
        (["-r", AUTH[:17]], AUTH),
    ],
)
def test_every_command_line_of_the_documents_resumes_what_it_says(
    typed: list[str], session: str, model: Scripted
) -> None:
    with SessionDB() as db:
        fill_guide(db)
    done = spawn(*typed, "-q", "And a crab?")
    assert (done.code, done.out) == (0, "Ten as well.\n")
    assert done.err == f"hermes: hermes --resume {session} goes on with this.\n"
    with SessionDB() as db:
        assert [row["content"] for row in db.get_messages(session)][-2:] == ["And a crab?", "Ten as well."]
