"""What the disk allows: the same texts into one table of a bare database, one commit each, nothing else done."""

import time

import apsw
from program import answer, at_share, events, job


def main() -> None:
    work = job()
    texts = [event["content"] for event in events(work["corpus"]) if event["event"] == "message"]
    connection = apsw.Connection(work["database"])
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute("PRAGMA synchronous=FULL; CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT)")
    waits = []
    started = time.perf_counter()
    for text in texts:
        begun = time.perf_counter()
        connection.execute("INSERT INTO messages (content) VALUES (?)", (text,))
        waits.append(time.perf_counter() - begun)
    connection.close()
    elapsed = time.perf_counter() - started
    answer({"rate": len(texts) / elapsed, "p50": at_share(waits, 0.5), "p99": at_share(waits, 0.99)})


main()
