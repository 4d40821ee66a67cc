"""Filters, orders and pages: the right rows, each once, people's before machines'."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hermes.errors import BadInput
from hermes_state import SessionDB
from tests.stories import stock

SOURCES = ("cli", "telegram", "discord", "cron", "subagent")
MACHINES = ("cron", "subagent")


@dataclass(frozen=True)
class Said:
    """A message as this test remembers it."""

    id: int
    session: str
    source: str
    owner: str
    role: str
    text: str
    timestamp: float
    tagged: bool = False
    archived: bool = False


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        yield store


@pytest.fixture(params=["indexed", "half", "behind"])
def said(request: pytest.FixtureRequest, db: SessionDB) -> list[Said]:
    """Sixty messages in ten sessions, some behind the index."""
    rng, rows = Random(7), []
    for number in range(10):
        user = f"u{number % 3}" if SOURCES[number % 5] in ("telegram", "discord") else None
        db.create_session(f"s{number}", SOURCES[number % 5], user_id=user, started_at=1000.0)
    if request.param == "behind":
        with db.transaction() as tx:
            rows = [_say(tx, rng, number) for number in range(30)]
        assert db.index_lag() == 30
    else:
        rows = [_say(db, rng, number) for number in range(45)]
        db.optimize()
        rows += [_say(db, rng, number) for number in range(45, 60 if request.param == "half" else 45)]
    db.tag_session("s1", add=["work"])
    db.tag_session("s6", add=["work"])
    db.archive_session("s2")
    return [
        Said(**{**row.__dict__, "tagged": row.session in ("s1", "s6"), "archived": row.session == "s2"}) for row in rows
    ]


def _say(db: Any, rng: Random, number: int) -> Said:
    session = rng.randrange(10)
    source = SOURCES[session % 5]
    owner = f"{source}:u{session % 3}" if source in ("telegram", "discord") else "local"
    text = " ".join(rng.sample(["apple", "pear", "plum", "数据", "::"], 3))
    role, at = rng.choice(["user", "assistant", "tool"]), 1000.0 + rng.randrange(100)
    row = db.append_message(f"s{session}", role, text, timestamp=at)
    return Said(row, f"s{session}", source, owner, role, text, at)


CASES: list[tuple[dict[str, Any], Callable[[Said], bool]]] = [
    ({}, lambda m: True),
    ({"source_filter": ["cli"]}, lambda m: m.source == "cli"),
    ({"source_filter": ["cli", "cron", "nowhere"]}, lambda m: m.source in ("cli", "cron")),
    ({"source_filter": "telegram"}, lambda m: m.source == "telegram"),
    ({"source_filter": []}, lambda m: False),
    ({"exclude_sources": ["telegram", "discord"]}, lambda m: m.source not in ("telegram", "discord")),
    ({"source_filter": ["cli"], "exclude_sources": ["cli"]}, lambda m: False),
    ({"role_filter": ["user"]}, lambda m: m.role == "user"),
    ({"role_filter": ["tool", "assistant"]}, lambda m: m.role != "user"),
    ({"session_id": "s3"}, lambda m: m.session == "s3"),
    ({"lineage_id": "s4"}, lambda m: m.session == "s4"),
    ({"exclude_lineages": ["s1", "s2"]}, lambda m: m.session not in ("s1", "s2")),
    ({"after": 1040.0}, lambda m: m.timestamp >= 1040),
    ({"before": 1040.0}, lambda m: m.timestamp < 1040),
    ({"after": 1020, "before": 1070}, lambda m: 1020 <= m.timestamp < 1070),
    ({"archived": True}, lambda m: m.archived),
    ({"archived": False}, lambda m: not m.archived),
    ({"tag": "work"}, lambda m: m.tagged),
    ({"tag": "nothing"}, lambda m: False),
    ({"tag": "work", "role_filter": "user"}, lambda m: m.tagged and m.role == "user"),
]  # fmt: skip
QUERIES: dict[str, Callable[[str], bool]] = {
    "apple": lambda text: "apple" in text,
    "数据": lambda text: "数据" in text,
    "数": lambda text: "数" in text,
    "::": lambda text: "::" in text,
    "apple 数据": lambda text: "apple" in text and "数据" in text,
    "apple NOT ::": lambda text: "apple" in text and "::" not in text,
    "(apple OR 数据) NOT pear": lambda text: ("apple" in text or "数据" in text) and "pear" not in text,
    ":: OR pl*": lambda text: "::" in text or "plum" in text,
}


@pytest.mark.parametrize("query", QUERIES)
def test_filters_let_through_exactly_what_they_say(db: SessionDB, said: list[Said], query: str) -> None:
    for filters, admits in CASES:
        wanted = {row.id for row in said if admits(row) and QUERIES[query](row.text)}
        for order in ("relevance", "newest", "oldest"):
            found = db.search_messages(query, limit=1000, order=order, **filters)
            assert sorted(row["id"] for row in found) == sorted(wanted), (filters, order)


@pytest.mark.parametrize("query", QUERIES)
def test_a_scope_sees_its_own_alone(db: SessionDB, said: list[Said], query: str) -> None:
    for owner in sorted({row.owner for row in said} | {"telegram:nobody"}):
        found = {row["id"] for row in db.scoped(owner).search_messages(query, limit=1000)}
        assert found == {row.id for row in said if row.owner == owner and QUERIES[query](row.text)}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("order", ["relevance", "newest", "oldest"])
def test_pages_join_without_gaps_or_doubles(db: SessionDB, said: list[Said], query: str, order: Any) -> None:
    whole = [row["id"] for row in db.search_messages(query, limit=1000, order=order)]
    for size in (1, 7):
        paged = [
            row["id"]
            for offset in range(0, len(whole) + size, size)
            for row in db.search_messages(query, limit=size, offset=offset, order=order)
        ]
        assert paged == whole
    assert len(set(whole)) == len(whole)
    if order != "relevance":
        assert whole == sorted(whole, reverse=order == "newest")


@pytest.mark.parametrize("query", QUERIES)
def test_people_come_before_machines(db: SessionDB, said: list[Said], query: str) -> None:
    machines = [row["source"] in MACHINES for row in db.search_messages(query, limit=1000)]
    assert machines == sorted(machines)
    assert True in machines
    assert False in machines


@pytest.mark.parametrize("query", ["apple", "数据", ":: OR plum"])
def test_one_per_lineage_is_the_best_of_each(db: SessionDB, said: list[Said], query: str) -> None:
    whole = db.search_messages(query, limit=1000)
    firsts = {row["lineage_id"]: row["id"] for row in reversed(whole)}
    found = db.search_messages(query, limit=1000, one_per_lineage=True)
    assert {row["lineage_id"]: row["id"] for row in found} == firsts
    assert len(found) == len(firsts)
    assert [row["id"] for row in found] == [row["id"] for row in whole if row["id"] in firsts.values()]


def test_a_delegated_child_ranks_below_people(db: SessionDB) -> None:
    db.create_session("parent", "cli")
    db.create_session("child", "cli", parent_session_id="parent")
    child = db.append_message("child", "user", "harbour harbour harbour")
    person = db.append_message("parent", "user", "a long sentence that mentions the harbour once")
    for _ in range(2):
        assert [row["id"] for row in db.search_messages("harbour")] == [person, child]
        db.optimize()


def test_a_branch_is_a_persons_conversation(db: SessionDB) -> None:
    db.create_session("origin", "cli")
    db.append_message("origin", "user", "something else")
    branch = db.branch_session("origin", "branch")
    said = db.append_message(branch, "user", "harbour harbour")
    db.create_session("job", "cron")
    job = db.append_message("job", "user", "harbour")
    assert [row["id"] for row in db.search_messages("harbour")] == [said, job]


def test_a_carried_message_is_found_once_and_goes_with_its_original(db: SessionDB) -> None:
    db.create_session("root", "cli")
    ids = [db.append_message("root", "user", f"lantern {number}") for number in range(4)]
    tip = db.split_session("root", "tip", carried=ids[2:])
    for _ in range(2):
        found = db.search_messages("lantern", limit=100)
        assert sorted(row["id"] for row in found) == ids
        assert {row["lineage_id"] for row in found} == {"root"}
        assert len(db.search_messages("lantern", one_per_lineage=True)) == 1
        assert db.search_messages("lantern", session_id=tip) == []
        db.optimize()
    db.delete_session("root")
    assert db.search_messages("lantern") == []


def test_what_is_in_the_trash_is_never_found(db: SessionDB) -> None:
    for name in ("kept", "gone"):
        db.create_session(name, "cli")
        db.append_message(name, "user", "lantern 数据 ::")
    db.optimize()
    stock.run(db.db_path, ("UPDATE sessions SET trashed_at = 5 WHERE id = 'gone'", []))
    for _ in range(2):
        for query in ("lantern", "数据", "::", "lantern OR 数", "lan*"):
            assert [row["session_id"] for row in db.search_messages(query)] == ["kept"], query
        assert [row["session_id"] for row in db.recall("where is the lantern?")] == ["kept"]
        db.append_message("gone", "user", "lantern 数据 ::")  # one behind the index


def test_relevance_prefers_the_shorter_text_with_more_of_the_word(db: SessionDB) -> None:
    db.create_session("s", "cli")
    once = db.append_message("s", "user", "a harbour, and much else: " + "boats and gulls and ropes " * 20)
    twice = db.append_message("s", "user", "harbour, harbour")
    db.append_messages("s", [{"role": "user", "content": f"nothing {n}"} for n in range(20)])
    db.optimize()
    assert [row["id"] for row in db.search_messages("harbour")] == [twice, once]


def test_common_words_are_ranked_in_full_and_each_hit_comes_once(db: SessionDB) -> None:
    db.create_session("s", "cli")
    for start in range(0, 7000, 1000):
        db.append_messages("s", [{"role": "user", "content": f"common {n}"} for n in range(start, start + 1000)])
    db.optimize()
    found = [
        row["id"] for offset in range(0, 7000, 3500) for row in db.search_messages("common", limit=3500, offset=offset)
    ]
    assert sorted(found) == list(range(1, 7001))


@pytest.mark.parametrize(
    "filters",
    [
        {"limit": -1}, {"limit": "5"}, {"offset": -1}, {"order": "best"}, {"order": "id; DROP TABLE messages"},
        {"source_filter": [1]}, {"source_filter": 5}, {"exclude_sources": ["\ud800"]}, {"role_filter": [None]},
        {"session_id": 5}, {"lineage_id": b"x"}, {"tag": ["a"]}, {"after": "yesterday"}, {"before": float("nan")},
        {"after": True}, {"archived": "yes"}, {"exclude_lineages": [{}]},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_filter_is_the_callers_mistake(db: SessionDB, filters: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        db.search_messages("x", **filters)


def test_filters_are_values_and_never_sql(db: SessionDB, said: list[Said]) -> None:
    hostile = ["' OR 1=1 --", '" OR ""="', "%", "_", "*", "s%", "cli') OR (1", "1; DROP TABLE messages", "\\", "[a-z]*"]
    for value in hostile:
        for name in ("source_filter", "role_filter", "session_id", "lineage_id", "tag"):
            given: Any = [value] if name.endswith("filter") else value
            assert db.search_messages("apple", **{name: given}) == [], name
        everything = db.search_messages("apple", limit=1000, exclude_sources=[value], exclude_lineages=[value])
        assert len(everything) == sum("apple" in row.text for row in said)
    assert db.check() == []


def test_lists_of_any_length_are_taken(db: SessionDB, said: list[Said]) -> None:
    many = [f"source{number}" for number in range(40_000)]
    assert db.search_messages("apple", source_filter=many) == []
    found = db.search_messages("apple", limit=1000, exclude_sources=many, role_filter=[*many, "user"])
    assert {row["role"] for row in found} == {"user"}


def test_a_page_of_nothing_is_empty(db: SessionDB, said: list[Said]) -> None:
    assert db.search_messages("apple", limit=0) == []
    assert db.search_messages("apple", offset=10_000) == []
    assert db.search_messages("") == db.search_messages("   ") == []


def test_new_messages_only_ever_add_to_the_newest_end(db: SessionDB, said: list[Said]) -> None:
    before = [row["id"] for row in db.search_messages("apple", limit=1000, order="newest")]
    added = [db.append_message("s0", "user", "apple again") for _ in range(3)]
    after = [row["id"] for row in db.search_messages("apple", limit=1000, order="newest")]
    assert after == [*reversed(added), *before]
    assert all(first > second for first, second in pairwise(after))
