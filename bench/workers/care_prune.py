"""Prune what is older than so many days before the corpus ends, and give the space back."""

import time

from program import answer, job, open_store


def main() -> None:
    work = job()
    time.time = lambda: work["now"]  # the corpus has dates of its own
    db = open_store(work["database"])
    begun = time.perf_counter()
    pruned = db.prune_sessions(older_than_days=work["days"])
    deleted = time.perf_counter()
    db.vacuum()
    done = time.perf_counter()
    db.close()
    answer({"pruned": pruned, "prune": deleted - begun, "vacuum": done - deleted})


main()
