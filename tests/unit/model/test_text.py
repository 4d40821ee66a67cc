import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.model.text import clip, escape, is_storable, storable, unescape

_any_text = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "answer"),
    [("", True), ("plain", True), ("漢字 😀", True), ("a\0b", False), ("\ud800", False), ("\0", False)],
)
def test_text_without_nul_and_half_pairs_is_storable(text: str, answer: bool) -> None:
    assert is_storable(text) is answer


@given(_any_text)
def test_escaping_is_lossless_and_storable(text: str) -> None:
    assert is_storable(escape(text))
    assert unescape(escape(text)) == text


@pytest.mark.parametrize("text", ["\\u0000", "\\\\u0000\0", "\\ud800\ud800", "\\", "\\u", "u0000", "\\u005c"])
def test_text_that_looks_escaped_is_told_apart(text: str) -> None:
    assert unescape(escape(text)) == text


@given(_any_text)
def test_storable_keeps_what_can_be_kept(text: str) -> None:
    kept = storable(text)
    assert is_storable(kept)
    assert len(kept) == len(text)
    assert (kept == text) is is_storable(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [("short", "short"), ("exactly ten", "exactly te…"), ("two\n lines", "two lines"), ("  in  side ", "in side"),
     ("", ""), (" \n\t ", ""), ("a" + " " * 10_000 + "b", "a b"), (" " * 10_000 + "abc", "abc"),
     ("x" * 1_000_000, "x" * 10 + "…"), ("a b c d e f g h", "a b c d e …"), ("漢字" * 10, "漢字漢字漢字漢字漢字…")],
)  # fmt: skip
def test_clip_makes_one_line_of_so_many_characters(text: str, line: str) -> None:
    assert clip(text, 10, "…") == line


@given(st.text(), st.integers(1, 80))
def test_clip_shows_the_beginning_of_the_folded_text(text: str, length: int) -> None:
    folded = " ".join(text.split())
    assert clip(text, length) == (folded if len(folded) <= length else folded[:length] + "...")
