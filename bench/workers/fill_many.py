"""Fill a store with very many small sessions, for the lists. Ours through its own transactions; the reference, which
has none, through plain inserts into the documented tables that its own code created."""

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from program import answer, job, open_store

SOURCES = {"cli": 60, "telegram": 18, "cron": 10, "discord": 7, "slack": 3, "whatsapp": 2}
RARE = "sms"
_RARE_ONES = 25
_FIRST = 1_700_000_000.0
_BATCH = 2000


def sessions(count: int) -> Iterator[dict[str, Any]]:
    """Roots mostly; every 50th continues the one before, every 45th is a delegated child, a few have a rare source."""
    rng = random.Random("many sessions")
    names, weights = [*SOURCES], [*SOURCES.values()]
    before: dict[str, Any] | None = None
    for number in range(count):
        began = _FIRST + number * 400
        continues = number % 50 == 7
        source = RARE if number % (count // _RARE_ONES) == 3 else rng.choices(names, weights)[0]
        compressed = number % 50 == 6  # nothing is said in it afterwards
        session = {
            "id": f"many_{number:06}",
            "source": before["source"] if before and continues else source,
            "parent": before["id"] if before and (continues or number % 45 == 11) else None,
            "began": began,
            "over": began + 300,  # before the next begins: a continuation begins when or after its parent ended
            "ended": "compression" if compressed else "user_exit",
            "active": began + (200 if compressed else rng.random() * 3 * 86_400),
            "texts": [f"please look at item {number} of the list {rng.random()}", f"item {number} is done"],
        }
        yield session
        before = session


def fill_plainly(database: str, count: int) -> None:
    open_store(database).close()
    with closing(sqlite3.connect(database)) as connection, connection:
        for session in sessions(count):
            connection.execute(
                "INSERT INTO sessions (id, source, model, parent_session_id, started_at, ended_at, end_reason,"
                " message_count) VALUES (?, ?, 'a/model', ?, ?, ?, ?, 2)",
                [session[name] for name in ("id", "source", "parent", "began", "over", "ended")],
            )
            connection.executemany(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", _rows(session)
            )


def _rows(session: dict[str, Any]) -> list[tuple[Any, ...]]:
    first, last = session["texts"]
    return [
        (session["id"], "user", first, session["began"]),
        (session["id"], "assistant", last, session["active"]),
    ]


def fill_in_transactions(database: str, count: int) -> None:
    clock = [0.0]
    time.time = lambda: clock[0]
    db = open_store(database)
    remaining = sessions(count)
    while batch := list(islice(remaining, _BATCH)):
        with db.transaction() as tx:
            for session in batch:
                _store(tx, session, clock)
    db.close()


def _store(tx: Any, session: dict[str, Any], clock: list[float]) -> None:
    clock[0] = session["began"]
    tx.create_session(session["id"], session["source"], model="a/model", parent_session_id=session["parent"])
    for session_id, role, content, at in _rows(session):
        clock[0] = at
        tx.append_message(session_id, role, content)
    clock[0] = session["over"]
    tx.end_session(session["id"], session["ended"])


def main() -> None:
    work = job()
    (fill_in_transactions if work["program"] == "ours" else fill_plainly)(work["database"], work["sessions"])
    answer({"sessions": work["sessions"]})


main()
