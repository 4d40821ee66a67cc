"""How sessions are ranked for a question.

Three rankings are made and added up. Messages: a good single message. Windows: a message with its
neighbours, because the answer often follows the words of the question. Sessions: the conversation as a
whole. Each is BM25 over stems, scaled to its best; what the weights are and why is in docs/design/recall.md.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

from hermes.model.sources import AUTOMATION_SOURCES
from hermes.store.base import Filters, Reader, Row
from hermes.store.matching import excerpt
from hermes.store.query import Any as Either
from hermes.store.query import Leaf
from hermes.store.questions import Question, Term
from hermes.store.words import fold, word_runs

MESSAGES, WINDOWS, SESSIONS = 1.0, 1.5, 0.6  # weights of the three rankings
NEIGHBOURS = 2  # messages on each side of a window
_K1 = 1.2
_LENGTH = {"messages": 0.2, "windows": 0.5, "sessions": 0.75}  # how much a long text is held against it
_DECAY, _BEST = 0.3, 5  # a session's messages count less and less
_CANDIDATE_MESSAGES, _CANDIDATE_SESSIONS = 1000, 24
_TOO_COMMON, _SMALL = 10, 500  # in a large store, a word of every tenth message tells nothing
_MOST_EVIDENCE = 300_000  # places of words, so that memory stays bounded in a store of millions
_AUTOMATION = 0.5  # a machine talking to itself counts half
_IN_TIME = 1.5  # the question named a time and the session was active then
_EXCERPT = 300
_SHOWN_FORMS = 10


@dataclass(slots=True)
class Evidence:
    """What was found for one term: how often, in which message."""

    term: Term
    forms: list[str]
    counts: dict[int, float]
    weight: float = 0.0


@dataclass(slots=True)
class Candidate:
    """A session worth a closer look: all its messages in order (id, number of words), and the places of those
    that hold a term."""

    row: Row
    messages: list[tuple[int, int]]
    hits: list[int]
    parts: dict[str, float] = field(default_factory=dict)
    factor: float = 1.0
    score: float = 0.0
    best: list[int] = field(default_factory=list)


def gather(reader: Reader, asked: Question, *, scoped: bool) -> list[Evidence]:
    """For each term, every form of it that occurs, and where."""
    total = reader.indexed_messages()
    forms = {term: _forms(reader, term, asked) for term in asked.terms}
    telling = [term for term in asked.terms if sum(forms[term].values()) <= max(_SMALL, total // _TOO_COMMON)]
    evidence: list[Evidence] = []
    for term in sorted(telling or asked.terms, key=lambda term: sum(forms[term].values())):
        counts = reader.unit_counts(term.text) if term.unspaced else reader.word_counts(list(forms[term]))
        evidence.append(Evidence(term, list(forms[term]), counts))
        if sum(len(found.counts) for found in evidence) > _MOST_EVIDENCE:
            break  # what is left is commoner still
    _add_tail(evidence, reader.unindexed(), asked)
    if scoped:
        total = max(1, reader.count_messages())
        _leave_out_others(reader, evidence)
    for found in evidence:
        frequency = len(found.counts)
        found.weight = math.log(1 + (max(total, frequency) - frequency + 0.5) / (frequency + 0.5))
    return [found for found in evidence if found.counts]


def _forms(reader: Reader, term: Term, asked: Question) -> dict[str, int]:
    """The words in the index that are forms of the term, and about how many messages hold them."""
    if term.unspaced:
        return {term.text: 0}
    return {word: count for word, count in reader.vocabulary(_root(term.text)).items() if asked.stem(word) == term.text}


def _root(stem: str) -> str:
    """What all forms of a stem begin with: its last letter may change (happy, happiness)."""
    return stem[:-1] if len(stem) > 3 else stem


def _add_tail(evidence: list[Evidence], tail: Iterable[tuple[int, str]], asked: Question) -> None:
    """Messages the index has not seen yet count like the others."""
    for message_id, text in tail:
        folded = fold(text)
        words = Counter(word for run in word_runs(folded) for word in run)
        stems: dict[str, list[str]] = defaultdict(list)
        for word in words:
            stems[asked.stem(word)].append(word)
        for found in evidence:
            forms = [] if found.term.unspaced else stems.get(found.term.text, [])
            count = folded.count(found.term.text) if found.term.unspaced else sum(words[form] for form in forms)
            found.counts.pop(message_id, None)  # what the index says of it is old
            found.forms += [form for form in forms if form not in found.forms]
            if count:
                found.counts[message_id] = count


def _leave_out_others(reader: Reader, evidence: list[Evidence]) -> None:
    """What others said neither shows nor counts: not even how rare a word is may tell of it."""
    visible = reader.admit(list({message_id for found in evidence for message_id in found.counts}), Filters())
    for found in evidence:
        found.counts = {message_id: count for message_id, count in found.counts.items() if message_id in visible}


def candidates(
    reader: Reader, evidence: list[Evidence], filters: Filters, role_weights: Mapping[str, float], limit: int
) -> list[Candidate]:
    """The sessions worth a closer look."""
    scores: dict[int, float] = defaultdict(float)
    for found in evidence:
        for message_id, count in found.counts.items():
            scores[message_id] += found.weight * _saturated(count, 1.0)
    admitted = _admitted(reader, scores, filters, max(_CANDIDATE_MESSAGES, 10 * limit))
    per_session: dict[str, float] = defaultdict(float)
    for message_id, (session_id, role) in admitted.items():
        if role in role_weights:
            _reweigh(evidence, message_id, role_weights[role])
        per_session[session_id] += scores[message_id] * role_weights.get(role, 1.0)
    most = max(_CANDIDATE_SESSIONS, 3 * limit)
    chosen = nlargest(most, per_session, key=lambda session_id: per_session[session_id])
    return [_candidate(row, admitted) for row in reader.outlines(chosen)]


def _admitted(reader: Reader, scores: Mapping[int, float], filters: Filters, most: int) -> dict[int, tuple[str, str]]:
    """The best messages that scope and filters let through."""
    best = nlargest(most, scores, key=lambda message_id: scores[message_id])
    admitted = reader.admit(best, filters)
    if len(admitted) < len(best) < len(scores):  # others stood in their way
        admitted = reader.admit(list(scores), filters)
        best = nlargest(most, admitted, key=lambda message_id: scores[message_id])
        admitted = {message_id: admitted[message_id] for message_id in best}
    return admitted


def _candidate(row: Row, admitted: Mapping[int, tuple[str, str]]) -> Candidate:
    messages = row.pop("messages")
    return Candidate(row, messages, [place for place, (message, _) in enumerate(messages) if message in admitted])


def _reweigh(evidence: list[Evidence], message_id: int, weight: float) -> None:
    for found in evidence:
        if message_id in found.counts:
            found.counts[message_id] *= weight


def rank(found: list[Candidate], evidence: list[Evidence], asked: Question, recency: float, now: float) -> None:
    """Fill in every candidate's score."""
    lengths = [sum(size for _, size in one.messages) for one in found]
    words = sum(lengths)
    average = words / max(1, sum(len(one.messages) for one in found)) or 1.0
    usual = words / max(1, len(found)) or 1.0
    for one, length in zip(found, lengths, strict=True):
        places = _places(one, evidence)
        messages = _message_scores(one, places, average)
        one.best = [one.messages[place][0] for place in nlargest(3, messages, key=lambda place: messages[place])]
        one.parts["messages"] = _summed(messages.values())
        one.parts["windows"] = _summed(_window_scores(one, places, average).values())
        one.parts["sessions"] = _session_score(places, length / usual)
    for name, weight in (("messages", MESSAGES), ("windows", WINDOWS), ("sessions", SESSIONS)):
        top = max((one.parts[name] for one in found), default=0.0) or 1.0
        for one in found:
            one.parts[name] = weight * one.parts[name] / top
    for one in found:
        one.factor = _circumstances(one.row, asked, recency, now)
        one.score = sum(one.parts.values()) * one.factor


def _circumstances(row: Row, asked: Question, recency: float, now: float) -> float:
    """What speaks for a session besides its words."""
    factor = _AUTOMATION if row["by_machine"] or row["source"] in AUTOMATION_SOURCES else 1.0
    if asked.after is not None and asked.before is not None:
        overlaps = row["started_at"] < asked.before and row["last_active"] >= asked.after
        factor *= _IN_TIME if overlaps else 1.0
    months = max(0.0, now - row["last_active"]) / (30 * 86400)
    return float(factor / (1 + months / 10) ** recency)


Places = list[tuple[float, list[tuple[int, float]]]]  # per term: its weight, and (place in the session, count)


def _places(one: Candidate, evidence: list[Evidence]) -> Places:
    ids = [(place, one.messages[place][0]) for place in one.hits]
    return [
        (found.weight, [(place, found.counts[message]) for place, message in ids if message in found.counts])
        for found in evidence
    ]


def _message_scores(one: Candidate, places: Places, average: float) -> dict[int, float]:
    stretches = {place: _stretch("messages", one.messages[place][1] / average) for place in one.hits}
    scores: dict[int, float] = defaultdict(float)
    for weight, found in places:
        for place, count in found:
            scores[place] += weight * _saturated(count, stretches[place])
    return scores


def _window_scores(one: Candidate, places: Places, average: float) -> dict[int, float]:
    """BM25 of each message together with its neighbours."""
    scores: dict[int, float] = defaultdict(float)
    stretches: dict[int, float] = {}
    for weight, found in places:
        counts: dict[int, float] = defaultdict(float)
        for place, count in found:
            for near in _around(place, one):
                counts[near] += count
        for place, count in counts.items():
            if place not in stretches:
                length = sum(one.messages[near][1] for near in _around(place, one))
                stretches[place] = _stretch("windows", length / (average * (2 * NEIGHBOURS + 1)))
            scores[place] += weight * _saturated(count, stretches[place])
    return scores


def _around(place: int, one: Candidate) -> range:
    return range(max(0, place - NEIGHBOURS), min(len(one.messages), place + NEIGHBOURS + 1))


def _session_score(places: Places, relative_length: float) -> float:
    stretch = _stretch("sessions", relative_length)
    return sum(weight * _saturated(sum(count for _, count in found), stretch) for weight, found in places)


def _stretch(ranking: str, relative_length: float) -> float:
    return 1 - _LENGTH[ranking] + _LENGTH[ranking] * relative_length


def _saturated(count: float, stretch: float) -> float:
    return count * (_K1 + 1) / (count + _K1 * stretch) if count else 0.0


def _summed(scores: Iterable[float]) -> float:
    """The best few, each counting less than the one before."""
    return sum(score * _DECAY**place for place, score in enumerate(sorted(scores, reverse=True)[:_BEST]))


def answer(
    one: Candidate, evidence: list[Evidence], texts: Mapping[int, tuple[str, str]], asked: Question, explain: bool
) -> Row:
    answer: Row = {
        "session_id": one.row["session_id"],
        "title": one.row["title"],
        "source": one.row["source"],
        "score": round(one.score, 4),
        "last_active": one.row["last_active"],
        "started_at": one.row["started_at"],
        "lineage_id": one.row["lineage_id"],
        "excerpts": [
            _excerpt(message_id, *texts[message_id], evidence) for message_id in one.best if message_id in texts
        ],
    }
    if explain:
        answer["why"] = _why(one, evidence, texts, asked)
    return answer


def _excerpt(message_id: int, role: str, text: str, evidence: list[Evidence]) -> dict[str, Any]:
    here = [found for found in evidence if message_id in found.counts]
    node = Either(tuple(Leaf(form) for found in here for form in found.forms[:_SHOWN_FORMS]))
    return {"message_id": message_id, "role": role, "text": excerpt(node, text, _EXCERPT)}


def _why(
    one: Candidate, evidence: list[Evidence], texts: Mapping[int, tuple[str, str]], asked: Question
) -> dict[str, Any]:
    ids = {message_id for message_id, _ in one.messages}
    said = {word for best in one.best if best in texts for run in word_runs(fold(texts[best][1])) for word in run}
    terms = []
    for found in evidence:
        here = sum(message_id in ids for message_id in found.counts)
        if here:
            forms = [form for form in found.forms if found.term.unspaced or form in said]
            terms.append({"term": found.term.text, "forms": forms, "weight": round(found.weight, 3), "messages": here})
    return {
        "rankings": {name: round(part, 4) for name, part in one.parts.items()},
        "circumstances": round(one.factor, 4),
        "terms": terms,
        "language": asked.language,
        "time": None if asked.after is None else (asked.after, asked.before),
    }
