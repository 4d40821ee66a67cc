"""Finding references in what a person typed."""

import re
from typing import NamedTuple

KINDS = {
    "file": "a file, or some of its lines: @file:src/x.py:10-20",
    "folder": "what is in a folder: @folder:docs",
    "diff": "what changed since the last commit and is not staged",
    "staged": "what is staged for the next commit",
    "git": "the last commits, or one of them: @git:3, @git:a1b2c3d",
    "url": "a web page: @url:https://example.com",
}
_ALONE = ("diff", "staged")
# Not behind a letter (me@file.example) or another @; a target with spaces is quoted.
_REFERENCE = re.compile(
    r"""(?<![\w@/`])@(?:(?P<alone>diff|staged)\b(?![:\w-])|(?P<kind>file|folder|git|url):"""
    r"""(?:"(?P<double>[^"\n]+)"|'(?P<single>[^'\n]+)'|(?P<plain>[^\s"'`<>]+))(?P<behind>:\d+(?:-\d+)?)?)"""
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LINES = re.compile(r":(\d+)(?:-(\d+))?\Z")
_PUNCTUATION = ",;:!?)]}»…"
_HERE = re.compile(r"\.{1,2}(/\.{1,2})*/?")  # . and .. are folders, not the end of a sentence


class Reference(NamedTuple):
    """`lines`: the first and the last one wanted, of a file."""

    kind: str
    target: str
    lines: tuple[int, int] | None
    written: str


def references(text: str) -> list[Reference]:
    """Those of a message, each once, in order. What stands in code is code."""
    open_text = _CODE.sub(lambda code: " " * len(code[0]), text)
    found = dict.fromkeys(map(_reference, _REFERENCE.finditer(open_text)))
    return [one for one in found if one.target or one.kind in _ALONE]


def _reference(match: re.Match[str]) -> Reference:
    if match["alone"]:
        return Reference(match["alone"], "", None, match[0])
    quoted = match["double"] or match["single"]
    target = quoted + (match["behind"] or "") if quoted else _trimmed(match["plain"])
    written = match[0] if quoted else match[0][: len(match[0]) - len(match["plain"]) + len(target)]
    if match["kind"] != "file":
        return Reference(match["kind"], quoted or target, None, written)
    lines = _LINES.search(target)
    if lines is None:
        return Reference("file", target, None, written)
    first = int(lines[1])
    return Reference("file", target[: lines.start()], (first, int(lines[2] or first)), written)


def _trimmed(plain: str) -> str:
    """Without the punctuation of the sentence around it."""
    shorter = plain.rstrip(_PUNCTUATION)
    return shorter if _HERE.fullmatch(shorter) else plain.rstrip(_PUNCTUATION + ".")
