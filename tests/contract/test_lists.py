"""Lists: which rows, in which order, with what in them."""

from typing import Any

import pytest

from hermes.errors import BadInput
from hermes.store.base import ListQuery
from hermes_state import SessionDB


def make(db: SessionDB, session_id: str, start: float, *said: tuple[float, str], **details: Any) -> None:
    db.create_session(session_id, details.pop("source", "cli"), started_at=start, **details)
    for at, text in said:
        db.append_message(session_id, "user", text, timestamp=at)


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


@pytest.fixture
def shelf(db: SessionDB) -> SessionDB:
    """A root, a compressed chain with delegated work inside, a branch, and sessions of other platforms."""
    make(db, "old", 100, (500, "came back to this"))
    make(db, "root", 200, (201, "first question"), source="telegram", user_id="u", model="m1")
    db.append_message("root", "assistant", "x", tool_calls=[{"id": 1}], timestamp=202)
    db.update_token_counts("root", 100, 10, estimated_cost_usd=1.0, api_call_count=1, cache_read_tokens=7)
    db.set_session_title("root", "talk")
    db.split_session("root", "tip", [{"role": "user", "content": "summary", "timestamp": 300}])
    db.update_model("tip", "m2")
    db.update_token_counts("tip", 50, 5, estimated_cost_usd=0.5, actual_cost_usd=0.25, api_call_count=2)
    make(db, "helper", 350, (351, "delegated"), parent_session_id="tip", source="subagent")
    make(db, "trunk", 400, (401, "before the fork"))
    db.branch_session("trunk", "branch")
    make(db, "cron_x_1", 450, (451, "tick"), source="cron")
    return db


def test_a_list_is_conversations_newest_start_first(shelf: SessionDB) -> None:
    assert ids(shelf.list_sessions_rich()) == ["branch", "cron_x_1", "trunk", "tip", "old"]


def test_by_last_activity(shelf: SessionDB) -> None:
    assert ids(shelf.list_sessions_rich(order_by_last_active=True)) == ["old", "cron_x_1", "branch", "trunk", "tip"]


def test_rows_have_every_column_a_preview_and_the_last_activity(shelf: SessionDB) -> None:
    row = shelf.list_sessions_rich()[-1]
    session = shelf.get_session("old")
    assert session is not None
    assert row == session | {"preview": "came back to this", "last_active": 500.0}


def test_a_compressed_root_shows_as_its_tip_with_the_sums_of_the_chain(shelf: SessionDB) -> None:
    row = next(row for row in shelf.list_sessions_rich() if row["id"] == "tip")
    tip = shelf.get_session("tip")
    assert tip is not None
    of_the_tip = ("title", "model", "message_count", "tool_call_count", "ended_at", "end_reason")
    assert {name: row[name] for name in of_the_tip} == {name: tip[name] for name in of_the_tip}
    assert (row["preview"], row["last_active"], row["title"], row["model"]) == ("summary", 300.0, "talk #2", "m2")
    assert (row["started_at"], row["source"], row["parent_session_id"], row["_lineage_root_id"]) == (
        200.0, "telegram", None, "root",
    )  # fmt: skip
    assert (row["input_tokens"], row["output_tokens"], row["cache_read_tokens"], row["api_call_count"]) == (
        150, 15, 7, 3,
    )  # fmt: skip
    assert (row["estimated_cost_usd"], row["actual_cost_usd"]) == (1.5, 0.25)


def test_only_chains_have_a_lineage_root(shelf: SessionDB) -> None:
    assert [row["id"] for row in shelf.list_sessions_rich() if "_lineage_root_id" in row] == ["tip"]


def test_without_projection_the_roots_show_as_they_are(shelf: SessionDB) -> None:
    rows = shelf.list_sessions_rich(project_compression_tips=False)
    assert ids(rows) == ["branch", "cron_x_1", "trunk", "root", "old"]
    root = next(row for row in rows if row["id"] == "root")
    assert (root["input_tokens"], root["title"], root["preview"]) == (100, "talk", "first question")
    assert "_lineage_root_id" not in root


@pytest.mark.parametrize("project", [True, False])
def test_with_children_every_session_is_a_row_of_its_own(shelf: SessionDB, project: bool) -> None:
    rows = shelf.list_sessions_rich(include_children=True, project_compression_tips=project)
    assert sorted(ids(rows)) == ["branch", "cron_x_1", "helper", "old", "root", "tip", "trunk"]
    by_id = {row["id"]: row for row in rows}
    assert (by_id["root"]["input_tokens"], by_id["tip"]["input_tokens"]) == (100, 50)
    assert by_id["tip"]["parent_session_id"] == "root"
    assert not any("_lineage_root_id" in row for row in rows)
    starts = [row["started_at"] for row in rows]
    assert starts == sorted(starts, reverse=True)
    assert ids(shelf.list_sessions_rich(source="telegram", include_children=True)) == ["tip", "root"]
    assert ids(shelf.scoped("telegram:u").list_sessions_rich(include_children=True)) == ["tip", "helper", "root"]


def test_lists_filter_by_source(shelf: SessionDB) -> None:
    assert ids(shelf.list_sessions_rich(source="telegram")) == ["tip"]
    assert ids(shelf.list_sessions_rich(source="nothing")) == []
    assert ids(shelf.list_sessions_rich(exclude_sources=["cron", "telegram"])) == ["branch", "trunk", "old"]
    assert ids(shelf.list_sessions_rich(exclude_sources="cron")) == ["branch", "trunk", "tip", "old"]
    assert ids(shelf.list_sessions_rich(source="cli", exclude_sources=["cli"])) == []
    assert ids(shelf.list_sessions_rich(source="cli", order_by_last_active=True)) == ["old", "branch", "trunk"]


def test_lists_page_without_gaps_or_repeats(shelf: SessionDB) -> None:
    for options in ({}, {"order_by_last_active": True}, {"include_children": True}, {"exclude_sources": ["cron"]}):
        whole = ids(shelf.list_sessions_rich(limit=100, **options))
        paged = [i for n in range(0, 12, 2) for i in ids(shelf.list_sessions_rich(limit=2, offset=n, **options))]
        assert paged == whole
    assert shelf.list_sessions_rich(limit=0) == []
    assert len(shelf.list_sessions_rich(limit=2**31 - 1)) == 5


def test_twenty_rows_unless_asked(db: SessionDB) -> None:
    for n in range(25):
        make(db, f"s{n:02}", n)
    assert ids(db.list_sessions_rich()) == [f"s{n:02}" for n in range(24, 4, -1)]
    assert ids(db.search_sessions()) == [f"s{n:02}" for n in range(24, 4, -1)]


def test_equal_times_come_newest_created_first(db: SessionDB) -> None:
    for session_id in ("b", "c", "a"):
        make(db, session_id, 100)
    assert ids(db.list_sessions_rich()) == ids(db.list_sessions_rich(order_by_last_active=True)) == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("said", "preview"),
    [("x" * 60, "x" * 60), ("x" * 61, "x" * 60 + "..."), ("a\n b\t\tc", "a b c"), ("   lead", "lead"), ("", ""),
     ("漢字" * 40, "漢字" * 30 + "..."), ("half \ud800 and \0", "half \ufffd and \ufffd"),
     ("a" + " " * 5000 + "b", "a b"), ("x" * 20_000, "x" * 60 + "..."),
     ([{"type": "text", "text": "look at"}, {"type": "image_url", "image_url": {"url": ""}}, "this"], "look at this"),
     ([{"type": "image_url", "image_url": {"url": "data:"}}], ""), ({"type": "text", "text": "one part"}, "one part")],
)  # fmt: skip
def test_the_preview_is_the_first_thing_the_user_said_on_one_line(db: SessionDB, said: Any, preview: str) -> None:
    make(db, "s", 1)
    db.append_message("s", "system", "not this")
    db.append_message("s", "assistant", "nor this")
    db.append_message("s", "user", None)
    last = db.append_message("s", "user", said)
    db.append_message("s", "user", "nor what came later")
    assert db.list_sessions_rich()[0]["preview"] == preview
    db.delete_messages_from("s", last + 1)  # made anew from the rows
    assert db.list_sessions_rich()[0]["preview"] == preview


def test_first_is_by_time_as_the_documented_query_has_it(db: SessionDB) -> None:
    make(db, "s", 1, (50, "said second"), (60, "said third"))
    db.append_message("s", "user", "imported: said first", timestamp=40)
    assert db.list_sessions_rich()[0]["preview"] == "imported: said first"
    db.append_messages("s", [{"role": "user", "content": "later", "timestamp": 70},
                             {"role": "user", "content": "even earlier", "timestamp": 30}])  # fmt: skip
    assert db.list_sessions_rich()[0]["preview"] == "even earlier"


def test_last_activity_is_the_latest_message_or_the_start(db: SessionDB) -> None:
    make(db, "s", 1000)
    assert db.list_sessions_rich()[0]["last_active"] == 1000.0
    db.append_message("s", "user", "from an old file", timestamp=50)
    assert db.list_sessions_rich()[0]["last_active"] == 50.0
    db.append_message("s", "user", "b", timestamp=70)
    last = db.append_message("s", "user", "c", timestamp=60)
    assert db.list_sessions_rich()[0]["last_active"] == 70.0
    db.delete_messages_from("s", last - 1)
    assert db.list_sessions_rich()[0]["last_active"] == 50.0


def test_delegated_children_of_a_session_that_is_branched_later_stay_out_of_the_list(db: SessionDB) -> None:
    make(db, "s", 100)
    make(db, "helper", 110, parent_session_id="s")
    db.end_session("s", "branched")
    ended = db.get_session("s")
    assert ended is not None
    make(db, "by-hand", ended["ended_at"], parent_session_id="s")
    assert ids(db.list_sessions_rich()) == ["by-hand", "s"]


def test_a_delegated_child_that_is_compressed_stays_out_of_the_list(db: SessionDB) -> None:
    make(db, "s", 100)
    make(db, "helper", 110, parent_session_id="s")
    db.split_session("helper", "helper2")
    assert ids(db.list_sessions_rich()) == ["s"]
    assert len(db.list_sessions_rich(include_children=True)) == 3


def test_search_sessions_shows_sessions_of_every_kind_by_activity(shelf: SessionDB) -> None:
    rows = shelf.search_sessions()
    assert ids(rows) == ["old", "cron_x_1", "branch", "trunk", "helper", "tip", "root"]
    assert [row["last_active"] for row in rows] == [500.0, 451.0, 401.0, 401.0, 351.0, 300.0, 202.0]
    assert "preview" not in rows[0]
    assert rows[5]["input_tokens"] == 50  # its own, not the chain's
    assert ids(shelf.search_sessions(source="telegram")) == ["tip", "root"]
    assert ids(shelf.search_sessions(limit=2, offset=1)) == ["cron_x_1", "branch"]


def test_statistics_count_sessions_messages_and_sources(shelf: SessionDB) -> None:
    assert shelf.stats() == {
        "sessions": 7,
        "messages": 8,
        "sources": {"cli": 3, "telegram": 2, "cron": 1, "subagent": 1},
    }
    assert shelf.database_size() > 0


def test_conversations_filter_by_time(shelf: SessionDB) -> None:
    assert ids(shelf.list_conversations(ListQuery(after=200, before=450))) == ["trunk", "tip"]
    assert ids(shelf.list_conversations(ListQuery(order="active", after=401))) == ["old", "cron_x_1", "branch", "trunk"]
    assert ids(shelf.list_conversations(ListQuery(sources=["cron", "telegram"]))) == ["cron_x_1", "tip"]
    assert shelf.list_conversations(ListQuery(shelf="trash")) == []


@pytest.mark.parametrize(
    "query",
    [None, {}, ListQuery(order="size"), ListQuery(shelf="attic"), ListQuery(limit=-1), ListQuery(limit=1.5),
     ListQuery(offset=-1), ListQuery(sources=5), ListQuery(sources=["\ud800"]), ListQuery(after="now"),
     ListQuery(before=float("nan")), ListQuery(tag=7)],
)  # fmt: skip
def test_an_impossible_list_is_refused(db: SessionDB, query: Any) -> None:
    with pytest.raises(BadInput):
        db.list_conversations(query)


def test_lists_work_with_hundreds_of_sources_and_owners(db: SessionDB) -> None:
    with db.transaction() as tx:
        for n in range(300):
            tx.create_session(f"s{n:03}", f"platform-{n}", user_id="u", started_at=float(n))
            tx.link_identity(f"platform-{n}:u", "me")
    assert len(db.list_sessions_rich(exclude_sources=["platform-0"], include_children=True, limit=1000)) == 299
    mine = db.scoped("platform-5:u")
    assert len(mine.list_sessions_rich(limit=1000)) == 300
    assert ids(mine.list_sessions_rich(exclude_sources=["platform-299"], limit=2)) == ["s298", "s297"]
