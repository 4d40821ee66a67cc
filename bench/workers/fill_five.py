"""Fill a store of ours with very many sessions of five messages, the same number each day up to now."""

import time
from typing import Any

from program import answer, job, open_store

_BATCH = 2000
_DAY = 86400.0
_SOURCES = ("cli", "cli", "telegram", "cron", "slack")


def store(tx: Any, number: int, at: float) -> None:
    session_id = f"five_{number:06}"
    tx.create_session(session_id, _SOURCES[number % 5], model="a/model", started_at=at)
    call = {"id": "c", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    said = [
        {"role": "user", "content": f"please look at item {number} of the list", "timestamp": at},
        {"role": "assistant", "content": None, "tool_calls": [call], "timestamp": at + 5},
        {
            "role": "tool",
            "content": f"item-{number}",
            "tool_name": "terminal",
            "tool_call_id": "c",
            "timestamp": at + 6,
        },
        {"role": "assistant", "content": f"item {number} is done", "timestamp": at + 9},
        {"role": "user", "content": "thank you", "timestamp": at + 60},
    ]
    tx.append_messages(session_id, said)
    tx.update_token_counts(
        session_id, 1000 + number % 500, 200, model="a/model", api_call_count=2, estimated_cost_usd=0.01
    )


def main() -> None:
    work = job()
    count, a_day, clock = work["sessions"], work["a_day"], time.time
    last = clock() - 120
    db = open_store(work["database"])
    for start in range(0, count, _BATCH):
        with db.transaction() as tx:
            for number in range(start, min(start + _BATCH, count)):
                tx.at = last - (count - number) / a_day * _DAY
                store(tx, number, tx.at)
    db.close()
    answer({"sessions": count})


main()
