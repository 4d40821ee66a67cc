"""Signs that a text wants to take over whoever reads it: words that give orders to a model, characters nobody sees,
commands that carry secrets away. A sign is shown to a person, or a reason to refuse; its absence proves nothing."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple


class Suspicion(NamedTuple):
    line: int
    what: str
    excerpt: str


_UNSEEN = {*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xE0000, 0xE0080)}
_JOINERS = {0x200C, 0x200D}  # part of scripts and of emoji; harmless by themselves
_HIDDEN = _UNSEEN - _JOINERS

_ALL = r"(?:all|any|every|the|your|my|these|those|of|previous|prior|earlier|above|preceding|existing|system)"
_ORDERS = r"(?:instructions?|prompts?|rules|guidelines|directives|commands|constraints)"
_SECRETS = r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/credentials|\.netrc|credentials\.json|\.git-credentials)"
_PATTERNS = {
    "it tells the model to drop its instructions": (
        rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:{_ALL}\s+){{1,5}}{_ORDERS}\b"
    ),
    "it gives the model another identity": (
        r"\byou are (?:now|no longer)\b.{0,40}\b(?:assistant|model|ai|dan|jailbroken|unrestricted|unfiltered|hermes)\b"
    ),
    "it hides something from the person": (
        r"\b(?:do not|don't|never)\s+(?:tell|inform|notify|(?:mention|reveal|show)\s+(?:this|it)\s+to)"
        r"\s+(?:the\s+)?(?:user|person|human|owner)\b"
    ),
    "it poses as a part of the conversation": (
        r"<\s*/?\s*(?:system|memory-context)\s*>|<\|(?:im_start|im_end|system|endoftext)\|>"
        r"|^\s*\[?system(?: prompt)?\]?\s*:\s*you\b"
    ),
    "it asks for the system prompt": (
        r"\b(?:print|reveal|output|repeat|send)\b.{0,30}\b(?:your|the) (?:system prompt|hidden instructions)"
    ),
    "it sends secrets somewhere": (
        rf"\b(?:curl|wget|nc|ncat|scp|rsync)\b[^\n]*(?:{_SECRETS}|\$\{{?\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*)[^\n]*"
        rf"|\bcat\s+[^\n]*{_SECRETS}[^\n]*\|\s*(?:curl|nc|ncat|base64)\b"
    ),
    "it runs what it downloads": r"\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    "it destroys files": r"\brm\s+-[a-z]*[rf][a-z]*\s+(?:-\S+\s+)*(?:/|~|\$HOME)(?:\s|\*|$)",
}


@cache
def _compiled() -> dict[str, re.Pattern[str]]:
    return {what: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for what, pattern in _PATTERNS.items()}


def suspicions(text: str) -> list[Suspicion]:
    """Every sign, by line. Look-alike letters and marks on them do not help."""
    found = _unseen(text)
    plain = _plain(text)
    for what, pattern in _compiled().items():
        found += [_at(plain, match.start(), what) for match in pattern.finditer(plain)]
    return sorted(set(found))


def _unseen(text: str) -> list[Suspicion]:
    lines = [number for number, line in enumerate(text.splitlines(), 1) if not _HIDDEN.isdisjoint(map(ord, line))]
    return [Suspicion(number, "it has characters that nobody sees", "") for number in lines]


def _plain(text: str) -> str:
    """The text as it looks, its lines where they were."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in folded if ord(letter) not in _UNSEEN)


def _at(text: str, place: int, what: str) -> Suspicion:
    begins = text.rfind("\n", 0, place) + 1
    line = text[begins:].split("\n", 1)[0]
    skipped = text[begins:place]
    number = text.count("\n", 0, place) + 1
    excerpt = line if len(line) <= 120 else f"…{line[max(0, len(skipped) - 20) :][:100]}…"
    return Suspicion(number, what, excerpt.strip())
