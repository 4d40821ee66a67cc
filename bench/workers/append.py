"""One writer: every message is one call and one commit; the clock stops when the store is closed."""

import time

from program import answer, at_share, create, events, job, message, open_store, timed_appends


def main() -> None:
    work = job()
    db = open_store(work["database"])
    messages = []
    for event in events(work["corpus"]):
        if event["event"] == "session":
            create(db, {**event, "parent": None})
        elif event["event"] == "message":
            messages.append(message(event))
    begun, computed = time.perf_counter(), time.process_time()
    waits = timed_appends(db, messages)
    db.close()
    elapsed = time.perf_counter() - begun
    answer(
        {
            "rate": len(messages) / elapsed,
            "processor": (time.process_time() - computed) / len(messages),
            "p50": at_share(waits, 0.5),
            "p99": at_share(waits, 0.99),
            "max": max(waits),
        }
    )


main()
