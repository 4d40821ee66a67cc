"""A question in plain words, taken apart: which words carry it, in which forms, and which time it means.

Words that every sentence has are left out, unless nothing else is there. The rest is stemmed in the
language the little words give away, so that "Where did we deploy it?" finds "deployed" and "deploying".
Chinese, Japanese, Korean, Thai and the like are taken by their pairs of characters.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from hermes.store.stop_words import STOP_WORDS
from hermes.store.words import fold, unspaced_runs, word_runs

MAX_TERMS = 24

_STOPS = {language: frozenset(fold(words).split()) for language, words in STOP_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Term:
    """One thing the question is about: a stem, or a pair of characters (`unspaced`)."""

    text: str
    unspaced: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    terms: tuple[Term, ...]
    language: str
    after: float | None = None
    before: float | None = None

    def stem(self, word: str) -> str:
        return stem(word, self.language)


def understand(question: str, now: float) -> Question:
    folded = fold(question[:4000])
    words = [word for run in word_runs(folded) for word in run]
    language = guess_language(words)
    telling = [word for word in words if word not in _STOPS[language]] or words
    terms = [Term(stem(word, language)) for word in telling]
    for run in unspaced_runs(folded):
        terms += [Term(run[i : i + 2], unspaced=True) for i in range(max(1, len(run) - 1))]
    after, before = time_meant(folded, now)
    return Question(tuple(dict.fromkeys(terms))[:MAX_TERMS], language, after, before)


def guess_language(words: list[str]) -> str:
    """The language most of the little words belong to; English in doubt."""
    hits = {language: sum(word in stops for word in words) for language, stops in _STOPS.items()}
    best = max(hits, key=lambda language: hits[language])
    return best if hits[best] > hits["english"] else "english"


@lru_cache(maxsize=32)
def _stemmer(language: str) -> Callable[[str], str]:
    import snowballstemmer

    return snowballstemmer.stemmer(language).stemWord  # type: ignore[no-any-return]


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    return _stemmer(language)(word) if not word.isdigit() else word


_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_AGO = re.compile(r"\b(\d{1,3}|a|one|two|three|four|five|six|several)\s+(day|week|month|year)s?\s+ago\b")
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "several": 4}
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
_LAST = re.compile(rf"\b(last|this|past)\s+(week|month|year|{'|'.join(_DAYS)}|{'|'.join(_MONTHS)})\b")
_IN_MONTH = re.compile(
    rf"\b(?:in\s+)?({'|'.join(_MONTHS)})\s+(?:of\s+)?((?:19|20)\d\d)\b|\bin\s+({'|'.join(_MONTHS)})\b"
)
_IN_YEAR = re.compile(r"\b(?:in|of|during)\s+((?:19|20)\d\d)\b")
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")

Period = tuple[float, float] | tuple[None, None]


def time_meant(folded: str, now: float) -> Period:
    """The stretch of time a question names ("yesterday", "last March", "2024-05-01"), or (None, None)."""
    today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    for read in (_iso_day, _named_day, _ago, _last, _month, _year):
        period = read(folded, today)
        if period is not None:
            return period[0].timestamp(), period[1].timestamp()
    return None, None


Read = tuple[datetime, datetime] | None


def _iso_day(text: str, _today: datetime) -> Read:
    match = _ISO.search(text)
    try:
        day = datetime(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None
    return (day, day + timedelta(days=1)) if day else None


def _named_day(text: str, today: datetime) -> Read:
    for word, back in (("the day before yesterday", 2), ("yesterday", 1), ("today", 0)):
        if re.search(rf"\b{word}\b", text):
            return today - timedelta(days=back), today - timedelta(days=back - 1)
    return None


def _ago(text: str, today: datetime) -> Read:
    match = _AGO.search(text)
    if match is None:
        return None
    length = _LENGTHS[match[2]]
    number = int(match[1]) if match[1].isdigit() else _NUMBERS[match[1]]
    middle = today - timedelta(days=number * length)
    return middle - timedelta(days=length // 2), middle + timedelta(days=length // 2 + 1)


def _last(text: str, today: datetime) -> Read:
    match = _LAST.search(text)
    if match is None:
        return None
    which, what = match[1], match[2]
    if what in _DAYS:
        back = (today.weekday() - _DAYS.index(what)) % 7 or (0 if which == "this" else 7)
        return today - timedelta(days=back), today - timedelta(days=back - 1)
    if what in _MONTHS:
        return _month_before(today, _MONTHS.index(what) + 1)
    length = {"week": 7, "month": 31, "year": 366}[what]
    if which == "last" and what != "week":
        start = _first_of(today, what)
        return _first_of(start - timedelta(days=1), what), start
    return today - timedelta(days=length * (2 if which == "last" else 1)), today + timedelta(days=1)


def _month(text: str, today: datetime) -> Read:
    match = _IN_MONTH.search(text)
    if match is None:
        return None
    month = _MONTHS.index(match[1] or match[3]) + 1
    return _whole_month(int(match[2]), month) if match[2] else _month_before(today, month)


def _year(text: str, _today: datetime) -> Read:
    match = _IN_YEAR.search(text)
    return (datetime(int(match[1]), 1, 1), datetime(int(match[1]) + 1, 1, 1)) if match else None


def _first_of(day: datetime, what: str) -> datetime:
    return day.replace(day=1) if what == "month" else day.replace(month=1, day=1)


def _month_before(today: datetime, month: int) -> tuple[datetime, datetime]:
    """The latest such month that has begun."""
    return _whole_month(today.year if month <= today.month else today.year - 1, month)


def _whole_month(year: int, month: int) -> tuple[datetime, datetime]:
    start = datetime(year, month, 1)
    return start, (start + timedelta(days=32)).replace(day=1)
