"""The text of a message as search sees it: what was said, the tool's name, the calls.

Calls are stored as JSON, their arguments as JSON inside JSON: a line break is written `\\\\n` there, and a
search for the first word of the second line would find nothing. So escapes are undone first. Of a
multimodal content the texts count, not the pictures.
"""

import json
import re
from typing import Any

from hermes.model.calls import told
from hermes.model.text import storable
from hermes.store.encode import decode_content, decode_text

_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("|\Z)', re.DOTALL)
_NESTED = 3  # JSON in JSON in JSON
_BLOB = 1000  # characters without a space: data, not text
_DEPTH = 50


def searchable(
    content: str | None, tool_name: str | None, tool_calls: str | None, kind: str | None, payload: str | None
) -> str:
    """From the columns of a row; `payload` is the unpacked text of its payload, if any."""
    said, tool_name = _words(content, tool_name, kind, payload)
    return f"{said} {tool_name} {readable(tool_calls or '')}"


def shown(
    content: str | None, tool_name: str | None, tool_calls: str | None, kind: str | None, payload: str | None
) -> str:
    """The same for people: calls as `calls terminal: ls -la`, not as they are stored."""
    said, tool_name = _words(content, tool_name, kind, payload)
    calls = storable(told(tool_calls)) if tool_calls else ""
    return " ".join(filter(None, (said, tool_name, calls)))


def _words(content: str | None, tool_name: str | None, kind: str | None, payload: str | None) -> tuple[str, str]:
    """What was said, and the name of the tool."""
    if kind is None and payload is None:
        return content or "", tool_name or ""
    return (
        storable(_said(decode_content(content, kind, payload))),
        storable(decode_text("tool_name", tool_name, kind) or ""),
    )


def readable(text: str, nested: int = _NESTED) -> str:
    """JSON with the escapes in its strings undone; all else stays as it is."""
    if "\\" not in text:
        return text
    return _STRING.sub(lambda string: _unescaped(string, nested), text)


def _unescaped(string: re.Match[str], nested: int) -> str:
    if "\\" not in string[1] or not string[2]:
        return string[0]
    try:
        value = storable(json.loads(f'"{string[1]}"', strict=False))
    except ValueError:
        return string[0]
    return f'"{readable(value, nested - 1) if nested and value.startswith(("{", "[")) else value}"'


def _said(value: Any, depth: int = 0) -> str:
    """The texts in a content, of a list of parts or of any structure."""
    if isinstance(value, str):
        return "" if value.startswith("data:") or _is_blob(value, depth) else value
    if isinstance(value, list) and depth < _DEPTH:
        return " ".join(filter(None, (_said(part, depth + 1) for part in value)))
    if isinstance(value, dict) and depth < _DEPTH:
        return _said_in_part(value, depth)
    return "" if value is None or isinstance(value, bool) else str(value)


def _said_in_part(part: dict[str, Any], depth: int) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if "type" in part:  # the names in it are the format's, not the writer's
        return _said([value for name, value in part.items() if name != "type"], depth)
    return " ".join(f"{name} {_said(value, depth + 1)}" for name, value in part.items())


def _is_blob(text: str, depth: int) -> bool:
    return depth > 0 and len(text) > _BLOB and " " not in text and text.isascii()
