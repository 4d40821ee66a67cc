"""Loading one long session, as rows and as a conversation."""

import time
from statistics import median
from typing import Any

from program import answer, job, open_store

_TIMES = 12


def main() -> None:
    work = job()
    db = open_store(work["database"])
    result: dict[str, Any] = {"loaded": []}
    for name, load in (("rows", db.get_messages), ("conversation", db.get_messages_as_conversation)):
        loaded = load(work["session"])
        waits = []
        for _ in range(_TIMES):
            begun = time.perf_counter()
            load(work["session"])
            waits.append(time.perf_counter() - begun)
        result[name] = median(waits)
        result["loaded"].append([len(loaded), sum(len(row["content"] or "") for row in loaded)])
    db.close()
    answer(result)


main()
