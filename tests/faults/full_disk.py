"""Row 4: the disk is full, at every point."""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from hermes.errors import DiskFull, HermesError
from hermes.store import SessionDB
from tests.faults.children import ask
from tests.faults.mounts import fill_up, small_disk
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import Findings, check_diaries, check_stock
from tests.faults.writers import ROOM, Diary, Model, invent, perform, read_diary


@dataclass
class Seen:
    """What one writer met on a full disk."""

    full: int = 0
    others: list[str] = field(default_factory=list)  # errors that are not DiskFull
    reads: int = 0
    unread: list[str] = field(default_factory=list)
    deletes: int = 0
    undeleted: list[str] = field(default_factory=list)
    recovery: float = 0.0


@row(4)
def disk_full(run: Run) -> Outcome:
    points = run.size(40, 4)
    seen: list[Seen] = []
    found = Findings()
    for number in range(points):
        diary = run.folder / f"diary{number}" / "solo.jsonl"
        diary.parent.mkdir()
        with small_disk(run.folder / f"disk{number}", 24 * 1024) as disk:
            one = ask(_live_through, disk, diary, f"{run.rng.random()}", _room(run))
            seen += [one, ask(_come_later, disk, diary)]
            found.add(ask(check_diaries, disk / "state.db", [diary]))
            found.add(ask(check_stock, disk / "state.db"))
    found.failures = [error for one in seen for error in (*one.others, *one.unread, *one.undeleted)]
    reads, deletes = sum(one.reads for one in seen), sum(one.deletes for one in seen)
    slowest = max(one.recovery for one in seen)
    return Outcome(
        f"a disk filled up at {points} points under a writer: {sum(one.full for one in seen)} times DiskFull",
        f"lost {len(found.lost)} of {found.acknowledged} acknowledged; "
        f"other errors {sum(len(one.others) for one in seen)}; "
        f"reads {reads - sum(len(one.unread) for one in seen)}/{reads}; "
        f"deletes {deletes - sum(len(one.undeleted) for one in seen)}/{deletes}; "
        f"recovery at most {slowest:.2f} s; invariants broken {len(found.broken)}{found.worst()}",
        found.good() and slowest < 5,
    )


def _room(run: Run) -> int:
    """Bytes left when the disk counts as full: none, a page or two, or more."""
    return run.rng.choice((0, 0, 4096, 20_000, run.rng.randrange(400_000), run.rng.randrange(2_000_000)))


def _live_through(disk: Path, diary_path: Path, seed: str, leave: int) -> Seen:
    """Work until the disk is full, read and delete, get room, go on, and fill it again."""
    seen, rng, model, diary = Seen(), random.Random(seed), Model(), Diary(diary_path)
    with SessionDB(disk / "state.db") as db:
        db.ensure_session(ROOM, "cli")
        db.append_message(ROOM, "user", "something was said before " * 60_000)
        _work(db, diary, model, rng, seen, 0, 60)
        ballast = fill_up(disk, leave)
        _work(db, diary, model, rng, seen, 100, 200)
        _read(db, model, seen)
        _delete(db, diary, model, seen)
        ballast.unlink()
        seen.recovery = _recover(db)
        _work(db, diary, model, rng, seen, 400, 20)
        fill_up(disk, leave)
        _work(db, diary, model, rng, seen, 500, 50)
        _read(db, model, seen)
    return seen


def _come_later(disk: Path, diary_path: Path) -> Seen:
    """Another process finds the disk full: it opens, reads and deletes all the same."""
    seen, model, diary = Seen(), read_diary(diary_path).must, Diary(diary_path)
    try:
        db = SessionDB(disk / "state.db")
    except HermesError as error:
        seen.reads, seen.unread = 1, [f"open: {type(error).__name__}: {error}"]
        return seen
    with db:
        _read(db, model, seen)
        _delete(db, diary, model, seen)
        (disk / "ballast").unlink()
        seen.recovery = _recover(db)
    return seen


def _work(db: SessionDB, diary: Diary, model: Model, rng: random.Random, seen: Seen, first: int, times: int) -> None:
    for number in range(first, first + times):
        operation = invent(rng, model, "solo", number)
        if operation["do"] in ("cut", "delete", "replace"):
            continue
        diary.write(about_to=operation)
        try:
            perform(db, operation)
        except HermesError as error:
            diary.write(failed=str(error))
            if isinstance(error, DiskFull):
                seen.full += 1
            else:
                seen.others.append(f"{operation['do']}: {type(error).__name__}: {error}")
        else:
            diary.write(acknowledged=True)
            model.apply(operation)


def _read(db: SessionDB, model: Model, seen: Seen) -> None:
    for name, session in model.sessions.items():
        seen.reads += 1
        try:
            texts = [row["content"] for row in db.get_messages(name)]
            found = db.search_messages(texts[0].split()[0]) if texts else []
        except HermesError as error:
            seen.unread.append(f"{type(error).__name__}: {error}")
            continue
        if texts != [text for text, _ in session.texts]:
            seen.unread.append(f"{name} reads differently")
        if texts and not found:
            seen.unread.append(f"search does not find {texts[0].split()[0]}")


def _delete(db: SessionDB, diary: Diary, model: Model, seen: Seen) -> None:
    """The two longest sessions go."""
    for name in sorted(model.sessions, key=lambda name: len(model.sessions[name].texts))[-2:]:
        operation = {"do": "delete", "id": name}
        seen.deletes += 1
        diary.write(about_to=operation)
        try:
            perform(db, operation)
        except HermesError as error:
            diary.write(failed=str(error))
            seen.undeleted.append(f"delete: {type(error).__name__}: {error}")
        else:
            diary.write(acknowledged=True)
            model.apply(operation)


def _recover(db: SessionDB) -> float:
    """Seconds from the moment there is room until a write is accepted."""
    began = time.monotonic()
    while time.monotonic() < began + 10:
        try:
            db.set_meta("recovered", "yes")
            break
        except DiskFull:
            time.sleep(0.01)
    return time.monotonic() - began
