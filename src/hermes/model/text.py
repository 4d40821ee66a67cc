"""Text as it is stored and shown.

Stored text is valid Unicode without U+0000, on every engine. What is not (a lone surrogate, a NUL)
is kept losslessly in an escaped form; a column beside the text says that it is.
"""

import re

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_NOT_KEPT = re.compile("[\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def is_storable(text: str) -> bool:
    """Whether every engine can keep this text as it is."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def escape(text: str) -> str:
    """A storable text that `unescape` turns back into exactly this one."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def storable(text: str) -> str:
    """The text with what no engine keeps shown as U+FFFD; for what is derived, never for what was said."""
    return text if is_storable(text) else _NOT_KEPT.sub("\ufffd", text)


def clip(text: str, length: int, ellipsis: str = "...") -> str:
    """The first `length` characters on one line, then the ellipsis when there was more."""
    words = text.split(None, length + 1)[: length + 1]  # this many fill any line, however long the text is
    line = " ".join(words)
    return line if len(line) <= length else line[:length] + ellipsis
