"""What counts as a word, for every engine.

Most scripts put spaces between words; a word there is what the engine's word index says. Chinese,
Japanese, Korean, Thai and their like do not (or not where a searcher would cut), so their text is
found by its characters: pairs of neighbours. Symbols (`::`, `++`, `→`, emoji) are found the same way.
These pairs, and the single characters, are the *units* of a text.
"""

import re
import unicodedata
from functools import lru_cache

_RANGES = (
    "\u0e00-\u0fff"  # Thai, Lao, Tibetan
    "\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f"  # Burmese, Jamo, Khmer, Tai
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u303b\u303c\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua9ff\uaa60-\uaadf\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_RANGES}]")
_UNSPACED_RUN = re.compile(f"[{_RANGES}]+")
_UNIT_RUN = re.compile(f"(?:[{_RANGES}]|[^\\w\\s]|_)+")
_ASCII_WORDS_TO_SPACE = {code: " " for code in range(128) if chr(code).isalnum()}
_CHUNK = re.compile(r"\S+")


class _Folding(dict[int, str]):
    """One character for one character, so that a place in the folded text is the same place in the text."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        base = unicodedata.normalize("NFKD", char)[:1] if unicodedata.category(char)[0] == "L" else char
        plain = unicodedata.normalize("NFKC", char) if UNSPACED.match(char) else base
        folded = plain.casefold()
        self[code] = folded if len(folded) == 1 else char.lower() if len(char.lower()) == 1 else char
        return self[code]


_FOLDING = _Folding()


def composed(text: str) -> str:
    """NFC, the form in which search looks at a text and quotes from it."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """The text without case and accents, character for character (of its composed form)."""
    return text.lower() if text.isascii() else composed(text).translate(_FOLDING)


def spaced_out(text: str) -> str:
    """The text with spaces around what is written without any, so that `youer` in 修改youer服务端 is a word."""
    if text.isascii() or not UNSPACED.search(text):
        return text
    return _UNSPACED_RUN.sub(lambda run: f" {run[0]} ", text)


def units(folded: str) -> set[str]:
    """The single characters and pairs by which unspaced scripts and symbols are found."""
    spaced = folded.translate(_ASCII_WORDS_TO_SPACE).split() if folded.isascii() else _UNIT_RUN.findall(folded)
    runs = set(spaced)
    found = set("".join(runs))
    found.update(run[i : i + 2] for run in runs for i in range(len(run) - 1))
    return found


@lru_cache(maxsize=65536)
def unit_token(unit: str) -> str:
    """A unit as a token any tokenizer keeps whole."""
    return "u" + "u".join(f"{ord(char):x}" for char in unit)


def unspaced_chunks(folded: str) -> str:
    """The parts of the text between white space that hold unspaced writing."""
    if folded.isascii() or not UNSPACED.search(folded):
        return ""
    return "\n".join(chunk for chunk in _CHUNK.findall(folded) if UNSPACED.search(chunk))
