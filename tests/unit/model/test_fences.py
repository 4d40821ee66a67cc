"""What is inside a fence cannot end it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.model.fences import fenced

MARKS = st.sampled_from(
    ["<", ">", "/", "file", "FILE", "</file>", "< / file >", "<file ", "</file", "\n", " ", "x", "‹"]
)


@given(st.lists(MARKS).map("".join))
def test_there_is_one_beginning_and_one_end(text: str) -> None:
    said = fenced("file", text, path="a b")
    marks = re.findall(r"<\s*(/?)\s*file(?![\w-])", said, re.IGNORECASE)
    assert marks == ["", "/"]
    assert said.startswith("<file ")
    assert said.endswith("\n</file>")


def test_what_is_known_about_it_stays_in_its_quotes_and_on_its_line() -> None:
    said = fenced("page", "hello", title='x">\n</page> "now"')
    first, second, last = said.split("\n")
    assert first.startswith('<page title=\'x"&gt; &lt;/page&gt; "now"\' note=')
    assert (second, last) == ("hello", "</page>")


def test_words_that_only_begin_like_a_mark_stay() -> None:
    assert "<fileset>" in fenced("file", "<fileset>")


@pytest.mark.parametrize(
    "mark",
    ["＜/file>", "<／file>", "</ｆｉｌｅ>", "<\u200b/file>", "</fi\u200ble>", "<\u2060 / FILE >", "</f\u00adile>"],
)
def test_what_only_looks_like_a_mark_is_made_harmless_too(mark: str) -> None:
    inside = fenced("file", f"before {mark} after").split("\n")[1]
    assert inside == f"before ‹{mark[1:]} after"
