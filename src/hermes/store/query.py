"""What a person typed into the search box, parsed once for every engine.

    query     = either
    either    = both { OR both }                    loosest
    both      = without { AND without }
    without   = together { NOT together }
    together  = item { item }                       words side by side: all of them, tightest
    item      = "(" either ")" | phrase | term
    phrase    = '"' anything '"' [ "*" ]            also in “curly” quotes
    term      = anything up to white space [ "*" ]

AND, OR and NOT are operators in capitals, with FTS5's precedence. Everything else is literal: `a:b`,
`foo()`, `-x`, `C++`. What cannot be an operator where it stands is not one: a dangling AND is dropped,
an opening quote that never closes too, a bracket without its partner is a character. A query of nothing
but operators and quotes is taken literally. So parsing never fails; at worst there is nothing to look
for (None). It is bounded: MAX_QUERY characters, MAX_LEAVES terms, MAX_DEPTH brackets; what is beyond
is left out, which finds more, not less, unless it was behind an OR.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hermes.model.text import storable
from hermes.store.words import fold, is_unspaced

MAX_QUERY = 2000  # characters
MAX_LEAVES = 64
MAX_DEPTH = 12  # brackets in brackets
MAX_PHRASE = 40  # words of one phrase
_SENTENCE_MARKS = ",.;:!?…。，、！？；："


@dataclass(frozen=True, slots=True)
class Leaf:
    """One thing to look for. A `phrase` was quoted; a `prefix` may go on."""

    text: str
    prefix: bool = False
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class All:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Any:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Without:
    wanted: "Node"
    unwanted: "Node"


Node = Leaf | All | Any | Without


def parse(text: str) -> Node | None:
    """The tree for what was typed, or None when there is nothing to look for."""
    text = storable(_cut(text.strip()))
    node = _Parser(_tokens(text)).either()
    return node if node is not None else _literally(text)


def leaves(node: Node | None, *, wanted_only: bool = False) -> Iterator[Leaf]:
    """The leaves of a tree, left to right; with `wanted_only` without what NOT excludes."""
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, All | Any):
        for part in node.parts:
            yield from leaves(part, wanted_only=wanted_only)
    elif isinstance(node, Without):
        yield from leaves(node.wanted, wanted_only=wanted_only)
        if not wanted_only:
            yield from leaves(node.unwanted)


def _cut(text: str) -> str:
    """A long text up to its last whole word; a word without end is cut and may go on."""
    if len(text) <= MAX_QUERY:
        return text
    kept = text[:MAX_QUERY]
    if text[MAX_QUERY].isspace():
        return kept
    whole = kept.rsplit(None, 1)[0]
    return whole if whole != kept else kept + "*"


def _literally(text: str) -> Node | None:
    pieces = text.split()[:MAX_LEAVES]
    return _join(All, [_leaf(piece) for piece in pieces])


def _leaf(text: str, *, prefix: bool = False, phrase: bool = False) -> Leaf | None:
    """None for what is nothing to a searcher, such as a lone accent."""
    return Leaf(text, prefix, phrase) if fold(text).strip() else None


@dataclass(frozen=True, slots=True)
class _Operator:
    name: str  # AND, OR, NOT


@dataclass(frozen=True, slots=True)
class _Bracket:
    name: str  # ( or )
    touching: bool = True  # a term, with nothing between


@dataclass(frozen=True, slots=True)
class _Typed:
    """A term as it was typed."""

    text: str


_Token = Leaf | _Operator | _Bracket | _Typed

_QUOTED = re.compile(r'(\(*)("[^"]*"|“[^“”]*”|„[^“”„]*[“”])(\*?)(\)*)[,.;:!?]*(?=\s|$)')
_PIECE = re.compile(r"\S+")


def _tokens(text: str) -> list[_Token]:
    """Pieces between white space, except that a quoted phrase may hold some."""
    found: list[_Token] = []
    position = 0
    while (piece := _PIECE.search(text, position)) and len(found) < MAX_LEAVES * 6:
        quoted = _QUOTED.match(text, piece.start())
        if quoted:
            found += [_Bracket("(")] * len(quoted[1])
            found += _phrase(quoted[2][1:-1], prefix=bool(quoted[3]))
            found += [_Bracket(")")] * len(quoted[4])
            position = quoted.end()
        else:
            found += _bracketed(_without_loose_quote(piece[0]))
            position = piece.end()
    return [token for paired in _pair_brackets(found) for token in _meant(paired)][: MAX_LEAVES * 3]


def _without_loose_quote(piece: str) -> str:
    """An opening quote that never closes is dropped; one behind something (`5"`) belongs to the word."""
    return piece[1:] if piece.startswith('"') and piece.count('"') == 1 else piece


def _phrase(inner: str, *, prefix: bool) -> Iterator[_Token]:
    leaf = _leaf(" ".join(inner.split()[:MAX_PHRASE]), prefix=prefix, phrase=True)
    if leaf is not None:
        yield leaf


def _bracketed(piece: str) -> Iterator[_Token]:
    """A piece with the brackets around it as candidates for operators. `foo()` keeps its own."""
    if piece and not piece.strip(piece[0]) and piece[0] in "()":
        yield from [_Bracket(piece[0], touching=False)] * len(piece)
        return
    body = piece.lstrip("(")
    if (bare := body.rstrip(_SENTENCE_MARKS)).endswith(")"):
        body = bare
    closing = len(body) - len(body.rstrip(")"))
    own = max(0, body.count("(") - body.rstrip(")").count(")"))
    core = body[: len(body) - max(0, closing - own)]
    if not core.strip("()"):  # brackets only, such as `()`
        yield _Typed(piece)
        return
    yield from [_Bracket("(")] * (len(piece) - len(piece.lstrip("(")))
    yield _Typed(core)
    yield from [_Bracket(")")] * (len(body) - len(core))


def _pair_brackets(tokens: list[_Token]) -> list[_Token]:
    """Brackets without a partner, or with nothing between, become literal; too deep ones go."""
    paired, too_deep = _pairs(tokens)
    result: list[_Token] = []
    opened = ""  # loose brackets that belong to the next term
    for place, token in enumerate(tokens):
        if not isinstance(token, _Bracket) or place in paired:
            if isinstance(token, _Typed):
                token = _Typed(opened + token.text)
            opened = ""
            if place not in too_deep:
                result.append(token)
        elif not token.touching:
            result.append(_Typed(token.name))
        elif token.name == "(":
            opened += "("
        elif result and isinstance(last := result[-1], _Typed):
            result[-1] = _Typed(last.text + ")")
    return result


def _pairs(tokens: list[_Token]) -> tuple[set[int], set[int]]:
    """The places of brackets that have a partner, and of those of them that are nested too deep."""
    opened: list[int] = []
    paired: set[int] = set()
    too_deep: set[int] = set()
    for place, token in enumerate(tokens):
        if not isinstance(token, _Bracket):
            continue
        if token.name == "(":
            opened.append(place)
        elif opened:
            pair = {opened.pop(), place}
            if min(pair) + 1 < place:
                paired |= pair
                too_deep |= pair if len(opened) >= MAX_DEPTH else set()
    return paired, too_deep


def _meant(token: _Token) -> Iterator[_Token]:
    """What a term means, now that its brackets are known."""
    if not isinstance(token, _Typed):
        yield token
    elif token.text in ("AND", "OR", "NOT"):
        yield _Operator(token.text)
    elif (leaf := _term(token.text)) is not None:
        yield leaf


def _term(text: str) -> Leaf | None:
    stem = text[:-1]
    if text.endswith("*") and not stem.endswith("*") and _has_word(stem):
        return _leaf(stem, prefix=True)
    bare = text.rstrip(_SENTENCE_MARKS)
    return _leaf(bare if _has_word(bare) else text)


def _has_word(text: str) -> bool:
    return any(char.isalnum() or is_unspaced(char) for char in text)


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._leaves = 0

    def either(self) -> Node | None:
        parts = [self._both()]
        while self._take("OR"):
            parts.append(self._both())
        return _join(Any, parts)

    def _both(self) -> Node | None:
        parts = [self._without()]
        while self._take("AND"):
            parts.append(self._without())
        return _join(All, parts)

    def _without(self) -> Node | None:
        wanted = self._together()
        unwanted: list[Node | None] = []
        while self._take("NOT"):
            found = self._together()
            if wanted is None:
                wanted = found
            else:
                unwanted.append(found)
        excluded = _join(Any, unwanted)
        return wanted if wanted is None or excluded is None else Without(wanted, excluded)

    def _together(self) -> Node | None:
        parts: list[Node | None] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if isinstance(token, Leaf):
                self._at += 1
                self._leaves += 1
                parts.append(token if self._leaves <= MAX_LEAVES else None)
            elif isinstance(token, _Bracket) and token.name == "(":
                self._at += 1
                parts.append(self.either())
                self._take(")")
            else:
                break
        return _join(All, parts)

    def _take(self, name: str) -> bool:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if isinstance(token, _Operator | _Bracket) and token.name == name:
            self._at += 1
            return True
        return False


def _join(kind: type[All] | type[Any], parts: Iterable[Node | None]) -> Node | None:
    """One node for several; those of the same kind become one."""
    present: dict[Node, None] = {}
    for part in parts:
        if part is not None:
            present |= dict.fromkeys(part.parts if isinstance(part, kind) else [part])
    if len(present) <= 1:
        return next(iter(present), None)
    return kind(tuple(present))
