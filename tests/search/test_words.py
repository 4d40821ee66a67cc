"""Words and what counts as the same: our rules and the tokenizer's agree on every character there is."""

import time
import unicodedata

import apsw
import pytest

from hermes.store.matching import matches, snippet
from hermes.store.query import Leaf, parse
from hermes.store.words import composed, fold, is_unspaced, places, spaced_out, unit_runs, units, word_runs

# Of the long stretches where one is like the other (ideographs, Hangul, private and unassigned ones), one in fifty.
ALIKE = [(0x3400, 0x9FFF), (0xA000, 0xA48C), (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0x12000, 0x18FFF), (0x1BC00, 0x1CFFF)]
EVERY_CHARACTER = [
    chr(code)
    for code in (*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 997))
    if code % 50 == 0 or not any(first < code < last for first, last in ALIKE)
]


def test_the_tokenizer_cuts_every_character_as_we_do() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    wanted: dict[int, list[str]] = {}
    for start in range(0, len(EVERY_CHARACTER), 64):  # words between, so that each stands for itself
        folded = fold("".join(f"q{char}z " for char in EVERY_CHARACTER[start : start + 64]))
        connection.execute("INSERT INTO t (rowid, x) VALUES (?, ?)", (start, spaced_out(folded)))
        wanted[start] = [word for run in word_runs(folded) for word in run]
    found: dict[int, list[str]] = {}
    for term, row in connection.execute("SELECT term, doc FROM v ORDER BY doc, offset"):
        if not any(map(is_unspaced, term)):
            found.setdefault(row, []).append(term)
    assert found == wanted


def test_folding_twice_changes_nothing_more() -> None:
    again = [char for char in EVERY_CHARACTER if fold(fold(char)) != fold(char)]
    assert again == []


def test_every_character_is_in_a_word_or_in_a_unit_or_is_nothing() -> None:
    lost = [c for c in EVERY_CHARACTER if fold(c).strip() and not word_runs(fold(c)) and not unit_runs(fold(c))]
    assert lost == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("É", "e"), ("e\u0301", "é"), ("ẞ", "ss"), ("ß", "SS"), ("ﬁ", "fi"), ("Ǆ", "dž"), ("İ", "i"), ("ς", "Σ"),
        ("ё", "е"), ("за\u0301мок", "замок"), ("שָׁלוֹם", "שלום"), ("مَرْحَبًا", "مرحبا"), ("أ", "ا"), ("Ａ", "a"),
        ("１", "1"), ("：", ":"), ("ｶﾞ", "ガ"), ("は\u309a", "ぱ"), ("\u1112\u1161\u11ab", "한"), ("’", "'"), ("❤️", "❤"),
        ("co\u00adop", "coop"), ("𝐱", "x"),
    ],
)  # fmt: skip
def test_these_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("й", "и"), ("ї", "і"), ("カ", "ガ"), ("か", "が"), ("o", "ø"), ("l", "ł"), ("한", "하")]
)
def test_these_are_letters_of_their_own(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    "text", ["plain", "Straße ﬁle", "e\u0301te\u0301", "ｶﾞｲﾄﾞ ﾊﾟ", "co\u00adop ❤️ x", "מָה ﷺ ŉ", "한글 数据"]
)
def test_every_folded_character_knows_where_it_comes_from(text: str) -> None:
    text = composed(text)
    found = places(text)
    folded = fold(text)
    if found is None:
        assert len(folded) == len(text)
        return
    assert len(found) == len(folded) + 1
    assert found == sorted(found)
    assert found[-1] == len(text)
    for place, char in zip(found, folded, strict=False):
        assert char in fold(text[place]) or char in fold(text[place : place + 2])


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("strasse", "die Straße da", "die >>>Straße<<< da"),
        ("file", "the ﬁle x", "the >>>ﬁle<<< x"),
        ("замок", "за\u0301мок стоит", ">>>за\u0301мок<<< стоит"),
        ("ガイド", "これはｶﾞｲﾄﾞです", "これは>>>ｶﾞｲﾄﾞ<<<です"),
        ("❤", "I ❤️ it", "I >>>❤️<<< it"),
        ("dep*", "we deployed it", "we >>>deployed<<< it"),
        ("foo bar", "foo, bar and foo", ">>>foo<<<, >>>bar<<< and >>>foo<<<"),
        ('"foo bar"', "foo, bar and foo", ">>>foo, bar<<< and foo"),
        ("foo NOT bar", "foo and foo", ">>>foo<<< and >>>foo<<<"),
        ("数据", "大数据平台", "大>>>数据<<<平台"),
        ("::", "a::b", "a>>>::<<<b"),
        ("aa aaa", "aaa aa", ">>>aaa<<< >>>aa<<<"),
        ("a*  ab", "ab", ">>>ab<<<"),
        ("x", "line\nx\nline", "line >>>x<<< line"),
    ],
)
def test_a_snippet_marks_what_was_found_as_it_was_written(query: str, text: str, marked: str) -> None:
    node = parse(query)
    assert node is not None
    assert snippet(node, text) == marked


def test_a_snippet_is_cut_around_where_most_of_it_is() -> None:
    text = "needle " + "hay " * 500 + "needle thread needle " + "hay " * 500
    found = snippet(parse("needle thread"), text)  # type: ignore[arg-type]
    assert ">>>needle<<< >>>thread<<< >>>needle<<<" in found
    assert found.startswith("...")
    assert found.endswith("...")
    assert len(found) < 300


def test_a_snippet_shows_a_match_far_behind_much_that_looks_like_it() -> None:
    found = snippet(Leaf("i"), "in it is " * 5000 + "and i said")
    assert ">>>i<<< said" in found


@pytest.mark.parametrize("count", [200_000])
def test_no_pile_of_marks_makes_folding_slow(count: int) -> None:
    assert len(unicodedata.normalize("NFC", "a" + "\u0316\u0301" * 30)) > 30  # what is to be sorted
    text = "needle a" + "\u0301\u0316" * count + " hay"
    began = time.process_time()
    assert matches(Leaf("needle"), fold(text))
    assert fold(text) == "needle a hay"
    assert time.process_time() - began < 5


def test_units_are_single_characters_and_pairs() -> None:
    assert units(fold("数据库 a::b x")) == {"数", "据", "库", "数据", "据库", ":", "::"}
    assert units("plain words") == set()
