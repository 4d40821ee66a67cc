"""Insights: what happened in a period, and nothing from before it."""

import time
from typing import Any

import pytest

from hermes.errors import BadInput
from hermes.model.usage import Usage
from hermes.store.insights import MEASURES
from hermes_state import SessionDB

DAY = 86400.0
NOW = float(int(time.time()) // 900 * 900)
WEEK = NOW - 7 * DAY


def call(name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


def talk(db: SessionDB, session_id: str, at: float, source: str = "cli", user_id: str | None = None) -> None:
    db.create_session(session_id, source, started_at=at, user_id=user_id)
    db.append_message(session_id, "user", "a question", timestamp=at)
    db.append_message(session_id, "assistant", "an answer", timestamp=at + 60)


def test_activity_is_counted_by_quarter_of_an_hour_and_source(db: SessionDB) -> None:
    talk(db, "a", NOW - DAY)
    talk(db, "b", NOW - DAY, "telegram", "u")
    talk(db, "c", NOW - DAY + 900)
    quarter = int((NOW - DAY) // 900)
    assert db.insights(WEEK)["activity"] == [
        {"source": "cli", "quarter": quarter, "messages": 2, "requests": 1},
        {"source": "telegram", "quarter": quarter, "messages": 2, "requests": 1},
        {"source": "cli", "quarter": quarter + 1, "messages": 2, "requests": 1},
    ]


def test_of_an_old_conversation_that_went_on_only_the_new_part_counts(db: SessionDB) -> None:
    talk(db, "old", NOW - 30 * DAY)
    db.append_message("old", "user", "once more", timestamp=NOW - DAY)
    assert [row["messages"] for row in db.insights(WEEK)["activity"]] == [1]
    assert [row["messages"] for row in db.insights(WEEK, NOW - 2 * DAY)["activity"]] == []
    assert sum(row["messages"] for row in db.insights(NOW - 60 * DAY)["activity"]) == 3


def test_what_was_carried_along_counts_once(db: SessionDB) -> None:
    talk(db, "s", NOW - DAY)
    [first, *_] = [row["id"] for row in db.get_messages("s")]
    db.append_message("s", "assistant", None, tool_calls=[call("terminal")], timestamp=NOW - DAY)
    carried = [row["id"] for row in db.get_messages("s") if row["id"] >= first]
    db.split_session("s", "t", carried=carried)
    found = db.insights(WEEK)
    assert sum(row["messages"] for row in found["activity"]) == 3
    assert [row["calls"] for row in found["tools"]] == [1]
    assert found["conversations"] == {"cli": 1}


def test_tools_and_skills_are_counted_by_name(db: SessionDB) -> None:
    for session_id in ("a", "b"):
        talk(db, session_id, NOW - DAY)
        calls = [call("terminal"), call("terminal"), call("skill_view", '{"name": "release-notes"}')]
        db.append_message(session_id, "assistant", None, tool_calls=calls, timestamp=NOW - DAY)
    db.append_message("a", "assistant", None, tool_calls=[call("skill_view", "not JSON")], timestamp=NOW - DAY)
    assert db.insights(WEEK)["tools"] == [
        {"tool": "terminal", "skill": None, "calls": 4, "sessions": 2},
        {"tool": "skill_view", "skill": "release-notes", "calls": 2, "sessions": 2},
        {"tool": "skill_view", "skill": None, "calls": 1, "sessions": 1},
    ]


@pytest.mark.parametrize("odd", [[], {}, [1, None, "x"], {"name": "alone"}, [[call("nested")]], [{"function": 5}]])
def test_odd_tool_calls_break_nothing(db: SessionDB, odd: Any) -> None:
    talk(db, "a", NOW - DAY)
    db.append_message("a", "assistant", None, tool_calls=odd, timestamp=NOW - DAY)
    assert [row["tool"] for row in db.insights(WEEK)["tools"]] == (["alone"] if odd == {"name": "alone"} else [])


def test_the_ledger_tells_what_has_no_price(db: SessionDB) -> None:
    talk(db, "a", NOW - DAY)
    db.record_usage("a", Usage(10, 1, estimated_cost_usd=1.0, actual_cost_usd=0.75, model="priced"), at=NOW - DAY)
    db.record_usage("a", Usage(10, 1, estimated_cost_usd=0.5, model="priced"), at=NOW - DAY)
    db.record_usage("a", Usage(10, 1, model="local"), at=NOW - DAY)
    db.record_usage("a", Usage(10, 1, estimated_cost_usd=99.0, model="priced"), at=NOW - 30 * DAY)
    rows = db.insights(WEEK)["usage"]["model"]
    assert [(r["model"], r["cost_usd"], r["unpriced"]) for r in rows] == [("priced", 1.25, 0), ("local", None, 1)]


def test_notable_conversations_are_taken_as_a_whole(db: SessionDB) -> None:
    talk(db, "short", NOW - DAY)
    db.update_token_counts("short", 70, 5, estimated_cost_usd=0.5)
    talk(db, "long", NOW - 3 * DAY)
    db.update_token_counts("long", 50, 5)
    db.split_session("long", "longer")
    db.append_message("longer", "user", "on", timestamp=NOW - DAY)
    db.update_token_counts("longer", 30, 5)
    found = {measure: [(r["id"], r["amount"]) for r in rows] for measure, rows in db.insights(WEEK)["notable"].items()}
    assert found == {
        "messages": [("longer", 3)],
        "tool_calls": [],
        "tokens": [("longer", 90)],
        "cost": [("short", 0.5)],
        "duration": [("longer", 2 * DAY)],
    }
    assert tuple(found) == MEASURES
    assert len(db.insights(WEEK, notable=5)["notable"]["messages"]) == 2


def test_one_source_or_owner_alone(db: SessionDB) -> None:
    talk(db, "a", NOW - DAY)
    talk(db, "b", NOW - DAY, "telegram", "u")
    db.update_token_counts("a", 10, model="m1")
    db.update_token_counts("b", 10, model="m2")
    for found in (db.insights(WEEK, source="telegram"), db.scoped("telegram:u").insights(WEEK)):
        assert {row["source"] for row in found["activity"]} == {"telegram"}
        assert [row["model"] for row in found["usage"]["model"]] == ["m2"]
        assert found["conversations"] == {"telegram": 1}
        assert [row["id"] for row in found["notable"]["messages"]] == ["b"]


def test_what_is_in_the_trash_does_not_count_but_what_it_cost_does(db: SessionDB) -> None:
    talk(db, "a", NOW - DAY)
    db.update_token_counts("a", 10, model="m1")
    db.trash_session("a")
    found = db.insights(WEEK)
    assert (found["activity"], found["conversations"], found["notable"]["messages"]) == ([], {}, [])
    assert [row["input_tokens"] for row in found["usage"]["model"]] == [10]


@pytest.mark.parametrize("bad", [{"after": "x"}, {"after": 0, "before": "x"}, {"after": 0, "notable": -1}])
def test_impossible_periods_are_refused(db: SessionDB, bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        db.insights(**bad)
