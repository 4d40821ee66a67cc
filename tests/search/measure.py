"""Asking a store many questions and keeping count: how many found what they must, raised, and how long they took."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tally:
    """What came of a run."""

    asked: int = 0
    raised: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    slowest_ms: float = 0.0
    slowest: str = ""
    slowest_cpu_ms: float = 0.0  # what other programs do meanwhile does not count

    def ask(self, db: Any, query: str, wanted: int | None = None, **filters: Any) -> None:
        began, cpu = time.perf_counter(), time.process_time()
        try:
            rows = db.search_messages(query, **filters)
        except Exception as error:  # whatever it is, it is what this run looks for
            self.raised.append(f"{query[:80]!r}: {type(error).__name__}: {error}")
            rows = []
        took = (time.perf_counter() - began) * 1000
        self.slowest_cpu_ms = max(self.slowest_cpu_ms, (time.process_time() - cpu) * 1000)
        self.asked += 1
        if took > self.slowest_ms:
            self.slowest_ms, self.slowest = took, query[:80]
        if wanted is not None and all(row["id"] != wanted for row in rows):
            self.missed.append(query)

    def __str__(self) -> str:
        found = self.asked - len(self.missed)
        return f"found {found}/{self.asked}, raised {len(self.raised)}, slowest {self.slowest_ms:.0f} ms"


def ask_all(db: Any, queries: Iterable[str], **filters: Any) -> Tally:
    tally = Tally()
    for query in queries:
        tally.ask(db, query, **filters)
    return tally
