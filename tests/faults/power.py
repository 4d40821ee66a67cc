"""Row 2: power loss. What SQLite wrote and synced is recorded; images are built of what a disk may have kept.

A disk keeps what was synced. Of what was written since, it may have kept any part, in sectors, in any order. The
record beside the store is never synced, so any of its states may be there.
"""

import pickle
import random
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.store import SessionDB
from hermes.store.sqlite.guard import Guard, Record
from tests.faults.children import ask
from tests.faults.disk import Fault, fail_with
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import Findings, check_stock

_SECTOR = 512


@dataclass
class Event:
    kind: str  # write, truncate, delete, sync, record, acknowledged
    path: str = ""
    offset: int = 0
    data: bytes = b""
    covers: int = 0  # a sync: every event before this one is on disk


@dataclass
class Recorder(Fault):
    events: list[Event] = field(default_factory=list)
    begun: dict[tuple[int, str], int] = field(default_factory=dict)

    def before(self, kind: str, path: str, file: Any, data: bytes = b"", offset: int = 0) -> None:
        if kind == "sync":
            self.begun[threading.get_ident(), path] = len(self.events)
        elif kind != "read":
            self.events.append(Event(kind, Path(path).name, offset, bytes(data)))

    def after(self, kind: str, path: str) -> None:
        if kind == "sync":
            covers = self.begun[threading.get_ident(), path]
            self.events.append(Event("sync", Path(path).name, covers=covers))


@row(2)
def power_lost(run: Run) -> Outcome:
    folder = run.fresh()
    ask(_write, folder / "state.db", folder / "events", run.size(60, 15))
    events: list[Event] = pickle.loads((folder / "events").read_bytes())
    images = run.size(100, 8)
    lost: list[str] = []
    found, acknowledged, dropped = Findings(), 0, 0
    for _ in range(images):
        end = run.rng.randrange(len(events) // 20, len(events) + 1)
        image = run.fresh("image")
        dropped += _build(run.rng, events[:end], image)
        told = [event.data.decode() for event in events[:end] if event.kind == "acknowledged"]
        acknowledged += len(told)
        missing, notices = ask(_missing, image / "state.db", told)
        lost += missing
        found.notices += notices
        found.add(ask(check_stock, image / "state.db"))
    return Outcome(
        f"{images} images of a power loss, {dropped} unsynced writes dropped or torn",
        f"lost {len(lost)} of {acknowledged} acknowledged messages; corrupt {len(found.broken)}; "
        f"false alarms {len(found.notices)}{found.worst()}",
        not lost and found.good() and acknowledged > 0 and dropped > 0,
    )


def _write(store: Path, target: Path, rounds: int) -> None:
    """Four threads write, the keeper indexes and checkpoints beside them."""
    recorder = Recorder()
    fail_with(recorder)
    _record_the_record(recorder)
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        threads = [threading.Thread(target=_talk, args=(db, recorder, name, rounds)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    target.write_bytes(pickle.dumps(recorder.events))


def _talk(db: SessionDB, recorder: Recorder, name: int, rounds: int) -> None:
    for number in range(rounds):
        text = f"{name}:{number} " + "word " * (number % 40)
        db.append_message("s", "user", text)
        recorder.events.append(Event("acknowledged", data=text.encode()))
        if number % 10 == 9:
            db.set_session_title("s", f"title {name} {number}")
        if number % 25 == 24:
            db._engine.checkpoint()


def _record_the_record(recorder: Recorder) -> None:
    """The guard writes its own file, not through SQLite: note each of its states too."""
    write = Guard.write

    def noted(guard: Guard, record: Record) -> None:
        write(guard, record)
        recorder.events.append(Event("record", guard.path.name, data=guard.path.read_bytes()))

    Guard.write = noted


def _build(rng: random.Random, events: list[Event], folder: Path) -> int:
    """Files as a disk may hold them after these events; returns how many writes did not make it whole."""
    synced: dict[str, int] = {}
    for event in events:
        if event.kind == "sync":
            synced[event.path] = max(synced.get(event.path, 0), event.covers)
    files: dict[str, bytearray] = {"state.db": bytearray()}
    dropped = 0
    for place, event in enumerate(events):
        if event.kind == "delete":
            files.pop(event.path, None)  # SQLite syncs the folder when it deletes
        elif event.kind == "truncate":
            if place < synced.get(event.path, 0) or rng.random() < 0.5:
                del files.setdefault(event.path, bytearray())[event.offset :]
        elif event.kind == "write":
            safe = place < synced.get(event.path, 0)
            dropped += _write_sectors(rng, files.setdefault(event.path, bytearray()), event, safe)
        elif event.kind == "record" and rng.random() < 0.5:
            files[event.path] = bytearray(event.data)
    for name, content in files.items():
        if not name.endswith("-shm"):
            (folder / name).write_bytes(content)
    return dropped


def _write_sectors(rng: random.Random, content: bytearray, event: Event, safe: bool) -> bool:
    """Write it, or what of it a disk may have kept; True when something is missing."""
    fate = 1.0 if safe else rng.choice((0.0, 0.5, 1.0))
    missing = False
    for start in range(0, len(event.data), _SECTOR):
        if fate == 1.0 or rng.random() < fate:
            piece = event.data[start : start + _SECTOR]
            place = event.offset + start
            if len(content) < place + len(piece):
                content.extend(bytes(place + len(piece) - len(content)))
            content[place : place + len(piece)] = piece
        else:
            missing = True
    return missing


def _missing(store: Path, told: list[str]) -> tuple[list[str], list[str]]:
    with SessionDB(store) as db:
        texts = [row["content"] for row in db.get_messages("s")]
        twice = [text for text in set(texts) if texts.count(text) > 1]
        return [text for text in told if text not in set(texts)] + twice, list(db.notices)
