"""Fill a store with many short messages, to see how cost grows. Ours through its own batches; the reference, which has
none, through plain inserts into the tables its own code created, triggers and all."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from program import answer, job, open_store

_A_SESSION = 100
_FIRST = 1_700_000_000.0
_CJK = "修改服务端部署测试数据库配置文件错误日志连接超时"


def sessions(messages: int, words: list[str], planted: dict[str, float]) -> Iterator[tuple[str, float, list[str]]]:
    rng = random.Random("short messages")
    for number in range(messages // _A_SESSION):
        texts = []
        for _ in range(_A_SESSION):
            said = rng.choices(words, k=rng.randint(4, 24))
            said += [word for word, rate in planted.items() if rng.random() < rate]
            if rng.random() < 0.04:
                said.append("".join(rng.choices(_CJK, k=rng.randint(4, 30))))
            texts.append(" ".join(said))
        yield f"short_{number:06}", _FIRST + number * 900, texts


def main() -> None:
    work = job()
    database, count = work["database"], work["messages"]
    db = open_store(database)
    rows = sessions(count, work["words"], work["planted"])
    if work["program"] == "ours":
        for session_id, began, texts in rows:
            with db.transaction() as tx:
                tx.create_session(session_id, "cli", started_at=began)
                tx.append_messages(
                    session_id,
                    [{"role": "user", "content": text, "timestamp": began + i} for i, text in enumerate(texts)],
                )
        db.close()
    else:
        db.close()
        fill_plainly(database, rows)
    answer({"messages": count})


def fill_plainly(database: str, rows: Iterator[tuple[str, float, list[str]]]) -> None:
    with closing(sqlite3.connect(database)) as connection:
        for number, (session_id, began, texts) in enumerate(rows):
            connection.execute(
                "INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, 'cli', ?, ?)",
                (session_id, began, len(texts)),
            )
            connection.executemany(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
                [(session_id, text, began + i) for i, text in enumerate(texts)],
            )
            if number % 50 == 0:
                connection.commit()
        connection.commit()


main()
