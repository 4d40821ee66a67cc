"""Fill a store with the corpus the way a program does: one call, one commit each."""

import time

from program import answer, create, events, job, message, open_store


def main() -> None:
    work = job()
    now = time.time()
    # Neither program is told the corpus' dates; both read the clock, which shows them.
    time.time = lambda: now
    db = open_store(work["database"])
    begun = time.perf_counter()
    count = 0
    for event in events(work["corpus"]):
        now = event["at"]
        if event["event"] == "message":
            db.append_message(**message(event))
            count += 1
        elif event["event"] == "end":
            db.end_session(event["id"], event["reason"])
        else:
            create(db, event)
            if event["title"]:
                db.set_session_title(event["id"], event["title"])
    db.close()
    answer({"messages": count, "seconds": time.perf_counter() - begun})


main()
