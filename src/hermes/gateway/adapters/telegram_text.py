"""Markdown as models write it, in the marks that Telegram knows."""

import re
from html import escape

_BLOCK = re.compile(r"```([\w+-]*)\n?(.*?)```", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_MARKS = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w*])\*([^*\s][^*\n]*?)\*(?![\w*])"), r"<i>\1</i>"),
    (re.compile(r"~~(.+?)~~"), r"<s>\1</s>"),
    (re.compile(r"^#{1,6} +(.+)$", re.MULTILINE), r"<b>\1</b>"),
    (re.compile(r"\[([^\]\n]+)\]\((https?://[^\s)\"]+)\)"), r'<a href="\2">\1</a>'),
)


def as_html(text: str) -> str:
    """Code stays as it is; what is no mark is escaped."""
    kept: list[str] = []

    def keep(marked: str) -> str:
        kept.append(marked)
        return f"\0{len(kept) - 1}\0"

    text = text.replace("\0", "")
    text = _BLOCK.sub(lambda found: keep(f"<pre>{escape(found[2].rstrip(), quote=False)}</pre>"), text)
    text = _INLINE.sub(lambda found: keep(f"<code>{escape(found[1], quote=False)}</code>"), text)
    text = escape(text, quote=False)
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)


def utf16_length(text: str) -> int:
    """Telegram counts as UTF-16 does."""
    return len(text) + sum(char > "\uffff" for char in text)
