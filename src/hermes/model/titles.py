"""Titles: what is stripped, how long they may be, and how a family of them is numbered.

A compressed conversation goes on under the next number: `my project`, `my project #2`,
`my project #3`. The number is digits only; `my project #two` is a title like any other.
"""

import re
import unicodedata

from hermes.errors import BadInput

MAX_TITLE_LENGTH = 100
_NUMBERED = re.compile(r"^(?P<base>.+) #(?P<number>[0-9]{1,9})$", re.DOTALL)
_ZWJ = "\u200d"
_VARIATION = "\ufe0f"
# Blank to the eye although Unicode calls them letters or symbols.
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
# Flags of England, Scotland and Wales are the one good use of tag characters; they are stripped
# with the rest, which leaves the plain black flag.


def sanitize_title(title: str | None) -> str | None:
    """The title as it is stored, or None when nothing visible is left.

    NFC, white space folded, and what cannot be seen or turns text around removed: control and
    format characters, zero-width ones, bidi overrides, tags, lone surrogates. Emoji sequences
    keep their joiners. Raises BadInput past 100 characters.
    """
    if title is None:
        return None
    if not isinstance(title, str):
        raise BadInput("A title must be text.")
    # A title this long is refused below in any case; do not normalise megabytes first.
    text = unicodedata.normalize("NFC", title[: MAX_TITLE_LENGTH * 50])
    text = re.sub(r"[\t\n\r\v\f\x85\u2028\u2029]", " ", text)
    text = "".join(char for i, char in enumerate(text) if _is_visible(text, i, char))
    text = re.sub(r"\s+", " ", text).strip()
    if not text:
        return None
    if len(text) > MAX_TITLE_LENGTH or len(title) > MAX_TITLE_LENGTH * 50:
        raise BadInput(
            f"Title too long ({min(len(text), len(title))} characters, at most {MAX_TITLE_LENGTH}); shorten it."
        )
    return text


def _is_visible(text: str, index: int, char: str) -> bool:
    category = unicodedata.category(char)
    if char == _ZWJ:
        before = text[index - 1] if index else ""
        after = text[index + 1] if index + 1 < len(text) else ""
        return _joins(before) and _joins(after)
    if char == _VARIATION:
        return index > 0 and unicodedata.category(text[index - 1]) not in ("Cc", "Cf", "Zs", "Mn")
    if 0xFE00 <= ord(char) <= 0xFE0E or 0xE0100 <= ord(char) <= 0xE01EF:
        return False
    return category not in ("Cc", "Cf", "Cs", "Co", "Cn") and char not in _INVISIBLE


def _joins(char: str) -> bool:
    """Whether a joiner beside this character is part of an emoji, or of a word that needs it."""
    return bool(char) and (
        unicodedata.category(char) in ("So", "Sk", "Mn", "Mc") or char == _VARIATION or char in "♀♂⚕⚖✈"
    )


def split_number(title: str) -> tuple[str, int]:
    """`my project #3` → (`my project`, 3); a title without a number is its own family's first."""
    match = _NUMBERED.match(title)
    return (match["base"], int(match["number"])) if match else (title, 1)


def numbered(base: str, number: int) -> str:
    """The family's title with this number, shortened in front so that it fits."""
    suffix = f" #{number}"
    return base[: MAX_TITLE_LENGTH - len(suffix)].rstrip() + suffix


def next_title(title: str, taken: list[str]) -> str:
    """The first free number after the highest one taken in the family of `title`."""
    base, _ = split_number(title)
    numbers = [1] + [number for text in taken for family, number in [split_number(text)] if family == base]
    number = max(numbers) + 1
    candidate = numbered(base, number)
    while candidate in taken:  # a shortened base can run into another family
        number += 1
        candidate = numbered(base, number)
    return candidate
