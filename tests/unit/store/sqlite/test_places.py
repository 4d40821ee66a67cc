"""Places from scratch are the places the triggers gave; and what only a lineage id can tell stays."""

from pathlib import Path

import apsw
import pytest

from hermes.store.sqlite.places import place_lineages
from hermes_state import SessionDB


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("single", "cli", started_at=1.0)
        db.create_session("root", "cli", started_at=2.0)
        db.split_session("root", "middle")
        db.create_session("helper", "cli", parent_session_id="middle")
        db.split_session("middle", "tip")
        db.split_session("helper", "helper-2")
        db.create_session("trunk", "cli", started_at=3.0)
        db.branch_session("trunk", "branch")
        db.create_session("theirs", "telegram", user_id="7", parent_session_id="trunk")
        db.create_session("put-away", "cli", started_at=4.0)
        db.split_session("put-away", "put-away-2")
        db.archive_session("put-away")
    return tmp_path / "state.db"


def places(path: Path) -> dict[str, tuple[str, float, int]]:
    connection = apsw.Connection(str(path))
    found = {row[0]: row[1:] for row in connection.execute("SELECT id, lineage_id, begun_at, shelf FROM sessions")}
    connection.close()
    return found


def place_again(path: Path, first: str = "") -> None:
    connection = apsw.Connection(str(path))
    if first:
        connection.execute(first)
    place_lineages(connection)
    connection.close()


def test_places_made_from_nothing_are_those_the_triggers_gave(store: Path) -> None:
    before = places(store)
    place_again(store, "UPDATE sessions SET lineage_id = NULL, begun_at = NULL, shelf = NULL")
    assert places(store) == before


def test_disturbed_shelves_are_put_right(store: Path) -> None:
    before = places(store)
    place_again(store, "UPDATE sessions SET shelf = 0")
    assert places(store) == before


def test_a_branch_that_only_its_lineage_tells_stays_one(store: Path) -> None:
    with SessionDB(store) as db:
        db.branch_session("root", "of-a-compressed-one")
        db.end_session("single", "user_exit")
        db.branch_session("single", "of-an-ended-one")
    before = places(store)
    place_again(store)
    assert places(store) == before


def test_a_conversation_without_its_root_stays_in_the_lists(store: Path) -> None:
    with SessionDB(store) as db:
        db.delete_session("root")
    before = places(store)
    place_again(store)
    assert places(store) == before
    with SessionDB(store) as db:
        assert "tip" in [row["id"] for row in db.list_sessions_rich()]
