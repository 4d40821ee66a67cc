"""Does a text hold what was asked for, where, and how is it shown?

This is the meaning of a query; an engine's indexes only propose candidates. A word matches as a whole
word, case and accents aside; a prefix matches where a word begins; words of a phrase follow each other,
with white space or punctuation between; every other character of a leaf has to be there literally.
Scripts without spaces, and symbols, match anywhere.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise, repeat

from hermes.store.query import All, Any, Leaf, Node, leaves
from hermes.store.words import composed, fold, is_word, places, unspaced_runs, word_end

_LONG = 4000  # characters; in a longer text the first few matches decide what is shown
_MOST_SPANS, _TRIES = 50, 1000
_SNIPPET = 240


@dataclass(frozen=True, slots=True)
class _Sought:
    """A leaf as it is looked for in a folded text."""

    pieces: tuple[str, ...]
    whole: re.Pattern[str] | None  # all pieces with what may stand between; None when there is one
    starts_word: bool
    ends_word: bool
    prefix: bool

    @property
    def anywhere(self) -> bool:
        """Being contained is all there is to it."""
        return self.whole is None and not self.starts_word and not self.ends_word

    def next(self, folded: str, at: int, before: int | None) -> tuple[int, int] | None:
        """The next place where the characters stand, whatever is around them."""
        if self.whole is None:
            found = folded.find(self.pieces[0], at, before)
            return None if found < 0 else (found, found + len(self.pieces[0]))
        match = self.whole.search(folded, at)
        return match.span() if match and (before is None or match.start() < before) else None

    def fits(self, folded: str, start: int, end: int) -> bool:
        """Whether no word goes on where this one must begin or end."""
        begins = not self.starts_word or start == 0 or not is_word(folded[start - 1])
        return begins and (not self.ends_word or end == len(folded) or not is_word(folded[end]))


@lru_cache(maxsize=256)
def _sought(leaf: Leaf) -> _Sought:
    pieces = tuple(fold(leaf.text).split())
    ends_word = bool(pieces) and is_word(pieces[-1][-1]) and not leaf.prefix
    return _Sought(pieces, _whole(pieces), bool(pieces) and is_word(pieces[0][0]), ends_word, leaf.prefix)


def _whole(pieces: tuple[str, ...]) -> re.Pattern[str] | None:
    if len(pieces) < 2:
        return None
    pattern = re.escape(pieces[0])
    for before, after in pairwise(pieces):
        # What stands between never overlaps with what follows: nothing to go back for, so no text makes this slow.
        between = r"[\W_]++" if is_word(before[-1]) and is_word(after[0]) else r"\s++"
        pattern += between + re.escape(after)
    return re.compile(pattern)


def matches(node: Node, folded: str) -> bool:
    """Whether a folded text answers the query."""
    if isinstance(node, Leaf):
        sought = _sought(node)
        if not sought.pieces or any(piece not in folded for piece in sought.pieces):
            return False
        return sought.anywhere or next(_occurrences(sought, folded), None) is not None
    if isinstance(node, All):
        return all(matches(part, folded) for part in node.parts)
    if isinstance(node, Any):
        return any(matches(part, folded) for part in node.parts)
    return matches(node.wanted, folded) and not matches(node.unwanted, folded)


def _occurrences(
    sought: _Sought, folded: str, at: int = 0, end: int | None = None, tries: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where it is found, left to right; between two places, and with at most so many tries, if need be."""
    for _ in repeat(None) if tries is None else repeat(None, tries):
        found = sought.next(folded, at, end) if sought.pieces else None
        if found is None:
            return
        start, stop = found
        if sought.fits(folded, start, stop):
            stop = word_end(folded, stop) if sought.prefix else stop
            yield start, stop
            at = stop
        else:  # a word is looked for at its beginning only
            at = word_end(folded, start) if sought.starts_word else start + 1


def is_exact(leaf: Leaf) -> bool:
    """Whether a word index answers this leaf by itself: one plain word of a script with spaces."""
    folded = fold(leaf.text)
    return folded.isalnum() and not unspaced_runs(folded)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Shown:
    """A composed text with its folded form, and where each character of that one comes from."""

    text: str
    folded: str
    source: list[int] | None

    @classmethod
    def of(cls, text: str) -> "_Shown":
        text = composed(text)
        return cls(text, fold(text), places(text))

    def in_folded(self, place: int) -> int:
        return place if self.source is None else bisect_left(self.source, place)

    def span(self, start: int, end: int) -> _Span:
        if self.source is None:
            return _Span(start, end)
        return _Span(self.source[start], max(self.source[end], self.source[end - 1] + 1))


def _part(node: Node, shown: _Shown, width: int) -> tuple[int, int, list[_Span]]:
    """The stretch of text to show, and where the wanted leaves match in it."""
    sought = [_sought(leaf) for leaf in dict.fromkeys(leaves(node, wanted_only=True))]
    long = len(shown.folded) > _LONG
    found: list[tuple[int, int]] = []
    for each in sought:
        found += islice(_occurrences(each, shown.folded, tries=_TRIES), _MOST_SPANS if long else None)
    if not found:  # far behind much that only looks like it
        found += islice(chain.from_iterable(_occurrences(each, shown.folded) for each in sought), 1)
    spans = _merged(shown, found)
    start, end = _window(shown.text, spans, width)
    if long:
        first, last = shown.in_folded(start), shown.in_folded(end)
        spans = _merged(shown, [span for each in sought for span in _occurrences(each, shown.folded, first, last)])
    return start, end, spans


def _merged(shown: _Shown, found: list[tuple[int, int]]) -> list[_Span]:
    """Spans of the text itself, left to right, without overlaps."""
    merged: list[_Span] = []
    for span in (shown.span(*each) for each in sorted(found)):
        if merged and span.start < merged[-1].end:
            merged[-1] = _Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def snippet(node: Node, text: str, *, before: str = ">>>", after: str = "<<<", width: int = _SNIPPET) -> str:
    """About `width` characters around where most of the matches are, each of them marked."""
    shown = _Shown.of(text)
    start, end, spans = _part(node, shown, width)
    marked: list[str] = []
    at = start
    for span in spans:
        if span.start >= at and span.end <= end:
            marked += [shown.text[at : span.start], before, shown.text[span.start : span.end], after]
            at = span.end
    marked.append(shown.text[at:end])
    whole = "".join(marked).replace("\n", " ").strip()
    return ("..." if start > 0 else "") + whole + ("..." if end < len(shown.text) else "")


def hits(node: Node, text: str) -> list[tuple[int, int]]:
    """Where the wanted words stand in a text (composed, see words.py), left to right: (start, end) each."""
    shown = _Shown.of(text)
    _, _, spans = _part(node, shown, len(shown.text))
    return [(span.start, span.end) for span in spans]


def excerpt(node: Node, text: str, width: int) -> str:
    """The same stretch of text, as it was written."""
    shown = _Shown.of(text)
    start, end, _ = _part(node, shown, width)
    return ("..." if start > 0 else "") + shown.text[start:end].strip() + ("..." if end < len(shown.text) else "")


def _window(text: str, found: list[_Span], width: int) -> tuple[int, int]:
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


def _reached(found: list[_Span], first: int, width: int) -> int:
    limit = found[first].start + width * 3 // 4
    return sum(1 for span in found[first : first + 20] if span.end <= limit)
