"""Row 1: SIGKILL at random points and at named ones. Row 17: SIGKILL during a compression split."""

import random
import signal
import time
from pathlib import Path
from typing import Any

from hermes.store import SessionDB
from tests.faults.children import ask, kill, start
from tests.faults.disk import KillAt, fail_with
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import Findings, check_diaries, check_stock
from tests.faults.writers import ROOM, Diary, Model, invent, step, write_until


@row(1)
def killed_writers(run: Run) -> Outcome:
    found, kills = Findings(), 0
    for writers, rounds in ((8, run.size(200, 4)), (32, run.size(50, 1))):
        store = run.fresh() / "state.db"
        ask(make_room, store)
        diaries: list[Path] = []
        for number in range(rounds):
            fresh = _round(run, store, f"r{number}w", writers)
            diaries += fresh
            found.add(ask(check_diaries, store, fresh))
            if number % 10 == 9:
                found.add(ask(check_stock, store))
        kills += rounds
        again = ask(check_diaries, store, diaries)
        found.lost += again.lost
        found.add(ask(check_stock, store))
    points = _fail_points(run, found)
    return Outcome(
        f"{kills} times all writers killed, 8 and 32 at a time; one at {points} chosen changes of the disk",
        f"lost {len(found.lost)} of {found.acknowledged} acknowledged operations; "
        f"invariants broken {len(found.broken)}; "
        f"false alarms {len(found.notices)}; errors {len(found.failures)}{found.worst()}",
        found.good() and found.acknowledged > 0,
    )


def _fail_points(run: Run, found: Findings) -> int:
    """One writer, from the first open to the close, killed at one change of the disk after the other."""
    folder = run.fresh()
    changes = ask(_script, folder / "state.db", folder / "solo.jsonl", 0, False)
    points = [(number, run.rng.random() < 0.5) for number in range(1, changes + 1)]
    points = run.rng.sample(points, min(len(points), run.size(400, 8)))
    for number, torn in points:
        folder = run.fresh()
        kill_point(_script, folder / "state.db", folder / "solo.jsonl", number, torn)
        found.add(ask(check_diaries, folder / "state.db", [folder / "solo.jsonl"]))
        found.add(ask(check_stock, folder / "state.db"))
    return len(points)


def _script(store: Path, diary_path: Path, number: int, torn: bool) -> int:
    fault = KillAt(number, torn, armed=True)
    fail_with(fault)
    rng, model, diary = random.Random(5), Model(), Diary(diary_path)
    with SessionDB(store) as db:
        db.ensure_session(ROOM, "cli")
        for step_number in range(40):
            step(db, diary, model, invent(rng, model, "solo", step_number))
            if step_number % 13 == 12:
                db._engine.catch_up()
                db._engine.checkpoint()
    return fault.count


def make_room(store: Path) -> None:
    with SessionDB(store) as db:
        db.ensure_session(ROOM, "cli")


def _round(run: Run, store: Path, name: str, writers: int) -> list[Path]:
    """Writers start, work a while, and die: together, or one after the other."""
    folder = run.fresh("diaries")
    diaries = [folder / f"{name}{i}.jsonl" for i in range(writers)]
    children = [start(write_until, store, diary, diary.stem, f"{run.rng.random()}", 60) for diary in diaries]
    _until_busy(diaries, run.rng.randint(1, 10 * writers))
    if run.rng.random() < 0.5:
        for child in children[:-1]:
            time.sleep(run.rng.uniform(0, 0.02))
            kill([child])
        children = children[-1:]
    time.sleep(run.rng.uniform(0, 0.05))
    kill(children)
    return diaries


def _until_busy(diaries: list[Path], lines: int) -> None:
    deadline = time.monotonic() + 60
    while sum(diary.stat().st_size for diary in diaries if diary.exists()) < 60 * lines:
        if time.monotonic() > deadline:
            raise AssertionError("the writers do not get going")
        time.sleep(0.002)


@row(17)
def killed_in_a_split(run: Run) -> Outcome:
    """At every change of the disk that a split makes, whole and torn; then at random points."""
    changes = ask(_split_under, run.fresh() / "state.db", 0, False)
    points = [(number, torn) for number in range(1, changes + 1) for torn in (False, True)]
    if run.quick:
        points = run.rng.sample(points, 8)
    found, split = Findings(), 0
    for number, torn in points:
        store = run.fresh() / "state.db"
        kill_point(_split_under, store, number, torn)
        findings, happened = ask(_after_split, store)
        found.add(findings)
        split += happened
    return Outcome(
        f"a split killed at {len(points)} points ({changes} changes of the disk, whole and torn)",
        f"orphans and forks {len(found.lost)} of {len(points)}; {split} split, {len(points) - split} not; "
        f"invariants broken {len(found.broken)}; false alarms {len(found.notices)}{found.worst()}",
        found.good() and 0 < split < len(points),
    )


def kill_point(work: Any, *arguments: Any) -> None:
    """Run something that kills itself."""
    child = start(work, *arguments)
    child.join(60)
    code = child.exitcode
    child.close()
    if code != -signal.SIGKILL:
        raise AssertionError(f"{work.__name__}{arguments} was not killed: {code}")


def _split_under(store: Path, number: int, torn: bool) -> int:
    fault = KillAt(number, torn)
    fail_with(fault)
    db = SessionDB(store)
    db.create_session("old", "telegram", user_id="7", chat_id="c", model="m", system_prompt="p" * 2000)
    db.set_session_title("old", "my project")
    ids = db.append_messages("old", [{"role": "user", "content": f"text {i} " * 50} for i in range(20)])
    fault.armed = True
    db.split_session("old", "new", [{"role": "user", "content": "summary " * 200}], carried=ids[-5:])
    db._engine.checkpoint()
    return fault.count


def _after_split(store: Path) -> tuple[Findings, bool]:
    """One live tip with everything kept, or no split at all; then it can be done (again)."""
    found = Findings()
    with SessionDB(store) as db:
        found.notices = list(db.notices)
        new = db.get_session("new")
        if new is None:
            old = db.get_session("old") or {}
            if old.get("end_reason") is not None or len(db.get_messages("old")) != 20:
                found.lost.append("no continuation, and the old session is not as it was")
            db.split_session("old", "new", [{"role": "user", "content": "summary"}])
        elif not _whole(db, new):
            found.lost.append(f"half a split: {new}")
        tips = [session["id"] for session in db.list_sessions_rich()]
        if tips != ["new"] or db.get_compression_tip("old") != "new":
            found.lost.append(f"the list shows {tips}")
        return found, new is not None


def _whole(db: SessionDB, new: dict[str, Any]) -> bool:
    kept = {"owner": "telegram:7", "source": "telegram", "chat_id": "c", "model": "m", "title": "my project #2"}
    return (
        all(new[name] == value for name, value in kept.items())
        and new["system_prompt"] == "p" * 2000
        and len(db.get_messages("new")) == 6
    )
