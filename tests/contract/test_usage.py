"""Usage: a ledger row per model call, exact totals, sums by model, day and source."""

from datetime import datetime
from typing import Any

import pytest

from hermes.errors import BadInput, SessionNotFound
from hermes.model.usage import COST_COLUMNS, COUNT_COLUMNS, Usage
from hermes_state import SessionDB


@pytest.fixture
def chat(db: SessionDB) -> SessionDB:
    db.create_session("s", "cli")
    return db


def totals(db: SessionDB, session_id: str = "s") -> dict[str, Any]:
    row = db.get_session(session_id)
    assert row is not None
    return {name: row[name] for name in (*COUNT_COLUMNS, *COST_COLUMNS) if row[name]}


def ledger(db: SessionDB, group: str = "session") -> list[dict[str, Any]]:
    rows = db.usage_by(group)  # type: ignore[arg-type]
    return [
        {name: value for name, value in row.items() if value and name not in ("cost_usd", "unpriced")} for row in rows
    ]


def test_counts_add_up(chat: SessionDB) -> None:
    chat.update_token_counts(
        "s", 10, 5, cache_read_tokens=3, cache_write_tokens=2, reasoning_tokens=1, api_call_count=1
    )
    chat.update_token_counts("s", input_tokens=1, output_tokens=2, api_call_count=1)
    expected = {
        "input_tokens": 11, "output_tokens": 7, "cache_read_tokens": 3, "cache_write_tokens": 2, "reasoning_tokens": 1,
        "api_call_count": 2,
    }  # fmt: skip
    assert totals(chat) == expected
    assert ledger(chat) == [{"session": "s", "session_count": 1, **expected}]


def test_absolute_counts_are_set_and_the_difference_goes_on_record(chat: SessionDB) -> None:
    chat.update_token_counts("s", 10, 5, api_call_count=2)
    chat.update_token_counts("s", 30, 2, api_call_count=7, absolute=True)
    assert totals(chat) == {"input_tokens": 30, "output_tokens": 2, "api_call_count": 7}
    assert ledger(chat) == [{"session": "s", "session_count": 1, **totals(chat)}]
    chat.update_token_counts("s", absolute=True)
    assert totals(chat) == {}


def test_costs_add_up_and_stay_unknown_until_one_is_known(chat: SessionDB) -> None:
    chat.update_token_counts("s", 1, 1)
    row = chat.get_session("s")
    assert row is not None
    assert (row["estimated_cost_usd"], row["actual_cost_usd"]) == (None, None)
    chat.update_token_counts("s", 1, 1, estimated_cost_usd=0.25)
    chat.update_token_counts("s", 1, 1, estimated_cost_usd=0.5, actual_cost_usd=0.125)
    chat.update_token_counts("s", 1, 1)
    assert totals(chat) == {
        "input_tokens": 4, "output_tokens": 4, "estimated_cost_usd": 0.75, "actual_cost_usd": 0.125,
    }  # fmt: skip


def test_an_absolute_call_without_a_cost_leaves_the_cost_alone(chat: SessionDB) -> None:
    chat.update_token_counts("s", 1, 1, estimated_cost_usd=0.75)
    chat.update_token_counts("s", 5, 5, absolute=True)
    assert totals(chat)["estimated_cost_usd"] == 0.75
    chat.update_token_counts("s", 5, 5, estimated_cost_usd=0.5, actual_cost_usd=0.25, absolute=True)
    assert totals(chat) == {
        "input_tokens": 5, "output_tokens": 5, "estimated_cost_usd": 0.5, "actual_cost_usd": 0.25,
    }  # fmt: skip
    assert ledger(chat) == [{"session": "s", "session_count": 1, **totals(chat)}]


def test_a_missing_session_is_created(db: SessionDB) -> None:
    db.update_token_counts("fresh", 10, 5, model="m1", billing_provider="p")
    row = db.get_session("fresh")
    assert row is not None
    assert (row["source"], row["model"], row["input_tokens"], row["billing_provider"]) == ("unknown", "m1", 10, "p")


def test_model_and_billing_fill_only_what_is_empty_and_cost_notes_follow_the_latest(chat: SessionDB) -> None:
    chat.update_token_counts(
        "s", 1, model="m1", billing_provider="p1", billing_mode="api", cost_status="estimated", cost_source="table",
        pricing_version="1",
    )  # fmt: skip
    chat.update_token_counts(
        "s", 1, model="m2", billing_provider="p2", billing_base_url="https://x", billing_mode="sub",
        cost_status="final",
    )  # fmt: skip
    row = chat.get_session("s")
    assert row is not None
    names = ("model", "billing_provider", "billing_base_url", "billing_mode", "cost_status", "cost_source")
    assert [row[name] for name in names] == ["m1", "p1", "https://x", "api", "final", "table"]
    assert row["pricing_version"] == "1"
    assert {entry["model"] for entry in ledger(chat, "model")} == {"m1", "m2"}  # each call under its own


def test_record_usage_needs_a_session(chat: SessionDB) -> None:
    chat.record_usage("s", Usage(input_tokens=4, api_call_count=1, model="m"))
    assert totals(chat) == {"input_tokens": 4, "api_call_count": 1}
    with pytest.raises(SessionNotFound):
        chat.record_usage("nowhere", Usage(input_tokens=4))


def test_nothing_used_is_nothing_on_record(chat: SessionDB) -> None:
    chat.update_token_counts("s", model="m", billing_provider="p")
    assert ledger(chat) == []
    row = chat.get_session("s")
    assert row is not None
    assert (row["model"], row["billing_provider"]) == ("m", "p")


def test_usage_is_summed_by_model_day_and_source_costliest_first(db: SessionDB) -> None:
    db.create_session("a", "cli")
    db.create_session("b", "telegram", user_id="u")
    day1, day2 = (datetime(2025, 3, day, 12).timestamp() for day in (5, 6))
    db.record_usage("a", Usage(10, 1, estimated_cost_usd=1.0, api_call_count=1, model="big"), at=day1)
    db.record_usage("a", Usage(20, 2, estimated_cost_usd=0.25, api_call_count=1, model="small"), at=day1)
    db.record_usage("b", Usage(30, 3, estimated_cost_usd=9.0, actual_cost_usd=0.5, model="small"), at=day2)
    assert [(r["model"], r["input_tokens"], r["session_count"]) for r in db.usage_by("model")] == [
        ("big", 10, 1), ("small", 50, 2),
    ]  # fmt: skip
    assert [(r["day"], r["input_tokens"], r["estimated_cost_usd"]) for r in db.usage_by("day")] == [
        ("2025-03-05", 30, 1.25), ("2025-03-06", 30, 9.0),
    ]  # fmt: skip
    assert [(r["source"], r["output_tokens"]) for r in db.usage_by("source")] == [("cli", 3), ("telegram", 3)]
    assert [(r["owner"], r["actual_cost_usd"]) for r in db.usage_by("owner")] == [("local", None), ("telegram:u", 0.5)]
    assert [r["source"] for r in db.usage_by("source", after=day2)] == ["telegram"]
    assert [r["source"] for r in db.usage_by("source", before=day2)] == ["cli"]
    assert db.usage_by("provider", after=day2 + 1) == []


def test_usage_stays_where_it_was_spent(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.update_token_counts("s", 10, estimated_cost_usd=1.0)
    db.split_session("s", "t")
    db.update_token_counts("t", 5, estimated_cost_usd=0.5)
    assert (totals(db)["input_tokens"], totals(db, "t")["input_tokens"]) == (10, 5)
    assert db.list_sessions_rich()[0]["estimated_cost_usd"] == 1.5


def test_usage_of_others_is_not_seen(db: SessionDB) -> None:
    db.create_session("a", "telegram", user_id="alice")
    db.create_session("b", "telegram", user_id="bob")
    db.update_token_counts("a", 10, model="m")
    db.update_token_counts("b", 5, model="m")
    assert [row["input_tokens"] for row in db.scoped("telegram:alice").usage_by("model")] == [10]


@pytest.mark.parametrize(
    "bad",
    [{"input_tokens": "5"}, {"input_tokens": 1.5}, {"output_tokens": None}, {"api_call_count": True},
     {"input_tokens": 2**62}, {"estimated_cost_usd": "1"}, {"actual_cost_usd": float("nan")}, {"model": 5},
     {"cost_status": "\ud800"}, {"estimated_cost_usd": float("inf")}, {"billing_mode": b"x"}],
)  # fmt: skip
def test_impossible_usage_is_refused(chat: SessionDB, bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        chat.update_token_counts("s", **bad)
    assert totals(chat) == {}
    assert ledger(chat) == []


def test_usage_is_grouped_by_what_the_ledger_has(db: SessionDB) -> None:
    for group in ("title", "", None, "model; DROP TABLE usage"):
        with pytest.raises(BadInput):
            db.usage_by(group)  # type: ignore[arg-type]
