"""Writers that keep a diary, and the model of what the store must hold afterwards.

A writer notes what it is about to do and, after the call returned, that it was acknowledged, in an
O_APPEND file of its own. Everything it touches belongs to it alone (but for one room all talk in), so the
diary says exactly what must be there: every acknowledged operation, and the last one wholly or not at all.
"""

import json
import os
import random
import time
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.errors import HermesError
from hermes.model.titles import next_title
from hermes.model.usage import Usage
from hermes.store import SessionDB

ROOM = "room"
Operation = dict[str, Any]


@dataclass(slots=True)
class Session:
    texts: list[tuple[str, bool]] = field(default_factory=list)  # (text, carried)
    title: str | None = None
    end_reason: str | None = None
    parent: str | None = None
    tokens: int = 0


@dataclass(slots=True)
class Model:
    sessions: dict[str, Session] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)  # in the room

    def apply(self, operation: Operation) -> None:
        getattr(self, "_" + operation["do"])(operation)

    def _create(self, operation: Operation) -> None:
        self.sessions[operation["id"]] = Session()

    def _say(self, operation: Operation) -> None:
        self.said.append(operation["text"])

    def _append(self, operation: Operation) -> None:
        self.sessions[operation["id"]].texts += [(text, False) for text in operation["texts"]]

    def _title(self, operation: Operation) -> None:
        self.sessions[operation["id"]].title = operation["title"]

    def _usage(self, operation: Operation) -> None:
        self.sessions[operation["id"]].tokens += operation["tokens"]

    def _split(self, operation: Operation) -> None:
        old = self.sessions[operation["id"]]
        old.end_reason = "compression"
        carried = [(old.texts[place][0], True) for place in operation["carried"]]
        new = Session([(operation["summary"], False), *carried], parent=operation["id"])
        if old.title:
            new.title = next_title(old.title, [one.title for one in self.sessions.values() if one.title])
        self.sessions[operation["new"]] = new

    def _cut(self, operation: Operation) -> None:
        self._remove(operation["id"], operation["from"])

    def _replace(self, operation: Operation) -> None:
        self._remove(operation["id"], 0)
        self._append(operation)

    def _delete(self, operation: Operation) -> None:
        self._remove(operation["id"], 0)
        del self.sessions[operation["id"]]
        for session in self.sessions.values():
            if session.parent == operation["id"]:
                session.parent = None

    def _remove(self, session_id: str, start: int) -> None:
        """Copies that were carried elsewhere go with the original."""
        session = self.sessions[session_id]
        originals = {text for text, carried in session.texts[start:] if not carried}
        del session.texts[start:]
        for other in self.sessions.values():
            other.texts = [(text, carried) for text, carried in other.texts if not (carried and text in originals)]


def invent(rng: random.Random, model: Model, prefix: str, number: int) -> Operation:
    """What to do next."""
    live = [name for name, session in model.sessions.items() if session.end_reason is None]
    if not live or rng.random() < 0.03:
        return {"do": "create", "id": f"{prefix}-{number}"}
    name = rng.choice(live)
    length = len(model.sessions[name].texts)
    words = " ".join(
        rng.choice(("deploy", "docker", "服务端", "Übung", "a/b", "it's")) for _ in range(rng.randint(1, 60))
    )
    texts = [f"{prefix}x{number}x{i} {words}" for i in range(rng.choice((1, 1, 1, 2, 5)))]
    dice = rng.random()
    if dice < 0.5 or not length:
        return {"do": "append", "id": name, "texts": texts}
    if dice < 0.62:
        return {"do": "say", "text": f"{prefix}x{number}", "key": f"{prefix}:{number}"}
    if dice < 0.70:
        return {"do": "title", "id": name, "title": f"{prefix} t{number}"}
    if dice < 0.76:
        return {"do": "usage", "id": name, "tokens": rng.randint(1, 9)}
    if dice < 0.86:
        carried = sorted(rng.sample(range(length), rng.randint(0, min(3, length))))
        return {
            "do": "split",
            "id": name,
            "new": f"{prefix}-{number}",
            "summary": f"{prefix}x{number} summary",
            "carried": carried,
        }
    if dice < 0.92:
        return {"do": "cut", "id": name, "from": rng.randrange(length)}
    if dice < 0.97:
        return {"do": "replace", "id": name, "texts": texts}
    return {"do": "delete", "id": rng.choice(list(model.sessions))}


def perform(db: SessionDB, operation: Operation) -> None:
    """The same on a real store."""
    do, name = operation["do"], operation.get("id", ROOM)
    if do == "create":
        db.create_session(name, "cli")
    elif do == "say":
        db.append_message(ROOM, "user", operation["text"], idempotency_key=operation["key"])
    elif do == "append" and len(operation["texts"]) == 1:
        db.append_message(name, "user", operation["texts"][0])
    elif do == "append":
        db.append_messages(name, _messages(operation["texts"]))
    elif do == "title":
        db.set_session_title(name, operation["title"])
    elif do == "usage":
        db.record_usage(name, Usage(input_tokens=operation["tokens"]))
    elif do == "split":
        ids = [row["id"] for row in db.get_messages(name)]
        summary = _messages([operation["summary"]])
        db.split_session(name, operation["new"], summary, carried=[ids[place] for place in operation["carried"]])
    elif do == "cut":
        db.delete_messages_from(name, db.get_messages(name)[operation["from"]]["id"])
    elif do == "replace":
        db.replace_messages(name, _messages(operation["texts"]))
    else:
        delete_session(db, name)


def _messages(texts: list[str]) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def delete_session(db: SessionDB, name: str) -> bool:
    return db._engine.write(None, lambda writer: writer.delete_session(name))


class Diary:
    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, **entry: Any) -> None:
        os.write(self._fd, json.dumps(entry).encode() + b"\n")


def write_until(path: Path, diary_path: Path, prefix: str, seed: str, seconds: float) -> None:
    """Work until killed, or for so many seconds."""
    rng, model, diary = random.Random(seed), Model(), Diary(diary_path)
    deadline = time.monotonic() + seconds
    with SessionDB(path) as db:
        number = 0
        while time.monotonic() < deadline:
            number += 1
            step(db, diary, model, invent(rng, model, prefix, number))


def step(db: SessionDB, diary: Diary, model: Model, operation: Operation) -> bool:
    """One operation with its diary entries; False when the store refused it."""
    diary.write(about_to=operation)
    try:
        perform(db, operation)
    except HermesError as error:
        diary.write(failed=f"{type(error).__name__}: {error}")
        return False
    diary.write(acknowledged=True)
    model.apply(operation)
    return True


@dataclass(slots=True)
class Told:
    """What a diary says: how the store must look, and how it may look instead."""

    must: Model
    may: Model
    acknowledged: int
    failures: list[str]


def read_diary(path: Path) -> Told:
    told = Told(Model(), Model(), 0, [])
    pending: Operation | None = None
    for line in path.read_bytes().splitlines() if path.exists() else ():
        entry = json.loads(line)
        if "about_to" in entry:
            pending = entry["about_to"]
        elif "failed" in entry:
            told.failures.append(entry["failed"])
            pending = None
        elif pending is not None:
            told.must.apply(pending)
            told.acknowledged += 1
            pending = None
    told.may = deepcopy(told.must)
    if pending is not None:
        told.may.apply(pending)
    return told
