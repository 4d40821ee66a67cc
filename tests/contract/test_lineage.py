"""Lineage: tips, resume targets, ancestors and descendants, the durable lineage id."""

import pytest

from hermes_state import SessionDB


def make(
    db: SessionDB, session_id: str, parent: str | None = None, start: float = 0.0, said: str | None = None
) -> None:
    db.create_session(session_id, "cli", parent_session_id=parent, started_at=start)
    if said is not None:
        db.append_message(session_id, "user", said)


def ids(rows: list[dict[str, object]]) -> list[object]:
    return [row["id"] for row in rows]


def lineage(db: SessionDB, session_id: str) -> str:
    row = db.get_session(session_id)
    assert row is not None
    return str(row["lineage_id"])


def end(db: SessionDB, session_id: str, reason: str) -> float:
    db.end_session(session_id, reason)
    row = db.get_session(session_id)
    assert row is not None
    return float(row["ended_at"])


def test_the_tip_follows_compressions_only(db: SessionDB) -> None:
    make(db, "root")
    make(db, "delegated", "root")
    ended = end(db, "root", "compression")
    make(db, "second", "root", ended)
    ended = end(db, "second", "compression")
    make(db, "third", "second", ended)
    make(db, "subagent", "third")
    assert [db.get_compression_tip(s) for s in ("root", "second", "third")] == ["third"] * 3
    assert db.get_compression_tip("delegated") == "delegated"
    assert db.get_compression_tip("subagent") == "subagent"


@pytest.mark.parametrize("reason", ["user_exit", "branched", "max_iterations"])
def test_a_child_of_a_session_that_ended_otherwise_is_no_continuation(db: SessionDB, reason: str) -> None:
    make(db, "root")
    make(db, "child", "root", end(db, "root", reason))
    assert db.get_compression_tip("root") == "root"
    assert lineage(db, "child") == "child"


def test_a_child_that_started_before_the_compression_is_no_continuation(db: SessionDB) -> None:
    make(db, "root")
    ended = end(db, "root", "compression")
    make(db, "early", "root", ended - 0.5)
    assert db.get_compression_tip("root") == "root"
    make(db, "late", "root", ended)  # at that very moment counts
    assert db.get_compression_tip("root") == "late"


def test_the_newest_of_several_continuations_is_the_tip(db: SessionDB) -> None:
    make(db, "root")
    ended = end(db, "root", "compression")
    make(db, "one", "root", ended + 1)
    make(db, "two", "root", ended + 2)
    assert db.get_compression_tip("root") == "two"


def test_an_unknown_id_comes_back_as_it_is(db: SessionDB) -> None:
    assert db.get_compression_tip("nowhere") == "nowhere"
    assert db.resolve_resume_session_id("nowhere") == "nowhere"
    assert db.resolve_resume_session_id("") == ""


def test_resume_follows_compression_to_the_latest_child(db: SessionDB) -> None:
    make(db, "root", said="a")
    db.split_session("root", "second", [{"role": "user", "content": "summary"}])
    db.split_session("second", "third", [{"role": "user", "content": "summary"}])
    assert [db.resolve_resume_session_id(s) for s in ("root", "second", "third")] == ["third"] * 3


def test_resume_never_opens_an_empty_chat_while_there_is_a_transcript(db: SessionDB) -> None:
    make(db, "root", said="a")
    make(db, "helper", "root", said="delegated work")
    make(db, "empty", "root", end(db, "root", "compression"))
    assert db.get_compression_tip("root") == "empty"
    assert db.resolve_resume_session_id("root") == "root"


def test_resume_of_an_emptied_parent_leads_to_the_descendant_with_the_transcript(db: SessionDB) -> None:
    make(db, "root")
    make(db, "empty", "root")
    make(db, "full", "empty", said="here")
    assert db.resolve_resume_session_id("root") == "full"
    assert db.resolve_resume_session_id("empty") == "full"


def test_resume_of_an_empty_session_without_children_is_itself(db: SessionDB) -> None:
    make(db, "root")
    assert db.resolve_resume_session_id("root") == "root"


def test_ancestors_are_nearest_first_and_descendants_breadth_first(db: SessionDB) -> None:
    make(db, "root", start=1)
    make(db, "a", "root", 2)
    make(db, "b", "root", 3)
    make(db, "aa", "a", 4)
    make(db, "ba", "b", 5)
    assert ids(db.get_ancestors("aa")) == ["aa", "a", "root"]
    assert ids(db.get_descendants("root")) == ["root", "a", "b", "aa", "ba"]
    assert ids(db.get_descendants("ba")) == ["ba"]
    assert db.get_ancestors("nowhere") == db.get_descendants("nowhere") == db.get_lineage("nowhere") == []
    assert db.get_ancestors("aa")[0] == db.get_session("aa")


def test_descendants_show_their_long_prompts_too(db: SessionDB) -> None:
    prompt = "long prompt " * 500
    make(db, "root")
    db.create_session("child", "cli", parent_session_id="root", system_prompt=prompt)
    assert db.get_descendants("root")[1] == db.get_session("child")


def test_the_lineage_id_names_the_conversation_through_compressions(db: SessionDB) -> None:
    make(db, "root", said="a")
    db.split_session("root", "second")
    db.split_session("second", "third")
    make(db, "delegated", "second")
    db.branch_session("third", "branch")
    assert [lineage(db, s) for s in ("root", "second", "third")] == ["root"] * 3
    assert (lineage(db, "delegated"), lineage(db, "branch")) == ("delegated", "branch")
    assert ids(db.get_lineage("third")) == ids(db.get_lineage("root")) == ["root", "second", "third"]
    assert ids(db.get_lineage("branch")) == ["branch"]
