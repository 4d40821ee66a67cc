"""Every command line of the guides runs, and prints what the page says: columns, order and words."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import split
from typing import NamedTuple

import pytest

from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, PROJECT, WEATHER, Hermes, refused

GUIDES = Path(__file__).parents[2] / "docs" / "guide"
BLOCK = re.compile(r"^```(bash|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
QUESTION = " [y/N] "


class Example(NamedTuple):
    command: str
    prints: list[str] | None  # None: only that it works


def examples(page: Path) -> Iterator[Example]:
    for kind, text in BLOCK.findall(page.read_text()):
        if kind == "bash":
            yield from (Example(line, None) for line in text.splitlines() if line and not line.startswith("#"))
            continue
        for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, *lines = piece.splitlines()
            yield Example(command, lines)


def plain(lines: list[str], home: Path) -> list[str]:
    """Days, sizes and the home aside."""
    text = "\n".join(lines).replace(str(home), "~/.hermes")
    text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "DAY", text)
    text = re.sub(r"\d{8}-\d{6}", "STAMP", text)
    return re.sub(r"\d+\.\d MB", "SIZE", text).splitlines()


@pytest.mark.parametrize("page", ["sessions.md", "search.md"])
def test_the_page_is_true(page: str, home: Path, hermes: Hermes) -> None:
    found = list(examples(GUIDES / page))
    assert len(found) > 12
    for example in found:
        program, *arguments = split(example.command)
        assert program == "hermes", example
        if example.prints is None:
            done = hermes(*arguments)
            assert done.code == 0, (example, done)
            continue
        questions = [line for line in example.prints if QUESTION in line]
        answer = questions[0].split(QUESTION)[1] + "\n" if questions else ""
        done = hermes(*arguments, answer=answer)
        beside = [line for line in example.prints if line.startswith("hermes: ") or line in questions]
        assert plain(done.lines, home) == plain([line for line in example.prints if line not in beside], home), example
        asked = [line.split(QUESTION)[0] + QUESTION for line in questions]
        told = [line + "\n" for line in example.prints if line.startswith("hermes: ")]
        assert done.err == "".join([*asked, *told]), example


# -- the documents' own words, once more and apart from our page


def test_the_titled_list_has_the_documented_columns(home: Path, hermes: Hermes) -> None:
    heading, rule, *rows = hermes("sessions", "list").lines
    assert heading == "Title                          Preview                                 Last Active  ID"
    assert rule == "─" * 96
    ids = [AUTH, PROJECT[:-1] + "a", WEATHER]
    assert [row.removesuffix(session_id) for row, session_id in zip(rows, ids, strict=True)] == [
        "refactoring auth               Help me refactor the auth module please 2h ago       ",
        "my project #3                  Can you check the test failures?        yesterday    ",
        "—                              What's the weather in Las Vegas?        3d ago       ",
    ]


def test_the_untitled_list_has_the_documented_columns(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        for session_id in (AUTH, PROJECT, PROJECT[:-1] + "9", PROJECT[:-1] + "a"):
            db.set_session_title(session_id, None)
    heading, rule, first, _second, third = hermes("sessions", "list").lines
    assert heading == "Preview                                           Last Active  Src   ID"
    assert rule == "─" * 86
    assert first == f"Help me refactor the auth module please           2h ago       cli   {AUTH}"
    assert third == f"What's the weather in Las Vegas?                  3d ago       tele  {WEATHER}"


def test_statistics_have_the_documented_lines(home: Path, hermes: Hermes) -> None:
    *lines, size = hermes("sessions", "stats").lines
    assert lines == ["Total sessions: 5", "Total messages: 5", "cli: 4 sessions", "telegram: 1 session"]
    assert re.fullmatch(r"Database size: \d+\.\d MB", size)


def test_an_export_has_one_session_a_line_with_all_its_messages(home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "export", "backup.jsonl").out == "Exported 5 sessions to backup.jsonl\n"
    rows = [json.loads(line) for line in Path("backup.jsonl").read_text().splitlines()]
    assert {row["id"] for row in rows} == {AUTH, WEATHER, PROJECT, PROJECT[:-1] + "9", PROJECT[:-1] + "a"}
    assert [row["messages"][0]["content"] for row in rows if row["id"] == AUTH] == [
        "Help me refactor the auth module please"
    ]
    done = hermes("sessions", "export", "telegram-history.jsonl", "--source", "telegram")
    assert done.out == "Exported 1 session to telegram-history.jsonl\n"
    assert json.loads(Path("telegram-history.jsonl").read_text())["id"] == WEATHER
    hermes("sessions", "export", "session.jsonl", "--session-id", AUTH)
    assert json.loads(Path("session.jsonl").read_text())["title"] == "refactoring auth"


def test_a_delete_asks_first_and_yes_skips_the_question(home: Path, hermes: Hermes) -> None:
    kept = hermes("sessions", "delete", AUTH, answer="n\n")
    question = f"Delete session '{AUTH}' “refactoring auth” and all its messages? [y/N] "
    assert (kept.code, kept.out, kept.err) == (0, "", question + "Cancelled.\n")
    assert AUTH in hermes("sessions", "list").out
    gone = hermes("sessions", "delete", AUTH, "--yes")
    assert (gone.code, gone.err) == (0, "")
    assert AUTH not in hermes("sessions", "list").out


def test_a_rename_takes_unquoted_words_and_refuses_a_taken_title(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "rename", WEATHER, "debugging", "auth", "flow")
    assert done.out == f"Session '{WEATHER}' renamed to: debugging auth flow\n"
    line = refused(hermes("sessions", "rename", AUTH, "debugging auth flow"), 2)
    assert WEATHER in line


def test_prune_deletes_only_ended_sessions_and_never_without_an_answer(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        db.end_session(WEATHER, "done")
    assert hermes("sessions", "prune").out == "Pruned 0 sessions.\n"
    question = "Delete all ended sessions older than 2 days (1 session, 1 message)? This is final. [y/N] "
    kept = hermes("sessions", "prune", "--older-than", "2", answer="\n")
    assert (kept.code, kept.err) == (0, question + "Cancelled.\n")
    assert WEATHER in kept.out
    assert hermes("sessions", "prune", "--older-than", "2", "--source", "cli", "--yes").out == "Pruned 0 sessions.\n"
    assert "Pruned 1 session.\n" in hermes("sessions", "prune", "--older-than", "2", "--yes").out
    assert "Total sessions: 4" in hermes("sessions", "stats").out
