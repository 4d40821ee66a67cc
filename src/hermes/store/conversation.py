"""A stored conversation in the shape model providers take (OpenAI chat)."""

import json
import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

# Recalled memory is handed to the model inside this fence; what leaks into a reply is not part of it.
_MEMORY = re.compile(r"<memory-context>.*?</memory-context>|</?memory-context>", re.DOTALL | re.IGNORECASE)
_PARSED = ("reasoning_details", "codex_reasoning_items", "codex_message_items")


def to_conversation(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The decoded rows as chat messages, in order."""
    return [_to_message(row) for row in rows]


def _to_message(row: dict[str, Any]) -> dict[str, Any]:
    content = row["content"]
    if row["role"] in ("user", "assistant"):
        content = without_memory(content)
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


def without_memory(content: Any) -> Any:
    """The content without fenced memory; text that has none stays exactly as it is."""
    if isinstance(content, str):
        return _MEMORY.sub("", content).strip() if _MEMORY.search(content) else content
    if isinstance(content, list):
        return [
            part | {"text": without_memory(part["text"])}
            if isinstance(part, dict) and isinstance(part.get("text"), str)
            else part
            for part in content
        ]
    return content


def join_chain(parts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of a chain, root first, as one conversation: what was carried along appears once, a branch stands
    for the part it copied, and the prompts that a resume replayed are left out."""
    joined: list[dict[str, Any]] = []
    earlier: list[dict[str, Any]] = []  # joined, without the part before
    previous: list[dict[str, Any]] = []
    for rows in parts:
        own = [row for row in rows if row.get("carried_from") is None]
        if previous and rows and own and own[0] is rows[0] and _moment(previous[0]) == _moment(rows[0]):
            known = set(map(_moment, earlier))
            joined = earlier + [row for row in own if _moment(row) not in known]
        else:
            earlier, joined = joined, joined + _without_replay(joined, own)
        previous = rows
    return joined


def _moment(row: dict[str, Any]) -> tuple[str, float, str]:
    """What makes a row the copy of another: the same words of the same moment."""
    return row["role"], row["timestamp"], repr(row["content"])


def _without_replay(before: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`rows` without the prompts at their beginning that stood unanswered at the end of what came before."""
    unanswered = [row["content"] for row in takewhile(_by_user, reversed(before))]
    opening = list(takewhile(_by_user, rows))
    return [row for row in opening if row["content"] not in unanswered] + rows[len(opening) :]


def _by_user(row: dict[str, Any]) -> bool:
    return bool(row["role"] == "user")
