"""The grammar: what is an operator, what is literal, and that every text is one or the other."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.store.query import MAX_LEAVES, All, Any, Leaf, Node, Without, leaves, parse


def term(text: str) -> Leaf:
    return Leaf(text)


A, B, C, D = map(term, "abcd")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a", A),
        ("a b", All((A, B))),
        ("a AND b", All((A, B))),
        ("a OR b", Any((A, B))),
        ("a NOT b", Without(A, B)),
        ("a NOT b NOT c", Without(A, Any((B, C)))),
        ("a OR b AND c", Any((A, All((B, C))))),  # AND binds tighter than OR
        ("a AND b NOT c", All((A, Without(B, C)))),  # NOT tighter than AND
        ("a b NOT c", Without(All((A, B)), C)),  # side by side tightest
        ("a NOT b c", Without(A, All((B, C)))),
        ("a OR b c OR d", Any((A, All((B, C)), D))),
        ("(a OR b) c", All((Any((A, B)), C))),
        ("( a OR b ) AND c", All((Any((A, B)), C))),
        ("(a OR b), c", All((Any((A, B)), C))),
        ("a NOT (b OR c)", Without(A, Any((B, C)))),
        ("((a))", A),
        ("(a (b (c)))", All((A, B, C))),
        ('"a b"', Leaf("a b", phrase=True)),
        ('"a  b"', Leaf("a b", phrase=True)),
        ("“a b”", Leaf("a b", phrase=True)),
        ("„a b“", Leaf("a b", phrase=True)),
        ('"a b"*', Leaf("a b", prefix=True, phrase=True)),
        ('("a b" OR c)', Any((Leaf("a b", phrase=True), C))),
        ('"AND"', Leaf("AND", phrase=True)),
        ("deploy*", Leaf("deploy", prefix=True)),
        ("数据*", Leaf("数据", prefix=True)),
        ("हि*", Leaf("हि", prefix=True)),
        ("test_*", Leaf("test_", prefix=True)),
        ("a,", A),
        ("a: b!", All((A, B))),
        ("what?", Leaf("what")),
        ("a a a", A),
    ],
)
def test_operators(typed: str, meant: Node) -> None:
    assert parse(typed) == meant


@pytest.mark.parametrize(
    "typed",
    ["a:b", "foo()", "-x", "--flag", "C++", "it's", "$100", "user@example.com", "a/b", "and", "or", "not", "And",
     "f(x)(y)", "*", "**", "*args", ".*", "()", "...", "!", "\\", "{}", "^a", "[a]", "a|b", "a&&b", '5"', "a\"b", "AND",
     "OR", "NOT", "NEAR(a", "content:x", "#1", "%", "~/.x", "<a>", ":)", "(:", "(a", "a)", "end.)", '""', '"'],
)  # fmt: skip
def test_everything_else_is_literal(typed: str) -> None:
    assert parse(typed) == Leaf(typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hello AND", Leaf("hello")),
        ("AND hello", Leaf("hello")),
        ("OR a OR", A),
        ("a AND AND b", All((A, B))),
        ("NOT a", A),
        ("a NOT", A),
        ('"a b', All((A, B))),
        ('a "b', All((A, B))),
        ('a ""', A),
        ("( a", All((Leaf("("), A))),
        ("a )", All((A, Leaf(")")))),
        ("( )", All((Leaf("("), Leaf(")")))),
        ("AND OR", All((Leaf("AND"), Leaf("OR")))),
    ],
)
def test_what_dangles_is_dropped_or_literal(typed: str, meant: Node) -> None:
    assert parse(typed) == meant


@pytest.mark.parametrize("typed", ["", " ", "\n\t", "\u0301", "\u200b", "\ufeff \u00ad", "\u3000"])
def test_there_may_be_nothing_to_look_for(typed: str) -> None:
    assert parse(typed) is None


def test_a_query_is_bounded() -> None:
    assert len(list(leaves(parse(" ".join(f"w{n}" for n in range(500)))))) == MAX_LEAVES
    assert len(list(leaves(parse(" OR ".join(f"w{n}" for n in range(500)))))) <= MAX_LEAVES
    assert parse("(" * 900 + "a" + ")" * 900) == A
    assert depth(parse("".join(f"(w{n} OR " for n in range(40)) + "x" + ")" * 40)) < 30


def depth(node: Node | None) -> int:
    if isinstance(node, All | Any):
        return 1 + max(map(depth, node.parts))
    return 1 + max(depth(node.wanted), depth(node.unwanted)) if isinstance(node, Without) else 1


def test_a_long_text_is_cut_between_words_and_a_long_word_may_go_on() -> None:
    assert {leaf.text for leaf in leaves(parse("word " * 1000 + "rest"))} == {"word"}
    (leaf,) = leaves(parse("x" * 5000))
    assert leaf.prefix
    assert len(leaf.text) < 5000
    assert ("x" * 5000).startswith(leaf.text)
    assert parse(" " * 5000 + "a") == A


@given(st.text(max_size=200))
def test_any_text_can_be_parsed(typed: str) -> None:
    found = parse(typed)
    assert found is None or all(leaf.text.strip() for leaf in leaves(found))


@pytest.mark.parametrize("seed", range(200))
def test_a_tree_written_out_means_the_same(seed: int) -> None:
    """Against an evaluator of its own: every combination of true and false."""
    rng = Random(seed)
    written, meaning = _tree(rng, 3)
    parsed = parse(written)
    for bits in range(16):
        true = {letter for place, letter in enumerate("abcd") if bits >> place & 1}
        assert _holds(parsed, true) == eval(meaning, {}, {letter: letter in true for letter in "abcd"}), written


def _tree(rng: Random, levels: int) -> tuple[str, str]:
    if levels == 0 or rng.random() < 0.2:
        letter = rng.choice("abcd")
        return letter, letter
    operator, meaning = rng.choice([(" ", "and"), (" AND ", "and"), (" OR ", "or"), (" NOT ", "and not")])
    (left, left_meaning), (right, right_meaning) = _tree(rng, levels - 1), _tree(rng, levels - 1)
    brackets = rng.choice(["({})", "( {} )"])
    return brackets.format(left + operator + right), f"({left_meaning} {meaning} {right_meaning})"


def _holds(node: Node | None, true: set[str]) -> bool:
    if isinstance(node, Leaf):
        return node.text in true
    if isinstance(node, All):
        return all(_holds(part, true) for part in node.parts)
    if isinstance(node, Any):
        return any(_holds(part, true) for part in node.parts)
    return isinstance(node, Without) and _holds(node.wanted, true) and not _holds(node.unwanted, true)
