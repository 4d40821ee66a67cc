"""What every worker needs. Workers run inside either program's environment: they know nothing but the standard
library and the documented `from hermes_state import SessionDB`. A worker takes its job as JSON in its first argument
and prints its answer as one line of JSON."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SENT = ("session_id", "role", "content", "tool_name", "tool_calls", "tool_call_id", "token_count", "finish_reason")


def job() -> dict[str, Any]:
    return json.loads(sys.argv[1])


def answer(result: dict[str, Any]) -> None:
    print(json.dumps(result))


def open_store(path: str) -> Any:
    from hermes_state import SessionDB

    return SessionDB(db_path=Path(path))


def events(file: str) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def create(db: Any, event: dict[str, Any]) -> None:
    db.create_session(
        session_id=event["id"],
        source=event["source"],
        model=event["model"],
        user_id=event["user_id"],
        system_prompt=event["system_prompt"],
        parent_session_id=event["parent"],
    )


def message(event: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `append_message`."""
    return {name: event[name] for name in _SENT if name in event}


def timed_appends(db: Any, messages: list[dict[str, Any]]) -> list[float]:
    """Append each, and say how long the caller waited for each."""
    waits = []
    for arguments in messages:
        begun = time.perf_counter()
        db.append_message(**arguments)
        waits.append(time.perf_counter() - begun)
    return waits


def at_share(values: list[float], share: float) -> float:
    """The value below which this share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
