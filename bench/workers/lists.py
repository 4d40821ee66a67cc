"""The first page of a long list, in every order and filter: how long the caller waits, and which rows come."""

import time
from statistics import median
from typing import Any

from program import answer, job, open_store

QUERIES: dict[str, dict[str, Any]] = {
    "started": {},
    "active": {"order_by_last_active": True},
    "common": {"source": "cli"},
    "common_active": {"source": "cli", "order_by_last_active": True},
    "rare": {"source": "sms"},
    "rare_active": {"source": "sms", "order_by_last_active": True},
    "excluded": {"exclude_sources": ["cron", "discord"]},
    "excluded_active": {"exclude_sources": ["cron", "discord"], "order_by_last_active": True},
}
_CALLS = 40
_SECONDS = 1.5


def timed(db: Any, query: dict[str, Any]) -> tuple[float, list[str]]:
    rows = db.list_sessions_rich(limit=20, **query)
    waits: list[float] = []
    while len(waits) < 3 or (len(waits) < _CALLS and sum(waits) < _SECONDS):
        begun = time.perf_counter()
        db.list_sessions_rich(limit=20, **query)
        waits.append(time.perf_counter() - begun)
    return median(waits), [row["id"] for row in rows]


def main() -> None:
    db = open_store(job()["database"])
    found = {name: timed(db, query) for name, query in QUERIES.items()}
    db.close()
    answer(
        {"waits": {name: wait for name, (wait, _) in found.items()}, "ids": {n: ids for n, (_, ids) in found.items()}}
    )


main()
