"""How many columns a text takes on a terminal: CJK and emoji take two, accents and joiners none."""

import unicodedata
from collections.abc import Iterator

_JOINER = "\u200d"
_AS_EMOJI = "\ufe0f"


def width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(size for _, size in _clusters(text))


def cut(text: str, columns: int, ellipsis: str = "…") -> str:
    """The text, or as much of it as fits with the ellipsis behind it."""
    if width(text) <= columns:
        return text
    room, kept = columns - width(ellipsis), ""
    for cluster, size in _clusters(text):
        room -= size
        if room < 0:
            break
        kept += cluster
    return kept + ellipsis if columns >= width(ellipsis) else ""


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """What the eye takes for one character, and its columns: a letter with its accents, an emoji with its parts."""
    cluster, size, joined = "", 0, False
    for char in text:
        if cluster and (joined or _extends(char)):
            cluster += char
            size = 2 if char == _AS_EMOJI else size
            joined = char == _JOINER
            continue
        if cluster:
            yield cluster, size
        cluster, size, joined = char, _size(char), False
    if cluster:
        yield cluster, size


def _extends(char: str) -> bool:
    """Accents, joiners, variation selectors, skin tones, and the inner letters of Korean syllables."""
    if char < "\u0300":
        return False
    return (
        unicodedata.category(char) in ("Mn", "Me", "Cf")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\u1160" <= char <= "\u11ff"
    )


def _size(char: str) -> int:
    if char < "\u0300":
        return 1
    if _extends(char) and not "\U0001f3fb" <= char <= "\U0001f3ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def pieces(text: str, columns: int) -> Iterator[str]:
    """The text in pieces of at most so many columns."""
    if width(text) <= columns:
        yield text
        return
    piece, taken = "", 0
    for cluster, size in _clusters(text):
        if taken + size > columns:
            yield piece
            piece, taken = "", 0
        piece, taken = piece + cluster, taken + size
    yield piece
