"""Row 19: backup, export and restore while others write. Row 25: exports that would hit something else."""

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from hermes.errors import BadInput, HermesError
from hermes.store import SessionDB
from tests.faults.children import ask, collect, start_asking
from tests.faults.rows import Outcome, Run, row


@row(19)
def copied_while_writing(run: Run) -> Outcome:
    store, writers, seconds = run.fresh() / "state.db", 4, run.size(12, 2)
    ask(_make, store, writers)
    begin = time.time() + 1.0
    crew = [start_asking(_write, store, number, begin, seconds) for number in range(writers)]
    copies = ask(_copy, store, begin, seconds)
    acknowledged = [collect(*one) for one in crew]
    violations = ask(_compare, store, copies)
    lost = _restored(run.fresh("restore") / "state.db", writers, run.size(4, 2))
    wrong = [*violations["backup"], *violations["export"], *violations["session"], *lost["lost"]]
    return Outcome(
        f"{len(copies['backup'])} backups, {len(copies['export'])} exports, {lost['restores']} restores while "
        f"{writers} processes stored {sum(map(len, acknowledged))} messages",
        f"backups that are no committed prefix {len(violations['backup'])}; sessions in exports that are none "
        f"{len(violations['session'])}; exports that are none as a whole {len(violations['export'])}; messages neither "
        f"in the restored store nor in the copy kept before {len(lost['lost'])}; errors of writers {lost['errors']}"
        + (f" (first: {wrong[0][:200]})" if wrong else ""),
        not wrong and not lost["errors"],
    )


def _make(store: Path, writers: int) -> None:
    with SessionDB(store) as db:
        for number in range(writers):
            db.create_session(f"w{number}", "cli")


def _write(store: Path, number: int, begin: float, seconds: float) -> list[int]:
    """Append numbered messages; the ids of those that were acknowledged."""
    ids = []
    with SessionDB(store) as db:
        time.sleep(max(0.0, begin - time.time()))
        while time.time() < begin + seconds:
            ids.append(db.append_message(f"w{number}", "user", f"{len(ids)} of writer {number} " + "x" * 300))
    return ids


def _copy(store: Path, begin: float, seconds: float) -> dict[str, list[Path]]:
    copies: dict[str, list[Path]] = {"backup": [], "export": []}
    with SessionDB(store) as db:
        time.sleep(max(0.0, begin - time.time()))
        while time.time() < begin + seconds:
            number = len(copies["backup"])
            copies["backup"].append(db.backup(store.with_name(f"b{number}.db")))
            export = store.with_name(f"e{number}.jsonl")
            db.export_file(export)
            copies["export"].append(export)
            time.sleep(0.05)
    return copies


def _compare(store: Path, copies: dict[str, list[Path]]) -> dict[str, list[str]]:
    """Ids grow in commit order: a copy is a committed prefix when it has every id up to its highest one."""
    with closing(sqlite3.connect(store)) as stock:
        final = [row[0] for row in stock.execute("SELECT id FROM messages ORDER BY id")]
        by_session = {
            name: [row[0] for row in stock.execute("SELECT id FROM messages WHERE session_id = ? ORDER BY id", [name])]
            for (name,) in stock.execute("SELECT id FROM sessions").fetchall()
        }
    wrong: dict[str, list[str]] = {"backup": [], "export": [], "session": []}
    for path in copies["backup"]:
        with closing(sqlite3.connect(path)) as stock:
            found = [row[0] for row in stock.execute("SELECT id FROM messages ORDER BY id")]
            sound = stock.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if found != final[: len(found)] or not sound or path.stat().st_mode & 0o077:
            wrong["backup"].append(f"{path.name}: {len(found)} messages up to {max(found, default=0)}")
    for path in copies["export"]:
        sessions = [json.loads(line) for line in path.read_text().splitlines()]
        found = sorted(message["id"] for session in sessions for message in session["messages"])
        if found != final[: len(found)]:
            wrong["export"].append(f"{path.name}: {len(found)} messages up to {max(found, default=0)}")
        for session in sessions:
            ids = [message["id"] for message in session["messages"]]
            if ids != by_session[session["id"]][: len(ids)] or session["message_count"] != len(ids):
                wrong["session"].append(f"{path.name}: {session['id']} has {len(ids)} messages")
    return wrong


def _restored(store: Path, writers: int, restores: int) -> dict[str, object]:
    """Restore while others write: what was acknowledged is in the store afterwards, or in the copy that was kept."""
    ask(_make, store, writers)
    begin = time.time() + 1.0
    crew = [start_asking(_write, store, number, begin, 2.0 + 1.2 * restores) for number in range(writers)]
    kept = ask(_restore, store, begin + 0.5, restores)
    acknowledged, errors = [], 0
    for one in crew:
        try:
            acknowledged += collect(*one)
        except AssertionError:
            errors += 1
    present: set[int] = set()
    for path in (store, *kept):
        with closing(sqlite3.connect(path)) as stock:
            present |= {row[0] for row in stock.execute("SELECT id FROM messages")}
    lost = [f"message {number}" for number in acknowledged if number not in present]
    return {"lost": lost, "errors": errors, "restores": restores}


def _restore(store: Path, begin: float, restores: int) -> list[Path]:
    kept = []
    with SessionDB(store) as db:
        first = db.backup(store.with_name("first.db"))
        time.sleep(max(0.0, begin - time.time()))
        for _ in range(restores):
            kept.append(db.restore(first))
            time.sleep(1.1)  # the name of the copy holds the second
    return kept


@row(25)
def exported_over_things(run: Run) -> Outcome:
    folder = run.fresh()
    os.umask(0)
    tried, refused, victims, modes = ask(_export_over, folder)
    return Outcome(
        f"{tried} exports and backups over a file, a link, a dangling link, a folder, through `../`, and onto a file "
        "that appears meanwhile, umask 0",
        f"refused {refused}; victims {len(victims)}; files others can read {len(modes)}"
        + (f" (first: {(victims + modes)[0]})" if victims or modes else ""),
        not victims and not modes and refused == tried,
    )


def _export_over(folder: Path) -> tuple[int, int, list[str], list[str]]:
    os.umask(0)
    victims: list[str] = []
    with SessionDB(folder / "store" / "state.db") as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "hello")
        tried = refused = 0
        for name, write in (("export", db.export_file), ("backup", db.backup)):
            for target, victim in _targets(folder / name):
                tried += 1
                before = _state(victim)
                try:
                    write(target)
                except BadInput:
                    refused += 1
                if _state(victim) != before:
                    victims.append(f"{name} {target}")
        victims += _forced(db, folder)
        tried, refused = tried + 1, refused + _overtaken(db, folder)
        db.export_file(folder / "fine.jsonl")
        db.backup(folder / "fine.db")
    made = [folder / "fine.jsonl", folder / "fine.db", folder / "link.jsonl", *(folder / "store").iterdir()]
    modes = [str(path) for path in made if path.stat().st_mode & 0o077]
    leftovers = [str(path) for path in folder.rglob("*.part")]
    return tried, refused, victims + leftovers, modes


def _targets(place: Path) -> list[tuple[Path, Path]]:
    """Where to write, and what must not change by it."""
    (place / "sub").mkdir(parents=True)
    for name in ("file", "linked", "above"):
        (place / name).write_text("precious")
    (place / "link").symlink_to(place / "linked")
    (place / "dangling").symlink_to(place / "nowhere")
    return [
        (place / "file", place / "file"),
        (place / "link", place / "linked"),
        (place / "dangling", place / "nowhere"),
        (place / "sub", place / "sub"),
        (place / "sub" / ".." / "above", place / "above"),
    ]


def _state(path: Path) -> object:
    if path.is_dir():
        return sorted(path.iterdir())
    return path.read_text() if path.exists() else None


def _forced(db: SessionDB, folder: Path) -> list[str]:
    """With force a link is replaced, not followed."""
    (folder / "target").write_text("precious")
    (folder / "link.jsonl").symlink_to(folder / "target")
    db.export_file(folder / "link.jsonl", force=True)
    intact = (folder / "target").read_text() == "precious" and not (folder / "link.jsonl").is_symlink()
    return [] if intact else ["a link with force"]


def _overtaken(db: SessionDB, folder: Path) -> bool:
    """Somebody else's file appears under the name while the export runs."""
    target = folder / "race.jsonl"
    try:
        db.export_file(target, progress=lambda *_: target.write_text("precious") and None)
    except HermesError:
        return target.read_text() == "precious"
    return False
