"""What a program does all day, on a store of some size: append, list, search, open."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from program import answer, job, open_store

_TIMES = 25


def wait(act: Callable[[], Any]) -> float:
    act()
    waits = []
    for _ in range(_TIMES):
        begun = time.perf_counter()
        act()
        waits.append(time.perf_counter() - begun)
    return median(waits)


def _memory() -> float:
    """The most this process ever had, in bytes."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) * 1024


def main() -> None:
    work = job()
    db = open_store(work["database"])
    words = work["queries"]
    figures = {
        "list": wait(lambda: db.list_sessions_rich(limit=20, order_by_last_active=True)),
        **{name: wait(lambda query=query: db.search_messages(query)) for name, query in words.items()},
    }
    if work["program"] == "ours":
        figures["question"] = wait(lambda: db.recall(work["question"]))
    db.create_session(session_id="growing", source="cli")
    figures["append"] = wait(lambda: db.append_message(session_id="growing", role="user", content="one more " * 20))
    db.close()

    def reopen() -> None:
        open_store(work["database"]).close()

    figures["open"] = wait(reopen)
    figures["memory"] = _memory()
    answer(figures)


main()
