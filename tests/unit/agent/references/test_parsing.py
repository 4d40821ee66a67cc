"""What is a reference in a message, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agent.references import Reference, references


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look at @file:src/x.py", Reference("file", "src/x.py", None, "@file:src/x.py")),
        ("@file:x.py:10", Reference("file", "x.py", (10, 10), "@file:x.py:10")),
        ("(@file:x.py:10-20).", Reference("file", "x.py", (10, 20), "@file:x.py:10-20")),
        ('why @file:"my notes.md":3-4?', Reference("file", "my notes.md", (3, 4), '@file:"my notes.md":3-4')),
        ("@file:'a b.txt'", Reference("file", "a b.txt", None, "@file:'a b.txt'")),
        ("in @folder:docs/, please", Reference("folder", "docs/", None, "@folder:docs/")),
        ("what is in @folder:..?", Reference("folder", "..", None, "@folder:..")),
        ("explain @diff", Reference("diff", "", None, "@diff")),
        ("@staged.", Reference("staged", "", None, "@staged")),
        ("@git:3", Reference("git", "3", None, "@git:3")),
        ("@git:HEAD~2!", Reference("git", "HEAD~2", None, "@git:HEAD~2")),
        (
            "read @url:https://example.com/a?b=c:5, then",
            Reference("url", "https://example.com/a?b=c:5", None, "@url:https://example.com/a?b=c:5"),
        ),
        ("日本語@file:x", None),
        ("me@file:x", None),
        ("@@file:x", None),
        ("@different", None),
        ("@diff-tool", None),
        ("@diff: no", None),
        ("@file: x", None),
        ("@file:...", None),
        ("the word `@diff` in code", None),
        ("```\n@file:x.py\n```", None),
        ("```\n@file:x.py never closed", None),
        ("@someone else", None),
    ],
)
def test_a_reference_is_told_from_words(text: str, expected: Reference | None) -> None:
    assert references(text) == ([expected] if expected else [])


def test_each_reference_counts_once_and_in_order() -> None:
    found = references("@diff, @file:b @file:a and again @file:b")
    assert [one.written for one in found] == ["@diff", "@file:b", "@file:a"]


@given(st.text(st.sampled_from("@file:dgt\"'` \n.,-0189/()ürl")))
def test_nothing_that_is_typed_breaks_it(text: str) -> None:
    for one in references(text):
        assert one.written in text
