"""Conversations by title and by what was said in them."""

import pytest

from hermes.errors import BadInput
from hermes.store.base import ListQuery
from hermes_state import SessionDB


def start(db: SessionDB, name: str, title: str | None, *said: str, source: str = "cli", at: float = 1000.0) -> None:
    db.create_session(name, source, started_at=at)
    for text in said:
        db.append_message(name, "user", text, timestamp=at)
    if title is not None:
        db.set_session_title(name, title)


def found(db: SessionDB, query: str, **which: object) -> list[str]:
    rows = db.find_conversations(query, ListQuery(order="active", **which))  # type: ignore[arg-type]
    return [row["id"] for row in rows]


def test_titles_come_first_and_texts_after_them(db: SessionDB) -> None:
    start(db, "said", "groceries", "how do I deploy this?", at=3000)
    start(db, "titled", "deploy the billing service", "hello", at=1000)
    start(db, "neither", "weather", "rain")
    assert found(db, "deploy") == ["titled", "said"]
    by_id = {row["id"]: row for row in db.find_conversations("deploy")}
    assert by_id["titled"]["snippet"] is None
    assert by_id["said"]["snippet"] == "how do I >>>deploy<<< this?"
    assert by_id["said"]["preview"] == "how do I deploy this?"
    assert by_id["said"]["last_active"] == 3000


def test_a_conversation_found_by_its_title_is_not_found_again_by_its_text(db: SessionDB) -> None:
    start(db, "both", "plan for june", "the plan", at=1000)
    start(db, "text", "groceries", "no plan", at=2000)
    assert found(db, "plan") == ["both", "text"]
    assert found(db, "plan", limit=1) == ["both"]
    assert found(db, "plan", limit=1, offset=1) == ["text"]


def test_several_titles_come_in_the_order_of_their_last_activity(db: SessionDB) -> None:
    for number, at in enumerate((2000.0, 3000.0, 1000.0)):
        start(db, f"s{number}", f"plan {number}", "hello", at=at)
    assert found(db, "plan") == ["s1", "s0", "s2"]
    assert found(db, "plan", limit=2) == ["s1", "s0"]
    assert found(db, "plan", limit=2, offset=2) == ["s2"]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Café in Zürich", "cafe"),
        ("Café in Zürich", "ZURICH CAFE"),
        ("100% sure", "100%"),
        ("snake_case names", "snake_case"),
        (r"C:\temp on the old laptop", r"C:\temp"),
        ("東京への旅行", "京へ"),
        ("ﬁle formats", "file"),
        ("quarterly report", "quart*"),
        ("alpha beta", "gamma OR beta"),
        ("alpha beta", "alpha NOT gamma"),
        ("alpha beta", '"alpha beta"'),
    ],
)
def test_a_title_is_found_by_the_same_rules_as_a_text(db: SessionDB, title: str, query: str) -> None:
    start(db, "one", title, "hello")
    start(db, "other", "something else", "hello")
    assert found(db, query) == ["one"]


@pytest.mark.parametrize(
    ("title", "query"),
    [("1000 things", "100%"), ("snakeXcase", "snake_case"), ("deployment", "deploy"), ("alpha beta", "alpha NOT beta")],
)
def test_a_title_that_does_not_hold_it_is_not_found(db: SessionDB, title: str, query: str) -> None:
    start(db, "one", title, "hello")
    assert found(db, query) == []


def test_a_compressed_conversation_is_found_once_and_shows_as_its_newest_part(db: SessionDB) -> None:
    start(db, "first", "my project", "let us begin")
    db.split_session("first", "second", [])
    db.append_message("second", "user", "and begin again")
    assert found(db, "project") == ["second"]
    assert found(db, "begin") == ["second"]
    [row] = db.find_conversations("project")
    assert (row["title"], row["_lineage_root_id"]) == ("my project #2", "first")


def test_filters_hold_for_titles_and_texts(db: SessionDB) -> None:
    start(db, "a", "alpha plan", "hello", source="cli", at=1000)
    start(db, "b", "beta", "the plan", source="telegram", at=2000)
    db.tag_session("b", ["work"])
    assert found(db, "plan") == ["a", "b"]
    assert found(db, "plan", sources=["telegram"]) == ["b"]
    assert found(db, "plan", exclude_sources=["telegram"]) == ["a"]
    assert found(db, "plan", tag="work") == ["b"]
    assert found(db, "plan", after=1500) == ["b"]
    assert found(db, "plan", before=1500) == ["a"]


def test_archived_ones_are_found_and_trashed_ones_are_not(db: SessionDB) -> None:
    for name in ("kept", "archived", "trashed"):
        start(db, name, f"plan of {name}", "the plan")
    db.archive_session("archived")
    db.trash_session("trashed")
    assert set(found(db, "plan")) == {"kept", "archived"}
    assert found(db, "plan", shelf="archived") == ["archived"]


def test_a_scope_finds_its_own(db: SessionDB) -> None:
    start(db, "mine", "my plan", "hello")
    db.create_session("theirs", "telegram", user_id="7")
    db.append_message("theirs", "user", "their plan")
    db.set_session_title("theirs", "their plan")
    rows = db.scoped("telegram:7").find_conversations("plan")
    assert [row["id"] for row in rows] == ["theirs"]


def test_nothing_to_look_for_finds_nothing(db: SessionDB) -> None:
    start(db, "one", "plan", "hello")
    assert found(db, "  ") == []
    assert found(db, "plan", limit=0) == []
    with pytest.raises(BadInput):
        db.find_conversations("plan", ListQuery(limit=-1))
