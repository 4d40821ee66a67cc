"""What is said on Matrix."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hermes.gateway.adapters import matrix_text
from hermes.gateway.adapters.matrix import Matrix
from hermes.gateway.delivery import pieces

EVENT = 65_536  # bytes that a homeserver takes
AROUND = 2_000  # of them for what it adds


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain words", ""),
        ("5 < 6 & 7", ""),
        ("**bold** and *slanted*", "<p><strong>bold</strong> and <em>slanted</em></p>"),
        ("one\ntwo", "<p>one<br />\ntwo</p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        ("<b>x</b> **y**", "<p>&lt;b&gt;x&lt;/b&gt; <strong>y</strong></p>"),
        ("[x](javascript:alert(1)) **y**", "<p>[x](javascript:alert(1)) <strong>y</strong></p>"),
        ("![a](https://b/c.png)", '<p>!<a href="https://b/c.png">a</a></p>'),
    ],
)
def test_marks_become_html_and_nothing_else_does(text: str, html: str) -> None:
    assert matrix_text.as_html(text) == html


def size(content: dict[str, Any]) -> int:
    return len(json.dumps(content, ensure_ascii=False).encode())


@given(some.text(alphabet=some.sampled_from('a& <>"*\n`ü漢🙂\\'), min_size=1, max_size=40), some.integers(1, 3000))
def test_every_piece_of_a_text_fits_into_an_event_said_or_changed(text: str, times: int) -> None:
    for piece in pieces(text * times, Matrix.longest, matrix_text.length):
        assert size(matrix_text.content(piece, "$" + "r" * 43)) < EVENT - AROUND
        assert size(matrix_text.changed("$" + "e" * 43, piece)) < EVENT - AROUND
