"""What is said on Matrix: Markdown with its marks as HTML, threads, and changes of what was said."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from hermes.model.text import clip

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_NOTHING_MARKED = re.compile(r"<p>[^<]*</p>\n?")
_FALLBACK = 200  # characters for clients that do not know changes


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Pictures from elsewhere are shown by no client; a link is.
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("image")


def as_html(text: str) -> str:
    """The text in HTML; empty where that would say no more than the text itself."""
    html: str = _markdown().render(text).strip()
    return "" if _NOTHING_MARKED.fullmatch(html) else html


def content(text: str, thread: str = "") -> dict[str, Any]:
    """A message. It names nobody: a person's name in an answer rings no bell."""
    said: dict[str, Any] = {"msgtype": "m.text", "body": text, "m.mentions": {}}
    html = as_html(text)
    if html:
        said |= {"format": "org.matrix.custom.html", "formatted_body": html}
    return said | related(thread)


def file(address: str, name: str, info: Mapping[str, Any], text: str, thread: str) -> dict[str, Any]:
    """A file that was uploaded, with what is said about it."""
    kind = "m.image" if info["mimetype"].startswith("image/") else "m.file"
    said = content(text or name, thread)
    return said | {"msgtype": kind, "url": address, "filename": name, "info": dict(info)}


def related(thread: str) -> dict[str, Any]:
    """What puts a message into a thread; clients without threads show an answer to the first message of it."""
    if not thread:
        return {}
    return {
        "m.relates_to": {
            "rel_type": "m.thread",
            "event_id": thread,
            "is_falling_back": True,
            "m.in_reply_to": {"event_id": thread},
        }
    }


def changed(message: str, text: str) -> dict[str, Any]:
    """Another text in the place of a message."""
    return {
        "msgtype": "m.text",
        "body": f"* {clip(text, _FALLBACK, '…')}",
        "m.mentions": {},
        "m.new_content": content(text),
        "m.relates_to": {"rel_type": "m.replace", "event_id": message},
    }


def length(text: str) -> int:
    """In bytes, as the server counts an event: the text and its HTML, both as JSON."""
    return sum(len(json.dumps(part, ensure_ascii=False).encode()) for part in (text, as_html(text)))
