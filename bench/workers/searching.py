"""Searches and questions, each asked several times: how long the caller waits, and how much is found."""

import time
from typing import Any

from program import answer, at_share, job, open_store

_CALLS = 8
_SECONDS = 6.0


def timed(ask: Any, queries: list[str]) -> tuple[list[float], list[int]]:
    """Every query in turn, until each was asked often enough or the time is up."""
    found = [len(ask(query)) for query in queries]
    waits: list[float] = []
    while len(waits) < _CALLS * len(queries) and (len(waits) < 3 or sum(waits) < _SECONDS):
        query = queries[len(waits) % len(queries)]
        begun = time.perf_counter()
        ask(query)
        waits.append(time.perf_counter() - begun)
    return waits, found


def main() -> None:
    work = job()
    db = open_store(work["database"])
    result: dict[str, Any] = {"waits": {}, "slow": {}, "found": {}}
    for name, queries in work["queries"].items():
        asked = db.recall if name == "question" else db.search_messages
        waits, result["found"][name] = timed(asked, queries)
        result["waits"][name] = at_share(waits, 0.5)
        result["slow"][name] = at_share(waits, 0.95)
    db.close()
    answer(result)


main()
