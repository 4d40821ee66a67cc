"""A full disk, without a disk: SQLite is told that there is no room."""

from pathlib import Path

import pytest

from hermes.errors import DiskFull
from hermes.store import SessionDB
from hermes.store.sqlite import reserve
from hermes.store.sqlite.reserve import LEAST, MOST, Reserve
from tests.faults.children import ask
from tests.faults.disk import SmallDisk, fail_with
from tests.faults.writers import delete_session

WORDS = "something that was said " * 40


def _on_a_full_disk(store: Path) -> dict[str, object]:
    fault = SmallDisk(reserve=store.with_name("state.db.reserve"))
    fail_with(fault)
    reserve._free = lambda _folder: max(0, fault.room - fault.taken())
    seen: dict[str, object] = {}
    with SessionDB(store) as db:
        for name in ("a", "b"):
            db.create_session(name, "cli")
            db.append_messages(name, [{"role": "user", "content": f"{name} {i} {WORDS}"} for i in range(600)])
        for number in range(50):  # the reserve is looked after now and then
            db.set_meta("number", str(number))
        fault.room = fault.taken() + 4096
        acknowledged = _append_until_full(db)
        seen["kept"] = [row["content"] for row in db.get_messages("b")][600:] == acknowledged
        seen["found"] = len(db.search_messages("said", limit=5))
        seen["deleted"] = delete_session(db, "a")
        seen["reserve for the next delete"] = fault.reserved() > LEAST
        seen["appended after the delete"] = db.append_message("b", "user", "more") > 0
        fault.room = 2**40
        db.append_message("b", "user", "room again")
        seen["reserve again"] = fault.reserved() >= min(MOST, store.stat().st_size)
    return seen


def _append_until_full(db: SessionDB) -> list[str]:
    acknowledged: list[str] = []
    for number in range(2000):
        try:
            db.append_message("b", "user", f"more {number} {WORDS}")
        except DiskFull:
            break
        acknowledged.append(f"more {number} {WORDS}")
    else:
        raise AssertionError("the disk never got full")
    with pytest.raises(DiskFull):
        db.append_messages("b", [{"role": "user", "content": WORDS * 100}] * 10)
    return acknowledged


def test_on_a_full_disk_nothing_is_lost_and_reads_search_and_delete_work(tmp_path: Path) -> None:
    assert ask(_on_a_full_disk, tmp_path / "state.db") == {
        "kept": True,
        "found": 5,
        "deleted": True,
        "reserve for the next delete": True,
        "appended after the delete": True,
        "reserve again": True,
    }
    with SessionDB(tmp_path / "state.db") as db:
        assert db.notices == []
        assert db.get_messages("b")[-1]["content"] == "room again"


def test_the_reserve_is_private_and_grows_with_the_store(tmp_path: Path) -> None:
    kept = Reserve(tmp_path / "state.db")
    for size, reserved in ((1000, LEAST), (2**20, 2**20), (2**30, MOST)):
        kept.make_for(size)
        assert (kept.path.stat().st_size, kept.path.stat().st_mode & 0o777) == (reserved, 0o600)
    assert kept.spend()
    assert not kept.path.exists()
    assert not kept.spend()


def test_a_link_in_the_reserves_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("text")
    kept = Reserve(tmp_path / "state.db")
    kept.path.symlink_to(tmp_path / "precious")
    kept.make_for(2**20)
    assert (tmp_path / "precious").read_text() == "text"
