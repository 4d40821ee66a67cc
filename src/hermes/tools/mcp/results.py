"""What an MCP tool answered, as the model reads it. Pictures go to a file, where vision_analyze finds them."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from hermes.tools.base import ToolResult
from hermes.tools.results import spill_file
from hermes.tools.work import Work

_LARGEST = 20_000_000  # bytes of one picture or sound


def as_result(answer: Mapping[str, Any], work: Work) -> ToolResult:
    said = [_block(block, work) for block in answer.get("content") or () if isinstance(block, Mapping)]
    text = "\n\n".join(filter(None, said))
    if not text and answer.get("structuredContent") is not None:
        text = json.dumps(answer["structuredContent"], ensure_ascii=False)
    return ToolResult(text or "(no answer)", ok=not answer.get("isError"))


def _block(block: Mapping[str, Any], work: Work) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind in ("image", "audio"):
        return _saved(str(kind), str(block.get("data", "")), str(block.get("mimeType", "")), work)
    if kind == "resource_link":
        return f"[{block.get('name') or 'resource'}: {block.get('uri', '')}]"
    inner = block.get("resource")
    if kind == "resource" and isinstance(inner, Mapping):
        if "text" in inner:
            return f"[{inner.get('uri', '')}]\n{inner['text']}"
        return _saved("file", str(inner.get("blob", "")), str(inner.get("mimeType", "")), work)
    return f"[{kind}: cannot be shown]"


def _saved(kind: str, data: str, mime: str, work: Work) -> str:
    """The bytes in a private file; how the model gets at it."""
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return f"[{kind} {mime}: damaged]"
    if len(content) > _LARGEST:
        return f"[{kind} {mime}: {len(content):,} bytes, too large]"
    file = spill_file(work)
    file.write_bytes(content)
    look = "; vision_analyze looks at it" if kind == "image" else ""
    return f"[{kind} {mime}, {len(content):,} bytes, in {file}{look}]"
