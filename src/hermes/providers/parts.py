"""What the wire formats share: pieces of messages, and tokens as numbers whatever a server sends."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes.errors import AnswerBroken
from hermes.providers.base import Message


def texts(content: Any) -> str:
    """The text of a content, of its parts joined when it has parts."""
    if content is None or isinstance(content, str):
        return content or ""
    found = [part.get("text", "") if isinstance(part, Mapping) else str(part) for part in parts(content)]
    return "\n".join(text for text in found if isinstance(text, str) and text)


def parts(content: Any) -> Sequence[Any]:
    """The parts of a content, text being one part."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return ({"type": "text", "text": content},)
    return content if isinstance(content, list | tuple) else (content,)


def image_url(part: Any) -> str | None:
    """The address of an image part, which can be a data: address; None for anything else."""
    if not isinstance(part, Mapping) or part.get("type") not in ("image_url", "input_image"):
        return None
    url = part.get("image_url")
    return url.get("url") if isinstance(url, Mapping) else url


def calls_of(message: Message) -> Iterator[tuple[str, str, str]]:
    """The tool calls of a message: id, name, arguments as JSON text."""
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield str(call.get("id") or ""), str(function.get("name") or ""), str(function.get("arguments") or "") or "{}"


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """A tool call as the store keeps it."""
    made = call_id or f"call_{uuid.uuid4().hex[:24]}"
    return {"id": made, "type": "function", "function": {"name": name, "arguments": arguments}}


def number(value: Any) -> int:
    """A count of tokens; whatever is not one counts nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def section(value: Any) -> Mapping[str, Any]:
    """A mapping where one should be, an empty one where something else is."""
    return value if isinstance(value, Mapping) else {}


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def parsed(name: str, data: str) -> dict[str, Any]:
    """A piece of an answer, which is a JSON object in every format."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AnswerBroken(f"{name}: a piece of the answer is not a JSON object.")
    return value
