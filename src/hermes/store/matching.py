"""Does a text hold what was asked for, where, and how is it shown?

This is the meaning of a query; an engine's indexes only propose candidates. A word matches as a whole
word, case and accents aside; a prefix matches where a word begins; words of a phrase follow each other,
with white space or punctuation between; every other character of a leaf has to be there literally.
Scripts without spaces, and symbols, match anywhere.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from hermes.store.query import All, Any, Leaf, Node, Without, leaves
from hermes.store.words import UNSPACED, composed, fold

_BEFORE = f"(?:(?<![^\\W_])|(?<={UNSPACED.pattern}))"
_AFTER = f"(?:(?![^\\W_])|(?={UNSPACED.pattern}))"
_WORD = re.compile(r"[^\W_]")
_MAX_SPANS = 200
_SNIPPET = 240


@lru_cache(maxsize=256)
def leaf_pattern(leaf: Leaf) -> re.Pattern[str]:
    """What to look for in a folded text."""
    pieces = fold(leaf.text).split()
    pattern = re.escape(pieces[0]) if pieces else ""
    for before, after in pairwise(pieces):
        # Two classes that never overlap, so that no text makes this slow.
        between = r"[\W_]+" if _is_word(before[-1]) and _is_word(after[0]) else r"\s+"
        pattern += between + re.escape(after)
    if not pieces:
        return re.compile(r"(?!)")
    if _is_word(pieces[0][0]):
        pattern = _BEFORE + pattern
    if _is_word(pieces[-1][-1]) and not leaf.prefix:
        pattern += _AFTER
    elif leaf.prefix:
        pattern += r"[^\W_]*"
    return re.compile(pattern)


def _is_word(char: str) -> bool:
    """A character of a script that puts spaces between words."""
    return bool(_WORD.match(char)) and not UNSPACED.match(char)


def matches(node: Node, folded: str) -> bool:
    """Whether a folded text answers the query."""
    if isinstance(node, Leaf):
        return leaf_pattern(node).search(folded) is not None
    if isinstance(node, All):
        return all(matches(part, folded) for part in node.parts)
    if isinstance(node, Any):
        return any(matches(part, folded) for part in node.parts)
    return matches(node.wanted, folded) and not matches(node.unwanted, folded)


def is_exact(leaf: Leaf) -> bool:
    """Whether a word index answers this leaf by itself: one plain word of a script with spaces."""
    folded = fold(leaf.text)
    return folded.isalnum() and max(folded) < "\u0e00"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


def spans(node: Node, text: str) -> list[Span]:
    """Where the wanted leaves match in a composed text, left to right, without overlaps."""
    folded = fold(text)
    found: list[tuple[int, int]] = []
    for leaf in leaves(node, wanted_only=True):
        for count, match in enumerate(leaf_pattern(leaf).finditer(folded)):
            if count >= _MAX_SPANS:
                break
            if match.end() > match.start():
                found.append(match.span())
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return merged


def snippet(node: Node, text: str, *, before: str = ">>>", after: str = "<<<", width: int = _SNIPPET) -> str:
    """About `width` characters around where most of the matches are, each of them marked."""
    text = composed(text)
    found = spans(node, text)
    start, end = window(text, found, width)
    pieces: list[str] = ["..."] if start > 0 else []
    at = start
    for span in found:
        if span.start >= start and span.end <= end:
            pieces += [text[at : span.start], before, text[span.start : span.end], after]
            at = span.end
    pieces.append(text[at:end])
    if end < len(text):
        pieces.append("...")
    return "".join(pieces).replace("\n", " ").strip()


def window(text: str, found: list[Span], width: int) -> tuple[int, int]:
    """The stretch of text to show: the one that holds most matches, cut between words."""
    if len(text) <= width or not found:
        return 0, min(len(text), width)
    best = max(range(len(found)), key=lambda i: (_reached(found, i, width), -i))
    start = max(0, found[best].start - width // 4)
    end = min(len(text), max(start + width, found[best].end))
    if start > 0:
        space = text.find(" ", start, found[best].start)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(found[best].end, end - 20), end)
        end = space if space > 0 else end
    return start, end


def _reached(found: list[Span], first: int, width: int) -> int:
    limit = found[first].start + width * 3 // 4
    return sum(1 for span in found[first : first + 20] if span.end <= limit)


__all__ = ["Without", "is_exact", "leaf_pattern", "matches", "snippet", "spans", "window"]
