"""The program looks as its pictures show it: every committed picture is drawn anew and compared."""

import difflib
import re
from html import unescape
from pathlib import Path

import pytest

from tests.screens.pictures import PICTURES, drawn

_TEXT = re.compile(r'<text class="[^"]*?(r\d+)" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>')
_RULE = re.compile(r"\.terminal-\d+-(r\d+) \{ (.*?) \}")
_GROUND = re.compile(r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"')


def content(svg: str) -> list[str]:
    """What a person sees, a line for each piece: where it stands, its style, its ground, its text. The frame around
    the picture, and how styles are named in it, may change with the library that draws it."""
    rules = dict(_RULE.findall(svg))
    pieces = [(float(y), float(x), f"{rules[name]} {unescape(text)!r}") for name, x, y, text in _TEXT.findall(svg)]
    pieces += [(float(y), float(x), f"{fill} {width}") for fill, x, y, width in _GROUND.findall(svg)]
    return [f"{y:g},{x:g} {what}" for y, x, what in sorted(pieces)]


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_the_program_looks_like_its_picture(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    committed, now = content(path.read_text()), content(drawn(PICTURES[path]))
    assert len(now) > 10
    changes = "\n".join(difflib.unified_diff(committed, now, "committed", "now", lineterm="", n=0))
    assert not changes, f"look at it, and if it is meant: scripts/screenshots {path.stem}\n{changes}"


def test_every_picture_of_the_documentation_has_a_maker() -> None:
    folders = {path.parent for path in PICTURES}
    assert {file for folder in folders for file in folder.glob("*.svg")} == set(PICTURES)


def test_a_changed_word_a_moved_one_and_another_colour_are_all_noticed() -> None:
    style = ".terminal-1-r1 { fill: #fff }"
    piece = '<text class="terminal-1-r1" x="10" y="20" textLength="4">word</text>'
    seen = content(style + piece)
    for old, new in (("word", "ward"), ('x="10"', 'x="22"'), ("#fff", "#eee")):
        assert content((style + piece).replace(old, new)) != seen
