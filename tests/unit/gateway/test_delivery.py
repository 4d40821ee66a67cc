"""Texts in pieces, and marks for Telegram."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.gateway.adapters.telegram_text import as_html, utf16_length
from hermes.gateway.delivery import pieces


@given(st.text("ab \n.😀", max_size=400), st.integers(20, 60))
def test_no_piece_is_too_long_and_no_word_is_lost(text: str, longest: int) -> None:
    found = pieces(text, longest, utf16_length)
    assert all(0 < utf16_length(piece) <= longest for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_text_is_split_between_paragraphs() -> None:
    assert pieces("one two\n\nthree four\n\nfive", 24) == ["one two\n\nthree four", "five"]


def test_a_code_block_that_is_cut_goes_on_in_the_next_piece() -> None:
    found = pieces("```python\n" + "x = 1\n" * 20 + "```", 60)
    assert len(found) > 2
    assert all(piece.startswith("```python\n") and piece.endswith("```") for piece in found)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *thin*", "<b>bold</b> and <i>thin</i>"),
        ("# Title\na < b & c", "<b>Title</b>\na &lt; b &amp; c"),
        ("`a*b*c` **x**", "<code>a*b*c</code> <b>x</b>"),
        ("```py\nif a < b:\n    **x**\n```", "<pre>if a &lt; b:\n    **x**</pre>"),
        ("[docs](https://example.org/a?b=1&c=2)", '<a href="https://example.org/a?b=1&amp;c=2">docs</a>'),
        ("2 * 3 * 4 and snake_case", "2 * 3 * 4 and snake_case"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_marks_become_those_of_telegram(text: str, html: str) -> None:
    assert as_html(text) == html
