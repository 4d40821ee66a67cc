"""One of many writers: appends without pause for a fixed time, alone or with several threads on one store."""

import sys
import threading
import time
from collections import Counter
from itertools import count
from typing import Any

from program import answer, events, job, message, open_store


class Writer:
    """One thread's session, what it waited for and what went wrong."""

    def __init__(self, db: Any, name: str, messages: list[dict[str, Any]]) -> None:
        self._db = db
        self._name = name
        self._messages = messages
        self.waits: list[float] = []
        self.errors: Counter[str] = Counter()

    def run(self, until: float) -> None:
        for number in count():
            begun = time.perf_counter()
            if begun >= until:
                return
            arguments = dict(self._messages[number % len(self._messages)])
            # No two texts are the same, or one program would store what is large only once.
            arguments["content"] = f"{arguments['content']} {self._name} {number}"
            self._append(arguments)
            self.waits.append(time.perf_counter() - begun)

    def _append(self, arguments: dict[str, Any]) -> None:
        try:
            self._db.append_message(**arguments)
        except Exception as error:  # the two programs fail in different ways; each failure counts
            self.errors[f"{type(error).__name__}: {error}"[:200]] += 1


def main() -> None:
    work = job()
    everything = [message(event) for event in events(work["corpus"]) if event["event"] == "message"]
    db = open_store(work["database"])
    writers = []
    for number in work["numbers"]:
        name = f"writer_{number}"
        db.create_session(session_id=name, source="cli")
        skipped = number * 131 % len(everything)
        mine = [{**arguments, "session_id": name} for arguments in everything[skipped:] + everything[:skipped]]
        writers.append(Writer(db, name, mine))
    print("ready", flush=True)
    begin = float(sys.stdin.readline())  # perf_counter is one clock for all processes of the machine
    time.sleep(max(0.0, begin - time.perf_counter()))
    threads = [threading.Thread(target=writer.run, args=[begin + work["seconds"]]) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    db.close()
    answer(
        {
            "closed": time.perf_counter(),
            "waits": [[round(wait, 7) for wait in writer.waits] for writer in writers],
            "errors": sum((writer.errors for writer in writers), Counter()),
            "failed": [writer.errors.total() for writer in writers],
        }
    )


main()
