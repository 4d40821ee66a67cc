"""A writer that appends while another process cleans up, and says how long it waited."""

import os
import time

from program import answer, at_share, job, open_store


def main() -> None:
    work = job()
    db = open_store(work["database"])
    db.create_session(session_id="meanwhile", source="cli")
    print("ready", flush=True)
    waits = []
    failed = 0
    deadline = time.monotonic() + 1200
    while not os.path.exists(work["stop"]) and time.monotonic() < deadline:
        begun = time.perf_counter()
        try:
            db.append_message(session_id="meanwhile", role="user", content=f"message {len(waits)} meanwhile")
        except Exception:  # the two programs fail in different ways; each failure counts
            failed += 1
        waits.append(time.perf_counter() - begun)
        time.sleep(0.002)
    db.close()
    answer({"longest": max(waits), "p99": at_share(waits, 0.99), "failed": failed})


main()
