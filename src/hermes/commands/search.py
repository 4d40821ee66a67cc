"""Finding: words that must all be there, or a question in plain words."""

import re
import time
from dataclasses import dataclass
from typing import Literal

from hermes.commands import choose
from hermes.commands.reply import Line, Reply, Span, Text, count
from hermes.errors import BadInput
from hermes.model.times import moment
from hermes.store import SessionDB
from hermes.store.base import Row

Order = Literal["relevance", "newest", "oldest"]

# Our own marks around a hit; the innermost pair, because a text may hold `>>>` itself.
_HIT = re.compile(r">>>((?:(?!>>>|<<<).)+)<<<", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Where:
    """Where to look. Times are as people type them; `session` is an id, a beginning of one, or a title."""

    source: str | None = None
    role: str | None = None
    after: str | None = None
    before: str | None = None
    session: str | None = None
    tag: str | None = None


def search(
    db: SessionDB,
    query: str,
    where: Where = Where(),
    *,
    order: Order = "relevance",
    limit: int = 20,
) -> Reply:
    """Messages that hold every word of the query, under the conversations they belong to."""
    if not query.strip():
        raise BadInput("Type at least one word to look for.")
    now = time.time()
    rows = db.search_messages(
        query,
        source_filter=_listed(where.source),
        role_filter=_listed(where.role),
        after=moment(where.after, now),
        before=moment(where.before, now),
        lineage_id=_lineage(db, where.session),
        tag=where.tag,
        order=order,
        limit=limit,
    )
    if not rows:
        return Reply(notices=(_nothing(query),), data=[], exit_code=1)
    lines: list[Line] = []
    for found in _by_session(rows):
        lines += [*([""] if lines else []), _title(found[0], "session_started")]
        lines += [(Span(f"  {_speaker(row)}: ", "dim"), *highlighted(row["snippet"])) for row in found]
    return Reply((Text(tuple(lines), prose=True),), data=rows)


def _listed(value: str | None) -> list[str] | None:
    return None if value is None else [value]


def _lineage(db: SessionDB, session: str | None) -> str | None:
    if session is None:
        return None
    row = db.get_session(choose.to_read(db, session))
    return None if row is None else row["lineage_id"]


def _nothing(query: str) -> str:
    asked = query.replace('"', "")
    return f'No message holds all of these words: {query}. Try fewer, or OR; or ask: hermes sessions recall "{asked}"'


def _by_session(rows: list[Row]) -> list[list[Row]]:
    """Hits under their sessions, in the order in which the sessions first appear."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["session_id"], []).append(row)
    return list(grouped.values())


def _title(row: Row, when: str) -> Line:
    day = time.strftime("%Y-%m-%d", time.localtime(row[when]))
    return (
        Span(row["title"] or "(no title)", "strong"),
        Span(f" · {row['source']} · {day} · {row['session_id']}", "dim"),
    )


def _speaker(row: Row) -> str:
    return f"{row['role']} {row['tool_name']}" if row["tool_name"] else row["role"]


def highlighted(snippet: str) -> tuple[Span, ...]:
    """The snippet with its `>>>hits<<<` as spans."""
    pieces = _HIT.split(snippet)
    return tuple(Span(piece, "hit" if place % 2 else "") for place, piece in enumerate(pieces) if piece)


def recall(db: SessionDB, question: str, where: Where = Where(), *, limit: int = 5, explain: bool = False) -> Reply:
    """Conversations that answer a question in plain words, best first, with the passages that speak for them."""
    if not question.strip():
        raise BadInput("Ask a question, such as: hermes sessions recall why did the backup fail")
    now = time.time()
    rows = db.recall(
        question,
        limit=limit,
        sources=_listed(where.source),
        roles=_listed(where.role),
        after=moment(where.after, now),
        before=moment(where.before, now),
        tag=where.tag,
        explain=explain,
    )
    if not rows:
        return Reply(notices=("Nothing that has to do with it was found.",), data=[], exit_code=1)
    lines: list[Line] = []
    for row in rows:
        lines += [*([""] if lines else []), _title(row, "last_active")]
        lines += [
            (Span(f"  {excerpt['role']}: ", "dim"), Span(" ".join(excerpt["text"].split())))
            for excerpt in row["excerpts"]
        ]
        lines += _why(row) if explain else []
    return Reply((Text(tuple(lines), prose=True),), data=rows)


def _why(row: Row) -> list[Line]:
    why = row["why"]
    rankings = ", ".join(f"{name} {part:.2f}" for name, part in why["rankings"].items())
    lines: list[Line] = [(Span(f"  score {row['score']:.2f}: {rankings}", "dim"),)]
    for term in why["terms"]:
        forms = ", ".join(term["forms"]) or term["term"]
        told = f"  {term['term']} ({forms}): {count(term['messages'], 'message')} here, weight {term['weight']}"
        lines.append((Span(told, "dim"),))
    if why["time"]:
        first, last = (time.strftime("%Y-%m-%d", time.localtime(at)) for at in why["time"])
        lines.append((Span(f"  time asked for: {first} to {last}", "dim"),))
    return lines
