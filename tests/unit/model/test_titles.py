import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import BadInput
from hermes.model.titles import MAX_TITLE_LENGTH, fitting_title, next_title, numbered, sanitize_title, split_number

ZWJ, VARIATION = "\u200d", "\ufe0f"


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("plain", "plain"),
        ("  outer  and   inner  ", "outer and inner"),
        ("tab\tnew\nline\r\nand\u2028more\x85", "tab new line and more"),
        ("nul\0 bell\x07 esc\x1b[31m", "nul bell esc[31m"),
        ("zero\u200bwidth\u200c\u2060\ufeff", "zerowidth"),
        ("\u202eright to left\u202c\u2066\u2069", "right to left"),
        ("soft\u00adhyphen", "softhyphen"),
        ("tags\U000e0041\U000e007f", "tags"),
        ("half\ud800 a pair\udfff", "half a pair"),
        ("private\ue000 unassigned\u0378", "private unassigned"),
        ("hangul filler\u3164 braille blank\u2800", "hangul filler braille blank"),
        ("letter with selector a\ufe0f !\ufe0f 1\ufe0f", "letter with selector a ! 1"),
        ("e\u0301 becomes one", "é becomes one"),
        ("e\u200b\u0301 too", "é too"),
        ("full\u3000width space", "full width space"),
        ("漢字 かな 한글 العربية", "漢字 かな 한글 العربية"),
        ("family 👩‍👩‍👧 astronaut 👨🏽‍🚀", "family 👩‍👩‍👧 astronaut 👨🏽‍🚀"),
        ("heart ❤️ keycap 1️⃣ arrow ↔️ flag 🏳️‍🌈", "heart ❤️ keycap 1️⃣ arrow ↔️ flag 🏳️‍🌈"),
        ("joiner a\u200db \u200d👩 👩\u200d", "joiner ab 👩 👩"),
        ("", None),
        (" \u200b\n", None),
        ("\u202e\u2800\ufe0f", None),
        (None, None),
    ],
)
def test_what_is_stripped_and_what_survives(typed: str | None, stored: str | None) -> None:
    assert sanitize_title(typed) == stored


@pytest.mark.parametrize("length", [101, 5001, 1_000_000])
def test_too_long_is_a_value_error_with_the_figures(length: int) -> None:
    with pytest.raises(ValueError, match="at most 100"):
        sanitize_title("x" * length)


def test_length_counts_what_is_left() -> None:
    assert sanitize_title("x" * 100 + "\u200b" * 50) == "x" * 100
    with pytest.raises(ValueError, match="101 characters"):
        sanitize_title("x" * 101)


@pytest.mark.parametrize("wrong", [5, b"bytes", ["list"]])
def test_a_title_is_text(wrong: object) -> None:
    with pytest.raises(BadInput):
        sanitize_title(wrong)  # type: ignore[arg-type]


def test_a_fitting_title_is_cut_instead_of_refused() -> None:
    assert fitting_title("x" * 300) == "x" * 100
    assert fitting_title("ab " * 100) == ("ab " * 34)[:100].strip()
    assert fitting_title("\u200b" * 300) is None
    assert fitting_title("y" * 99 + "👩‍👩") == "y" * 99 + "👩"
    assert fitting_title(None) is None


@given(st.text(max_size=150))
def test_sanitizing_twice_changes_nothing_and_hides_nothing(typed: str) -> None:
    clean = fitting_title(typed)
    if clean is None:
        return
    assert sanitize_title(clean) == clean
    assert len(clean) <= MAX_TITLE_LENGTH
    assert clean == clean.strip()
    assert unicodedata.is_normalized("NFC", clean)
    hidden = {char for char in clean if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    assert hidden <= {ZWJ}
    for place, char in enumerate(clean):
        if char == ZWJ:
            assert unicodedata.category(clean[place + 1]) == "So"


@pytest.mark.parametrize(
    ("title", "parts"),
    [("my project", ("my project", 1)), ("my project #3", ("my project", 3)),
     ("my project #two", ("my project #two", 1)), ("#3", ("#3", 1)),
     (" #3", (" #3", 1)), ("a #2 #3", ("a #2", 3)), ("a #0", ("a", 0)), ("a #٣", ("a #٣", 1)),
     ("a #1234567890", ("a #1234567890", 1))],
)  # fmt: skip
def test_a_number_is_digits_at_the_end(title: str, parts: tuple[str, int]) -> None:
    assert split_number(title) == parts


def test_the_next_number_follows_the_highest() -> None:
    assert next_title("a", ["a"]) == "a #2"
    assert next_title("a #7", ["a", "a #3", "a #9", "b #50"]) == "a #10"
    assert next_title("a", []) == "a #2"


def test_a_numbered_title_fits_and_ends_in_a_whole_character() -> None:
    assert numbered("x" * 100, 2) == "x" * 97 + " #2"
    assert numbered("x" * 96 + "👩‍👩", 2) == "x" * 96 + "👩 #2"
    assert len(numbered("y" * 100, 123_456_789)) == 100


def test_a_shortened_base_steps_over_another_family() -> None:
    long = "z" * 100
    taken = [long, "z" * 97 + " #2", "z" * 97 + " #3"]
    assert next_title(long, taken) == "z" * 97 + " #4"


@given(
    st.lists(st.sampled_from(["a", "a #2", "a #3", "a #10", "b", "a #x"]), max_size=6), st.sampled_from(["a", "a #2"])
)
def test_the_next_title_is_always_free(taken: list[str], title: str) -> None:
    assert next_title(title, taken) not in taken
