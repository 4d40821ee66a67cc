"""`hermes insights`: what the last days looked like, on a terminal, for programs, and as a page."""

import json
import re
import stat
from datetime import datetime, timedelta
from pathlib import Path
from shlex import split
from xml.etree import ElementTree

import pytest

from hermes.cli.width import width
from hermes.model.usage import Usage
from hermes.store import SessionDB
from tests.stories.test_cli_terminal import COLOUR, on_terminal
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes, refused, session, spawn

MORNING = datetime.now().replace(hour=0, minute=5, second=0, microsecond=0)


def day(ago: int) -> float:
    return (MORNING - timedelta(days=ago)).timestamp()


@pytest.fixture
def home(hermes_home: Path) -> Path:
    """Three days in a row, a gap, a fourth; two platforms, two models, one of them without a price."""
    with SessionDB() as db:
        for number, ago in enumerate((0, 1, 2, 9)):
            session(db, f"s{number}", "cli", f"title <{number}>", ["What now?", "This."], day(ago))
            usage = Usage(1000, 200, cache_read_tokens=300, api_call_count=2, estimated_cost_usd=0.25, model="big")
            db.record_usage(f"s{number}", usage, at=day(ago))
        session(db, "t", "telegram", None, ["天気は?"] * 6, day(1))
        db.record_usage("t", Usage(500, 100, api_call_count=1, model="local/llama"), at=day(1))
        calls = [
            {"id": "1", "function": {"name": "terminal", "arguments": "{}"}},
            {"id": "2", "function": {"name": "skill_view", "arguments": '{"name": "release-notes"}'}},
        ]
        db.append_message("s0", "assistant", None, tool_calls=calls, timestamp=day(0))
    return hermes_home


def test_the_figures_are_exact(home: Path, hermes: Hermes) -> None:
    figures = json.loads(hermes("insights", "--json").out)
    assert figures["overview"] == {
        "conversations": 5, "messages": 15, "requests": 7, "tool_calls": 2, "model_calls": 9, "tokens": 6600,
        "input_tokens": 4500, "output_tokens": 900, "cache_read_tokens": 1200, "cache_write_tokens": 0,
        "cost_usd": 1.0, "unpriced": 1, "active_days": 4, "longest_streak": 3, "current_streak": 3,
    }  # fmt: skip
    assert [(row["model"], row["tokens"], row["cost_usd"]) for row in figures["models"]] == [
        ("big", 6000, 1.0), ("local/llama", 600, None),
    ]  # fmt: skip
    assert [(row["source"], row["messages"], row["conversations"]) for row in figures["sources"]] == [
        ("cli", 9, 4), ("telegram", 6, 1),
    ]  # fmt: skip
    assert len(figures["daily"]) == 30
    assert [row["messages"] for row in figures["daily"]][-10:] == [2, 0, 0, 0, 0, 0, 0, 2, 8, 3]
    assert figures["skills"] == [{"skill": "release-notes", "calls": 1, "sessions": 1}]
    assert figures["hours"][0] == {"hour": 0, "messages": 15}
    assert sum(row["messages"] for row in figures["weekdays"]) == sum(map(sum, figures["grid"])) == 15
    assert {row["measure"]: row["id"] for row in figures["notable"]}["messages"] == "t"


def test_skills_and_memory_are_shown(home: Path, hermes: Hermes, tmp_path: Path) -> None:
    with SessionDB() as db:
        calls = [
            {"id": "1", "function": {"name": "memory", "arguments": '{"action": "add", "target": "user"}'}},
            {"id": "2", "function": {"name": "session_search", "arguments": '{"query": "tea"}'}},
        ]
        for session_id in ("s0", "t"):
            db.append_message(session_id, "assistant", None, tool_calls=calls, timestamp=day(0))
    (home / "memories").mkdir()
    (home / "memories" / "USER.md").write_text("Likes <tea>.")
    hermes("memory", "setup", "sessions")
    told = hermes("insights").out
    assert re.search(r"^Skills .*\nrelease-notes ", told, re.MULTILINE)
    assert (
        "Memory\nWhat it knows about you: 1 entry, 12 of 1,375 characters\nNotes written: 2 times\n"
        "Looked up in the past: 2 times\nProvider: sessions\n"
    ) in told
    memory = json.loads(hermes("insights", "--json").out)["memory"]
    assert (memory["written"], memory["looked_up"], memory["provider"]) == (2, 2, "sessions")
    assert [one["entries"] for one in memory["targets"]] == [0, 1]
    hermes("insights", "--html", str(tmp_path / "page.html"))
    assert "<td>Notes written</td><td>2 times</td>" in (tmp_path / "page.html").read_text()
    elsewhere = hermes("insights", "--source", "telegram").out
    assert "Notes written: 1 time\n" in elsewhere
    assert "What it knows about you" not in elsewhere


def test_where_nothing_is_remembered_there_is_no_section(home: Path, hermes: Hermes) -> None:
    assert "Memory" not in hermes("insights").out


def test_only_the_days_and_the_source_asked_for(home: Path, hermes: Hermes) -> None:
    assert json.loads(hermes("insights", "--days", "1", "--json").out)["overview"]["messages"] == 3
    telegram = json.loads(hermes("insights", "--source", "telegram", "--json").out)
    assert (telegram["overview"]["messages"], telegram["overview"]["cost_usd"]) == (6, None)


def test_a_cost_nobody_knows_is_unknown(home: Path, hermes: Hermes) -> None:
    told = hermes("insights").out
    assert "Cost: $1.00, and 1 call unknown\n" in told
    assert re.search(r"^local/llama .* unknown$", told, re.MULTILINE)
    assert "Cost: unknown\n" in hermes("insights", "--source", "telegram").out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_bars_are_aligned_and_fit(home: Path, columns: int) -> None:
    drawn = COLOUR.sub("", on_terminal("insights", columns=columns)).splitlines()
    for heading, rows in (("Models", 3), ("Sources", 3), ("Weekdays", 8)):
        start = next(place for place, line in enumerate(drawn) if line.startswith(heading))
        widths = {width(line) for line in drawn[start : start + rows]}
        assert widths == {min(columns, 80)}, drawn[start : start + rows]


def test_without_colour_nothing_is_coloured(home: Path) -> None:
    assert COLOUR.search(on_terminal("insights"))
    plain = on_terminal("insights", NO_COLOR="1")
    assert "\x1b" not in plain
    assert "█" in plain


def test_other_encodings_get_plain_bars(home: Path) -> None:
    told = spawn("insights", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert told.code == 0
    assert "##" in told.out
    assert "\\u25" not in told.out


def test_the_page_needs_nothing_else_and_shows_every_figure(home: Path, hermes: Hermes, tmp_path: Path) -> None:
    page = tmp_path / "insights.html"
    assert hermes("insights", "--html", str(page)).out == f"Wrote {page}; open it in a browser.\n"
    text = page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "<script" not in text
    assert re.findall(r"(?:src|href|url)\s*[=(]", text) == []
    charts = [ElementTree.fromstring(chart) for chart in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    assert len(charts) == 8  # tokens, cost, messages, models, sources, when, tools, skills
    assert len(charts[0].findall("rect")) == 30
    assert "title &lt;" in text
    assert "title <" not in text
    assert "unknown" in text


def test_a_page_never_takes_the_place_of_another_file(home: Path, hermes: Hermes, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    assert "exists" in refused(hermes("insights", "--html", str(tmp_path / "page.html")), 2)
    assert (tmp_path / "page.html").read_text() == "mine"
    assert hermes("insights", "--html", str(tmp_path / "page.html"), "--force").code == 0


def test_nothing_at_all_is_told_in_one_line(hermes: Hermes) -> None:
    assert hermes("insights", "--days", "7").out == "Nothing happened in the last 7 days.\n"
    assert hermes("insights", "--source", "irc").out == "Nothing happened on irc in the last 30 days.\n"


@pytest.mark.parametrize("days", ["0", "-1", "99999999"])
def test_impossible_days_are_refused(home: Path, hermes: Hermes, days: str) -> None:
    assert "--days" in refused(hermes("insights", "--days", days), 2)


def test_all_days_there_can_be_are_counted(home: Path, hermes: Hermes) -> None:
    assert json.loads(hermes("insights", "--days", "36500", "--json").out)["overview"]["messages"] == 15
    assert hermes("insights", "--days", "36500").code == 0


def test_every_command_of_the_guide_works(
    home: Path, hermes: Hermes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(examples(GUIDES / "insights.md"))
    assert len(found) == 5
    for example in found:
        assert hermes(*split(example.command)[1:]).code == 0, example
    assert (tmp_path / "year.html").exists()
