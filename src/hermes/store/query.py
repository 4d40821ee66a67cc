"""What a person typed into the search box, parsed once for every engine.

    query     = either
    either    = both { OR both }                    loosest
    both      = without { AND without }
    without   = together { NOT together }
    together  = item { item }                       words side by side: all of them, tightest
    item      = "(" either ")" | phrase | term
    phrase    = '"' anything '"' [ "*" ]
    term      = anything up to white space [ "*" ]

AND, OR and NOT are operators in capitals, with FTS5's precedence. Everything else is literal: `a:b`,
`foo()`, `-x`, `C++`. What cannot be an operator where it stands is not one: a dangling AND is dropped,
an opening quote that never closes too, a bracket without its partner is a character. So parsing never
fails; at worst there is nothing to look for (None).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_QUERY = 2000  # characters; more is cut
MAX_LEAVES = 64
_SENTENCE_MARKS = ",.;:!?…。，、！？；："
_WORD = re.compile(r"[^\W_]")


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
    return _Parser(_tokens(text[:MAX_QUERY])).either()


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


@dataclass(frozen=True, slots=True)
class _Operator:
    name: str  # AND, OR, NOT, ( or )


_Token = Leaf | _Operator


_QUOTED = re.compile(r'(\(*)("[^"]*"\*?)(\)*)[,.;:!?]*(?=\s|$)')
_PIECE = re.compile(r"\S+")
_VISIBLE = re.compile(r"\S")


def _tokens(text: str) -> list[_Token]:
    """Pieces between white space, except that a quoted phrase may hold some."""
    found: list[_Token] = []
    position = 0
    while match := _VISIBLE.search(text, position):
        quoted = _QUOTED.match(text, match.start())
        if quoted:
            found += [_Operator("(")] * len(quoted[1])
            found += _phrase(quoted[2])
            found += [_Operator(")")] * len(quoted[3])
            position = quoted.end()
        else:
            piece = _PIECE.match(text, match.start())
            assert piece is not None
            found += _bracketed(_without_loose_quote(piece[0]))
            position = piece.end()
    return _pair_brackets(found)[: MAX_LEAVES * 3]


def _without_loose_quote(piece: str) -> str:
    """An opening quote that never closes is dropped; one behind something (`5"`) belongs to the word."""
    return piece[1:] if piece.startswith('"') and piece.count('"') == 1 else piece


def _phrase(piece: str) -> Iterator[_Token]:
    prefix = piece.endswith("*")
    inner = " ".join(piece.rstrip("*")[1:-1].split())
    if inner:
        yield Leaf(inner, prefix=prefix and _ends_in_word(inner), phrase=True)


def _bracketed(piece: str) -> Iterator[_Token]:
    """A piece with the brackets around it as candidates for operators."""
    opening = len(piece) - len(piece.lstrip("("))
    body = piece[opening:]
    inner_open = body.count("(") - body.rstrip(")").count(")")
    closing = len(body) - len(body.rstrip(")"))
    outer = max(0, closing - max(0, inner_open))
    core = body[: len(body) - outer] if outer else body
    if not core:  # brackets only: `()`, `((`
        if piece:
            yield Leaf(piece)
        return
    for _ in range(opening):
        yield _Operator("(")
    yield from _term(core)
    for _ in range(outer):
        yield _Operator(")")


def _term(text: str) -> Iterator[_Token]:
    if text in ("AND", "OR", "NOT"):
        yield _Operator(text)
        return
    if text.endswith("*") and len(text) > 1 and _ends_in_word(text[:-1]):
        yield Leaf(text[:-1], prefix=True)
        return
    bare = text.rstrip(_SENTENCE_MARKS)
    if bare and _WORD.search(bare):
        text = bare
    if text:
        yield Leaf(text)


def _ends_in_word(text: str) -> bool:
    return bool(_WORD.match(text[-1]))


def _pair_brackets(tokens: list[_Token]) -> list[_Token]:
    """Brackets without a partner become literal parts of the term they touch."""
    open_at: list[int] = []
    paired: set[int] = set()
    for i, token in enumerate(tokens):
        if token == _Operator("("):
            open_at.append(i)
        elif token == _Operator(")") and open_at:
            paired |= {open_at.pop(), i}
    result: list[_Token] = []
    loose_open = ""
    for i, token in enumerate(tokens):
        if i in paired or not isinstance(token, _Operator) or token.name not in "()":
            if isinstance(token, Leaf) and loose_open and not token.phrase:
                token = Leaf(loose_open + token.text, token.prefix)
            loose_open = ""
            result.append(token)
        elif token.name == "(":
            loose_open += "("
        elif result and isinstance(last := result[-1], Leaf):
            result[-1] = last if last.phrase else Leaf(last.text + ")", last.prefix)
        else:
            result.append(Leaf(")"))
    return result


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

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
        while self._take("NOT"):
            unwanted = self._together()
            if unwanted is not None:
                wanted = unwanted if wanted is None else Without(wanted, unwanted)
        return wanted

    def _together(self) -> Node | None:
        parts: list[Node | None] = []
        while self._at < len(self._tokens) and len(parts) < MAX_LEAVES:
            token = self._tokens[self._at]
            if isinstance(token, Leaf):
                self._at += 1
                parts.append(token)
            elif token.name == "(":
                self._at += 1
                parts.append(self.either())
                self._take(")")
            else:
                break
        return _join(All, parts)

    def _take(self, name: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == _Operator(name):
            self._at += 1
            return True
        return False


def _join(kind: type[All] | type[Any], parts: list[Node | None]) -> Node | None:
    present = tuple(part for part in parts if part is not None)
    if len(present) <= 1:
        return present[0] if present else None
    return kind(present)
