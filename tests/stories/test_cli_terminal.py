"""On a real terminal: colour, the pager, the progress bar, 40 columns."""

import re
import subprocess
from pathlib import Path

import pytest

from hermes.cli.width import width
from hermes.store import SessionDB
from tests.stories.terminal import Terminal
from tests.unit.cli.program import AUTH, PROGRAM, WEATHER

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*arguments: str, columns: int = 80, lines: int = 24, typed: str = "", **environment: str) -> str:
    """What a person sees who types this command on a terminal of that size."""
    with Terminal(*arguments, columns=columns, lines=lines, **{"TERM": "xterm", **environment}) as terminal:
        terminal.type(typed)
        assert terminal.leave() in (0, 1)
        return terminal.seen.replace("\r\n", "\n")


def test_hits_are_coloured_and_no_color_is_respected(home: Path) -> None:
    assert "\x1b[1;33mauth\x1b[0m" in on_terminal("sessions", "search", "auth")
    plain = on_terminal("sessions", "search", "auth", NO_COLOR="1")
    assert not COLOUR.search(plain)
    assert ">>>auth<<<" in plain


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_line_of_a_table_is_wider_than_the_terminal(columns: int, home: Path) -> None:
    with SessionDB() as db:
        db.set_session_title(WEATHER, "日本語のタイトルとても長いですね")
    for action in (["list"], ["list", "--source", "cli"], ["stats"], ["prune", "--dry-run"]):
        text = COLOUR.sub("", on_terminal("sessions", *action, columns=columns))
        assert max(width(line) for line in text.splitlines()) <= columns, action
    listing = COLOUR.sub("", on_terminal("sessions", "list", columns=columns))
    assert AUTH in listing
    assert "2h ago" in listing


@pytest.mark.parametrize(
    "typed",
    [
        "skills list",
        "plugins list",
        "tools list",
        "tools show web",
        "model list",
        "sessions search auth",
        "insights",
        "doctor",
    ],
)
def test_lists_of_everything_fit_forty_columns_and_are_whole_in_a_pipe(typed: str, home: Path) -> None:
    seen = COLOUR.sub("", on_terminal(*typed.split(), columns=40, NO_COLOR="1"))
    assert max(width(line) for line in seen.splitlines()) <= 40
    piped = subprocess.run([*PROGRAM, *typed.split()], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "…" not in seen + piped
    assert len(seen.splitlines()) >= len(piped.splitlines())


def test_help_fits_forty_columns(home: Path) -> None:
    text = on_terminal("sessions", "prune", "--help", columns=40)
    _usage, description, options = text.split("examples:")[0].strip().split("\n\n")
    assert description.startswith("Delete ended sessions")
    assert max(len(line) for line in (description + "\n" + options).splitlines()) <= 40


def test_a_long_transcript_is_paged_and_a_short_one_is_not(home: Path, tmp_path: Path) -> None:
    with SessionDB() as db:
        for number in range(60):
            db.append_message(AUTH, "user", f"line {number}")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat > paged.txt\n")
    pager.chmod(0o755)
    assert on_terminal("sessions", "show", AUTH, PAGER=str(pager)) == "PAGED\n"
    assert "line 59" in Path("paged.txt").read_text()
    assert "PAGED" not in on_terminal("sessions", "show", AUTH, "--last", "2", PAGER=str(pager))
    assert "line 59" in on_terminal("sessions", "show", AUTH, PAGER="no-such-pager")


def test_a_transcript_shows_control_characters_instead_of_obeying_them(home: Path) -> None:
    with SessionDB() as db:
        db.append_message(AUTH, "assistant", "\x1b]0;owned\x07 \x1b[2J")
    for action in (["show", AUTH], ["export", "-", "--format", "md"], ["list", "--json"]):
        text = COLOUR.sub("", on_terminal("sessions", *action, PAGER="cat"))
        assert "\x1b" not in text
        assert "\x07" not in text


def test_a_progress_bar_is_drawn_on_a_terminal_and_gone_at_the_end(home: Path) -> None:
    with SessionDB() as db:
        for number in range(40):
            db.create_session(f"filler-{number}", "cli")
            db.append_message(f"filler-{number}", "user", "words to export " * 200)
    seen = on_terminal("sessions", "export", "all.jsonl")
    assert "Exporting [" in seen
    assert re.sub(r".*\r\x1b\[K", "", seen, flags=re.DOTALL) == "Exported 45 sessions to all.jsonl\n"


def test_a_question_is_asked_and_the_typed_answer_counts(home: Path) -> None:
    seen = on_terminal("sessions", "delete", AUTH, typed="y\n", columns=200)
    assert "and all its messages? [y/N] " in seen
    assert f"hermes sessions restore {AUTH}" in seen
