"""What counts as a word, for every engine, and what counts as the same.

Most scripts put spaces between words; a word there is what the engine's word index says. Chinese,
Japanese, Korean, Thai and their like do not (or not where a searcher would cut), and the scripts of
India write vowels as marks that a word index takes for gaps; their text is found by its characters:
pairs of neighbours. Symbols (`::`, `++`, `→`, emoji) are found the same way. These pairs, and the
single characters, are the *units* of a text.
"""

import re
import unicodedata
from functools import cache, lru_cache

_UNSPACED = (
    "\u0780-\u085f\u0900-\u0fff"  # Thaana, N'Ko and their like; India; Thai, Lao, Tibetan
    "\u1000-\u109f\u1100-\u11ff\u1700-\u17ff\u1900-\u1aaf\u1b00-\u1c4f\u1cd0-\u1cff"  # Burmese, Jamo, Khmer, Tai
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u303b\u303c\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua800-\ua82f\ua880-\ua8ff\ua930-\uaaff\uabc0-\uabff\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc"
    "\U00010a00-\U00010a5f\U00011000-\U00011fff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Marks that change nothing for a searcher: accents, the points of Hebrew and Arabic, soft hyphens, zero widths,
# directions, the emoji or text look of a symbol.
_IGNORED = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u08ca-\u08e1\u08e3-\u08ff"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U000e0100-\U000e01ef"
)
# Outside of these a tokenizer may take for a letter what is none: private characters, symbols newer than its tables.
_AGREED = (
    "\x00-\u0377\u0400-\u052f\u05d0-\u05ea\u0620-\u064a\u2000-\u2064"
    "\u2190-\u23f3\u2500-\u26ff\u2701-\u2b4c\u3000-\u303f"
)
_LETTERS_WITH_MARKS = "йїўѓќ"  # letters of their own, however they are written
_SAME = {"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-"}
_WORD = re.compile(r"[^\W_]+")
_VOICED = re.compile("[\u3040-\u30ff][\u3099\u309a]")
_LONG_RUN = re.compile(r"[^\x00-\x7f]{200}")
_MANY_MARKS = re.compile(r"[^\w\s\x00-\x7f]{32,}")
_REMEMBERED = 100_000  # characters
_ASCII_WORDS_TO_SPACE = {code: " " for code in range(128) if chr(code).isalnum()}
_CHUNK = re.compile(r"\S+")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Large character classes take milliseconds to compile; who only ever meets ASCII never waits for them."""
    return re.compile(pattern)


# -- folding


class _Folding(dict[int, str]):
    """What each character becomes: itself, its plain small form, several letters (ß, ﬁ), or nothing."""

    def __missing__(self, code: int) -> str:
        folded = _folded(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = folded
        return folded


def _folded(char: str) -> str:
    ignored = _compiled(f"[{_IGNORED}]")
    if ignored.match(char):
        return ""
    if is_unspaced(char):
        return unicodedata.normalize("NFKC", char)
    if "\uff01" <= char <= "\uff5e":  # full width
        return chr(ord(char) - 0xFEE0).lower()
    if char.lower() in _LETTERS_WITH_MARKS:
        return char.lower()
    plain = unicodedata.normalize("NFKD", char) if char.isalpha() or char.isdecimal() else char
    plain = ignored.sub("", plain.casefold()).strip()
    return "".join(_SAME.get(each, each) for each in plain) or char.lower()


_FOLDING = _Folding()


def composed(text: str) -> str:
    """NFC, the form in which search looks at a text and quotes from it."""
    if text.isascii():
        return text
    if _LONG_RUN.search(text):
        text = _MANY_MARKS.sub(_thinned, text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _thinned(run: re.Match[str]) -> str:
    """At most 30 marks on one letter: sorting thousands of them takes the normaliser minutes."""
    if not any(map(unicodedata.combining, set(run[0]))):
        return run[0]
    kept: list[str] = []
    marks = 0
    for char in run[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= 30:
            kept.append(char)
    return "".join(kept)


def fold(text: str) -> str:
    """The text without case, accents and what nobody sees."""
    if text.isascii():
        return text.lower()
    folded = composed(text).translate(_FOLDING)
    if "\u3099" in folded or "\u309a" in folded:  # half-width kana bring their voice marks along as characters
        folded = _VOICED.sub(lambda pair: _voiced(pair[0]), folded)
    return folded


@cache
def _voiced(pair: str) -> str:
    return unicodedata.normalize("NFC", pair)


def places(text: str) -> list[int] | None:
    """For each character of the folded form of a composed text, and for its end: where it stands in the text.
    None when that is always the same place."""
    if text.isascii() or all(len(_FOLDING[ord(char)]) == 1 and char not in "ﾞﾟ" for char in set(text)):
        return None
    found: list[int] = []
    last = ""
    for place, char in enumerate(text):
        for folded in _FOLDING[ord(char)]:
            if folded in "\u3099\u309a" and _VOICED.match(last + folded):
                last = _voiced(last + folded)
                if len(last) == 1:
                    continue
            found.append(place)
            last = folded
    return [*found, len(text)]


# -- words and units


@lru_cache(maxsize=4096)
def is_unspaced(char: str) -> bool:
    return char > "\u077f" and _compiled(f"[{_UNSPACED}]").match(char) is not None


def is_word(char: str) -> bool:
    """A letter or digit of a script that puts spaces between words."""
    return char.isalnum() and not is_unspaced(char)


def word_end(folded: str, at: int) -> int:
    """Where the word of a spaced script ends that `at` is in."""
    word = _WORD if folded.isascii() else _compiled(f"[^\\W_{_UNSPACED}]+")
    found = word.match(folded, at)
    return found.end() if found else at


def unspaced_runs(folded: str) -> list[str]:
    """The stretches that are written without spaces."""
    return [] if folded.isascii() else _compiled(f"[{_UNSPACED}]+").findall(folded)


def word_runs(folded: str) -> list[list[str]]:
    """The words of spaced scripts, those that follow each other together: unspaced writing stands between."""
    stretches = [folded] if folded.isascii() else _compiled(f"[{_UNSPACED}]+").split(folded)
    found = [_WORD.findall(stretch) for stretch in stretches]
    return [words for words in found if words]


def unit_runs(folded: str) -> list[str]:
    """The stretches that are found by their units: unspaced scripts and symbols."""
    if folded.isascii():
        return folded.translate(_ASCII_WORDS_TO_SPACE).split()
    return _compiled(f"(?:[{_UNSPACED}]|[^\\w\\s]|_)+").findall(folded)


def units(folded: str) -> set[str]:
    """The single characters and pairs by which unspaced scripts and symbols are found."""
    runs = set(unit_runs(folded))
    found = set("".join(runs))
    found.update(run[i : i + 2] for run in runs for i in range(len(run) - 1))
    return found


@lru_cache(maxsize=65536)
def unit_token(unit: str) -> str:
    """A unit as a token any tokenizer keeps whole."""
    return "u" + "u".join(f"{ord(char):x}" for char in unit)


# -- what the indexes are fed


def spaced_out(folded: str) -> str:
    """The words of a folded text with spaces between, and around what is written without any: `youer` in
    修改youer服务端 is a word. Every tokenizer cuts this as we do, whatever it thinks of ₿ or a new emoji."""
    if folded.isascii():
        return folded
    if _compiled(f"[^{_AGREED}{_UNSPACED}]").search(folded):
        folded = _compiled(f"(?:[^\\w{_UNSPACED}]|_)+").sub(" ", folded)
    return _compiled(f"[{_UNSPACED}]+").sub(r" \g<0> ", folded)


def unspaced_chunks(folded: str) -> str:
    """The parts of the text between white space that hold unspaced writing."""
    if folded.isascii() or not (unspaced := _compiled(f"[{_UNSPACED}]")).search(folded):
        return ""
    return "\n".join(chunk for chunk in _CHUNK.findall(folded) if unspaced.search(chunk))
