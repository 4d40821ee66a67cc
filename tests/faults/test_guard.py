"""The queue of writers, and the record beside the store."""

import os
import threading
import time
from pathlib import Path

import pytest

from hermes.errors import StoreBusy, StoreUnavailable
from hermes.store.sqlite.guard import Guard, Record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db.lock"


def is_free(path: Path) -> bool:
    other = Guard(path)
    try:
        other.acquire(0)
    except StoreBusy:
        return False
    finally:
        other.release()
        other.close()
    return True


def test_patience_ends_and_the_place_in_line_is_given_up(path: Path) -> None:
    holder, waiter = Guard(path), Guard(path)
    holder.acquire(1)
    with pytest.raises(StoreBusy):
        waiter.acquire(0.05)
    waiter.release()
    holder.release()
    _until(lambda: is_free(path))
    waiter.acquire(1)
    assert not is_free(path)


def test_who_gave_up_once_and_then_waits_without_limit_really_holds_the_lock(path: Path) -> None:
    holder, waiter = Guard(path), Guard(path)
    holder.acquire(1)
    with pytest.raises(StoreBusy):
        waiter.acquire(0.05)
    waiter.release()
    threading.Timer(0.1, holder.release).start()
    waiter.acquire(None)
    time.sleep(0.05)
    assert not is_free(path)
    waiter.release()
    _until(lambda: is_free(path))  # whoever asked above still stands in line


def test_closing_while_in_line_leaves_nothing_behind(path: Path) -> None:
    holder, waiter = Guard(path), Guard(path)
    holder.acquire(1)
    with pytest.raises(StoreBusy):
        waiter.acquire(0.05)
    waiter.close()
    holder.release()
    _until(lambda: is_free(path))
    holder.close()
    _until(lambda: descriptors_of(path) == 0)


def test_a_guard_that_is_dropped_closes_its_file(path: Path) -> None:
    guard = Guard(path)
    assert descriptors_of(path) == 1
    del guard
    assert descriptors_of(path) == 0


def test_a_closed_guard_never_writes_into_a_file_that_got_its_number(path: Path, tmp_path: Path) -> None:
    guard = Guard(path)
    guard.close()
    with open(tmp_path / "innocent", "w+b") as innocent:
        guard.write(Record(bytes(16), 1, 1, 1))
        assert innocent.read() == b""


def test_a_symlink_in_its_place_is_refused(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreUnavailable):
        Guard(path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_torn_record_is_no_record(path: Path) -> None:
    guard = Guard(path)
    assert guard.read() is None
    record = Record(b"0123456789abcdef", 7, 8, 9)
    guard.write(record)
    assert guard.read() == record
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    assert guard.read() is None
    path.write_bytes(data[:10])
    assert guard.read() is None


def descriptors_of(path: Path) -> int:
    def leads_there(name: str) -> bool:
        try:
            return os.readlink(f"/proc/self/fd/{name}") == str(path)
        except FileNotFoundError:
            return False

    return sum(leads_there(name) for name in os.listdir("/proc/self/fd"))


def _until(condition: object) -> None:
    deadline = time.monotonic() + 5
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)
