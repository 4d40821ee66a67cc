"""Sessions: create, ensure, end, reopen, get, resolve, prompt, model."""

import json
import time

import pytest

from hermes.errors import BadInput, SessionNotFound
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend

DOCUMENTED_COLUMNS = [
    "id", "source", "user_id", "model", "model_config", "system_prompt", "parent_session_id", "started_at", "ended_at",
    "end_reason", "message_count", "tool_call_count", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_tokens", "reasoning_tokens", "billing_provider", "billing_base_url", "billing_mode",
    "estimated_cost_usd", "actual_cost_usd", "cost_status", "cost_source", "pricing_version", "title", "api_call_count",
]  # fmt: skip


def test_create_returns_the_id_and_get_shows_every_documented_column(db: SessionDB) -> None:
    before = time.time()
    created = db.create_session(
        session_id="sess_abc123",
        source="cli",
        model="anthropic/claude-sonnet-4.6",
        model_config={"temperature": 0.5, "名": "值"},
        system_prompt="You are a CLI AI Agent...",
        user_id="user_1",
        parent_session_id=None,
    )
    row = db.get_session("sess_abc123")
    assert created == "sess_abc123"
    assert row is not None
    assert list(row)[: len(DOCUMENTED_COLUMNS)] == DOCUMENTED_COLUMNS
    assert row["source"] == "cli"
    assert row["model"] == "anthropic/claude-sonnet-4.6"
    assert json.loads(row["model_config"]) == {"temperature": 0.5, "名": "值"}
    assert row["system_prompt"] == "You are a CLI AI Agent..."
    assert row["user_id"] == "user_1"
    assert before <= row["started_at"] <= time.time()
    assert [row[name] for name in ("message_count", "tool_call_count", "input_tokens", "api_call_count")] == [
        0,
        0,
        0,
        0,
    ]
    assert [row[name] for name in ("parent_session_id", "ended_at", "end_reason", "title", "estimated_cost_usd")] == [
        None
    ] * 5


def test_rows_show_no_bookkeeping_columns(db: SessionDB) -> None:
    db.create_session("s", "cli", system_prompt="long " * 1000)
    row = db.get_session("s")
    assert row is not None
    assert not {"prompt_payload", "opening", "active_at", "begun_at", "shelf"} & set(row)


def test_second_create_of_the_same_id_changes_nothing(db: SessionDB) -> None:
    db.create_session("s", "cli", model="first", system_prompt="one")
    before = db.get_session("s")
    assert db.create_session("s", "telegram", model="second", user_id="7", system_prompt="two") == "s"
    assert db.get_session("s") == before
    assert db.session_count() == 1


def test_ensure_creates_once_with_an_unknown_source(db: SessionDB) -> None:
    assert db.ensure_session("s") == "s"
    assert db.ensure_session("s", "cli", "model-x") == "s"
    row = db.get_session("s")
    assert row is not None
    assert (row["source"], row["model"]) == ("unknown", None)


def test_ensure_takes_the_details_of_create(db: SessionDB) -> None:
    db.create_session("parent", "telegram", user_id="7")
    db.ensure_session("s", "telegram", "m", user_id="7", parent_session_id="parent", system_prompt="p")
    row = db.get_session("s")
    assert row is not None
    assert (row["model"], row["user_id"], row["parent_session_id"], row["system_prompt"]) == ("m", "7", "parent", "p")


def test_missing_parent_is_an_error_and_nothing_is_created(db: SessionDB) -> None:
    with pytest.raises(SessionNotFound, match="nowhere"):
        db.create_session("s", "cli", parent_session_id="nowhere")
    assert db.get_session("s") is None


@pytest.mark.parametrize("source", [None, "", "  ", 3, "a\nb", "x" * 101, "\ud800"])
def test_missing_or_impossible_source_is_an_error(db: SessionDB, source: object) -> None:
    with pytest.raises(BadInput):
        db.create_session("s", source)  # type: ignore[arg-type]
    assert db.session_count() == 0


@pytest.mark.parametrize("source", ["cli", "telegram", "api-server", "homeassistant", "my-own platform ✨"])
def test_known_and_unknown_sources_are_accepted(db: SessionDB, source: str) -> None:
    db.create_session("s", source)
    assert db.session_count(source) == 1


@pytest.mark.parametrize(
    "session_id",
    ["20250305_091523_a1b2c3", "20250305_091523_a1b2c3d4", "cron_daily_20250305_040000", "sess_abc123",
     "0f9a7c1e-8d6b-4a4e-9b0f-1f2e3d4c5b6a", "agent:main:telegram:dm:42", "日本語", "x" * 200],
)  # fmt: skip
def test_every_documented_form_of_id_is_accepted(db: SessionDB, session_id: str) -> None:
    assert db.create_session(session_id, "cli") == session_id
    assert db.resolve_session_id(session_id) == session_id


@pytest.mark.parametrize(
    "session_id",
    ["", None, 5, "../config", "a/b", "a\\b", "a*", "a?", "[a]", ".hidden", "-r", " a", "a ", "a\nb", "a\0b", "\ud800",
     "x" * 201, "a\u2028b"],
)  # fmt: skip
def test_an_id_that_could_be_a_path_a_glob_or_an_option_is_refused(db: SessionDB, session_id: object) -> None:
    with pytest.raises(BadInput):
        db.create_session(session_id, "cli")  # type: ignore[arg-type]
    assert db.session_count() == 0


def test_the_first_end_reason_stays_until_reopened(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.end_session("s", end_reason="user_exit")
    first = db.get_session("s")
    db.end_session("s", "timeout")
    assert db.get_session("s") == first
    db.reopen_session("s")
    reopened = db.get_session("s")
    assert reopened is not None
    assert (reopened["ended_at"], reopened["end_reason"]) == (None, None)
    db.end_session("s", "timeout")
    again = db.get_session("s")
    assert again is not None
    assert again["end_reason"] == "timeout"


def test_a_session_never_ends_before_it_started(db: SessionDB) -> None:
    db.create_session("s", "cli", started_at=4e9)  # the clock ran ahead, then was set back
    db.end_session("s", "user_exit")
    row = db.get_session("s")
    assert row is not None
    assert row["ended_at"] == 4e9


def test_get_of_a_missing_session_is_none(db: SessionDB) -> None:
    assert db.get_session("nowhere") is None
    assert db.get_session("") is None


@pytest.mark.parametrize(
    "method", ["end_session", "reopen_session", "update_system_prompt", "update_model", "clear_messages"]
)
def test_changing_a_missing_session_is_an_error(db: SessionDB, method: str) -> None:
    arguments = () if method in ("reopen_session", "clear_messages") else ("x",)
    with pytest.raises(SessionNotFound, match="nowhere"):
        getattr(db, method)("nowhere", *arguments)
    assert db.session_count() == 0


def test_an_id_resolves_by_itself_or_by_a_unique_prefix(db: SessionDB) -> None:
    for session_id in ("20250305_091523_a1b2c3", "20250305_091523_ffff00", "20250306_101500_a1b2c3", "ab", "abc"):
        db.create_session(session_id, "cli")
    assert db.resolve_session_id("20250306") == "20250306_101500_a1b2c3"
    assert db.resolve_session_id("20250305_091523_a") == "20250305_091523_a1b2c3"
    assert db.resolve_session_id("20250305") is None  # two of them
    assert db.resolve_session_id("ab") == "ab"  # an exact id wins over a longer one
    assert db.resolve_session_id("nope") is None
    assert db.resolve_session_id("") is None


def test_prefixes_know_no_wildcards(db: SessionDB) -> None:
    db.create_session("ab_1", "cli")
    db.create_session("abx1", "cli")
    assert db.resolve_session_id("ab_") == "ab_1"
    assert db.resolve_session_id("ab%") is None
    assert db.resolve_session_id("%") is None
    assert db.resolve_session_id("AB_") is None


def test_matching_ids_come_newest_first(db: SessionDB) -> None:
    for n in range(4):
        db.create_session(f"p{n}", "cli", started_at=100 + n)
    assert db.matching_session_ids("p") == ["p3", "p2", "p1", "p0"]
    assert db.matching_session_ids("p", limit=2) == ["p3", "p2"]
    assert db.matching_session_ids("p1") == ["p1"]


@pytest.mark.parametrize("prompt", ["short", "", "long " * 5000, "nul \0 and half \ud800 pair", "漢字" * 4000, None])
def test_prompt_snapshots_come_back_as_they_were(db: SessionDB, prompt: str | None) -> None:
    db.create_session("a", "cli", system_prompt=prompt)
    db.create_session("b", "cli", system_prompt="other " * 500)
    db.update_system_prompt("b", prompt)
    for session_id in ("a", "b"):
        row = db.get_session(session_id)
        assert row is not None
        assert row["system_prompt"] == prompt
    assert [row["system_prompt"] for row in db.list_sessions_rich()] == [prompt, prompt]
    assert [row["system_prompt"] for row in db.search_sessions()] == [prompt, prompt]


def test_a_shared_prompt_outlives_the_session_that_changes_to_another(db: SessionDB) -> None:
    shared = "the same long prompt " * 500
    db.create_session("a", "cli", system_prompt=shared)
    db.create_session("b", "cli", system_prompt=shared)
    db.update_system_prompt("a", "another")
    row = db.get_session("b")
    assert row is not None
    assert row["system_prompt"] == shared


def test_update_model_keeps_the_config_unless_given(db: SessionDB) -> None:
    db.create_session("s", "cli", model="a", model_config={"x": 1})
    db.update_model("s", "b")
    row = db.get_session("s")
    assert row is not None
    assert (row["model"], row["model_config"]) == ("b", '{"x": 1}')
    db.update_model("s", "c", {"y": 2})
    row = db.get_session("s")
    assert row is not None
    assert (row["model"], json.loads(row["model_config"])) == ("c", {"y": 2})


def test_session_count_is_by_source_or_all(db: SessionDB) -> None:
    for n in range(3):
        db.create_session(f"c{n}", "cli")
    db.create_session("t", "telegram")
    assert (db.session_count(), db.session_count("cli"), db.session_count(source="telegram")) == (4, 3, 1)
    assert db.session_count("slack") == 0


def test_what_was_stored_is_there_for_the_next_opener(backend: SqliteBackend) -> None:
    with backend.open() as db:
        db.create_session("s", "cli", system_prompt="p" * 5000)
        db.append_message("s", "user", "hello")
        stored = db.get_session("s"), db.get_messages("s")
    with backend.open() as db:
        assert (db.get_session("s"), db.get_messages("s")) == stored


def test_two_openers_see_each_others_writes_at_once(backend: SqliteBackend) -> None:
    with backend.open() as one, backend.open() as two:
        one.create_session("s", "cli")
        two.append_message("s", "user", "from two")
        one.append_message("s", "assistant", "from one")
        assert [row["content"] for row in two.get_messages("s")] == ["from two", "from one"]
        assert one.message_count("s") == two.message_count("s") == 2
