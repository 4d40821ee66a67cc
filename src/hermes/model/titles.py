"""Titles: what is stripped, how long they may be, and how a family of them is numbered.

A compressed conversation goes on under the next number: `my project`, `my project #2`,
`my project #3`. The number is digits only; `my project #two` is a title like any other.
"""

import re
import unicodedata

from hermes.errors import BadInput

MAX_TITLE_LENGTH = 100
_MOST_READ = MAX_TITLE_LENGTH * 50  # longer ones are refused in any case: no need to normalise megabytes
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
    text = _visible(title)
    if text and (len(text) > MAX_TITLE_LENGTH or len(title) > _MOST_READ):
        raise BadInput(
            f"Title too long ({min(len(text), len(title))} characters, at most {MAX_TITLE_LENGTH}); shorten it."
        )
    return text or None


def fitting_title(title: str | None) -> str | None:
    """Like `sanitize_title`, with what is too long cut off instead of refused."""
    if isinstance(title, str):
        title = _visible(title)[:MAX_TITLE_LENGTH]
    return sanitize_title(title)


def _visible(title: str) -> str:
    text = unicodedata.normalize("NFC", title[:_MOST_READ])
    text = re.sub(r"[\t\n\r\v\f\x85\u2028\u2029]", " ", text)
    text = "".join(char for char in text if _is_kept(char))
    kept: list[str] = []
    for char, following in zip(text, text[1:] + " ", strict=False):
        before = kept[-1] if kept else " "
        if char == _ZWJ and not (_is_emoji(before) and unicodedata.category(following) == "So"):
            continue
        if char == _VARIATION and not _takes_variation(before, following):
            continue
        kept.append(char)
    text = unicodedata.normalize("NFC", "".join(kept))  # what stood between a letter and its accent may be gone
    return re.sub(r"\s+", " ", text).strip()


def _is_kept(char: str) -> bool:
    if char in (_ZWJ, _VARIATION):
        return True  # for now; where they stand decides
    if char in _INVISIBLE or 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF:
        return False
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")


def _takes_variation(char: str, following: str) -> bool:
    """Whether a variation selector makes this character an emoji: a symbol, or the digit of a keycap."""
    if char in "#*0123456789":
        return following == "\u20e3"
    return (
        char in "ℹ‼⁉〰"
        or unicodedata.category(char) == "So"
        or (unicodedata.category(char) == "Sm" and char > "\u2000")
    )


def _is_emoji(char: str) -> bool:
    """Something a joiner can stand behind: a picture, a skin tone, a variation of one."""
    return unicodedata.category(char) in ("So", "Sk") or char == _VARIATION


def split_number(title: str) -> tuple[str, int]:
    """`my project #3` → (`my project`, 3); a title without a number is its own family's first."""
    match = _NUMBERED.match(title)
    return (match["base"], int(match["number"])) if match else (title, 1)


def numbered(base: str, number: int) -> str:
    """The family's title with this number, shortened in front so that it fits."""
    suffix = f" #{number}"
    return _visible(base[: MAX_TITLE_LENGTH - len(suffix)]) + suffix


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
