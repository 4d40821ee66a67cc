"""The pages on recall, on child agents and on batches: every command and every call gives what the page says."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import split

import pytest

from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.agent.own_tools.calling import Caller
from tests.unit.cli.program import Hermes

CALL = re.compile(r"^```tool\n(\w+) (\{[^\n]*\})\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
ROOT, SECOND, THIRD = "20250301_090000_a1a1a1", "20250320_090000_b2b2b2", "20250410_090000_c3c3c3"
SPRING = ["Where do we lie?", "The Marlvane lies at berth 47; the harbour master is Ingrid.", "Good. And the weather?",
          "Fair until Sunday."]  # fmt: skip


def answer(sent: Sent) -> Say:
    if sent.messages[-1]["role"] == "tool":
        [berth] = re.findall(r"berth (\d+)", str(sent.messages[-1]["content"]))
        return Say(f"Berth {berth}.")
    if "Marlvane" in str(sent.messages[-1]["content"]):
        return Say(calls=[("session_search", {"query": "berth Marlvane"})])
    return Say("Paris, or so.")


@pytest.fixture
def home(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts.txt").write_text("The capital of France?\nThe capital of Peru?\nThe capital of Chad?\n")
    with Scripted(otherwise=answer) as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield hermes_home


def fill() -> None:
    then = time.time() - 200 * 86400
    with SessionDB() as db:
        db.create_session(ROOT, "cli", started_at=then)
        for number, text in enumerate(SPRING):
            db.append_message(ROOT, ("user", "assistant")[number % 2], text, timestamp=then + number)
        db.set_session_title(ROOT, "Sailing in spring")
        first = db.get_messages(ROOT)[0]["id"]
        db.split_session(ROOT, SECOND, carried=[first])
        db.split_session(SECOND, THIRD, carried=[db.get_messages(SECOND)[0]["id"]])


def plain(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "DAY", text)


def calls(page: str) -> list[tuple[str, str, str]]:
    return CALL.findall((GUIDES / page).read_text())


@pytest.mark.parametrize(("page", "number"), [("recall.md", 4), ("delegation.md", 1)])
def test_every_call_gives_what_the_page_says(page: str, number: int, home: Path, tmp_path: Path) -> None:
    fill()
    with SessionDB() as db:
        caller = Caller(db, tmp_path, "session_search", "todo")
        for name, arguments, result in calls(page):
            assert plain(caller.said(name, **json.loads(arguments))) == result, name
    assert len(calls(page)) == number


@pytest.mark.parametrize(("page", "number"), [("recall.md", 5), ("delegation.md", 3), ("batch.md", 6)])
def test_every_command_does_what_the_page_says(
    page: str, number: int, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill()
    hermes = Hermes(capsys, monkeypatch)
    found = list(examples(GUIDES / page))
    for example in found:
        done = hermes(*split(example.command)[1:])
        assert done.code == 0, (example, done)
        if example.prints is not None:
            assert (done.out + done.err).splitlines() == example.prints, example
    assert len(found) == number
