"""A stored conversation in the shape model providers take (OpenAI chat)."""

import json
import re
from collections.abc import Iterable
from typing import Any

# Recalled memory is handed to the model inside this fence; what leaks into a reply is not part of it.
_MEMORY = re.compile(r"<memory-context>.*?</memory-context>\s*", re.DOTALL | re.IGNORECASE)
_PARSED = ("reasoning_details", "codex_reasoning_items", "codex_message_items")


def to_conversation(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The decoded rows as chat messages, in order."""
    return [_to_message(row) for row in rows]


def _to_message(row: dict[str, Any]) -> dict[str, Any]:
    content = row["content"]
    if row["role"] in ("user", "assistant") and isinstance(content, str) and "<" in content:
        content = _MEMORY.sub("", content) if _MEMORY.search(content) else content
    message: dict[str, Any] = {"role": row["role"], "content": content}
    for name in ("tool_call_id", "tool_name", "tool_calls"):
        if row[name]:
            message[name] = row[name]
    if row["role"] == "assistant":
        for name in ("finish_reason", "reasoning"):
            if row[name]:
                message[name] = row[name]
        if row["reasoning_content"] is not None:  # an empty one is part of what some providers replay
            message["reasoning_content"] = row["reasoning_content"]
        for name in _PARSED:
            if row[name]:
                message[name] = json.loads(row[name])
    return message


def join_chain(parts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of a chain, root first, as one conversation: what was carried along appears once,
    and the user prompts that a resume replayed at the start of a part are left out."""
    joined: list[dict[str, Any]] = []
    for rows in parts:
        own = [row for row in rows if row.get("carried_from") is None]
        if joined:
            own = _without_replay(joined, own)
        joined.extend(own)
    return joined


def _without_replay(before: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop the leading user prompts of `rows` that repeat the last one said before."""
    last = next((row for row in reversed(before) if row["role"] == "user"), None)
    start = 0
    while (
        last is not None
        and start < len(rows)
        and rows[start]["role"] == "user"
        and rows[start]["content"] == last["content"]
    ):
        start += 1
    return rows[start:]
