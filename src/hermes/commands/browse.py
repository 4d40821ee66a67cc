"""Conversations to choose from, and a look into one: what a browser of sessions shows."""

import time
from dataclasses import dataclass
from functools import lru_cache

from hermes.commands import lists
from hermes.commands.reply import Column, Reply, Span, Table, Text, Transcript, said
from hermes.commands.transcript import show
from hermes.model.times import moment
from hermes.store import SessionDB
from hermes.store.base import ListQuery, Row
from hermes.store.matching import hits, matches
from hermes.store.query import Node, parse
from hermes.store.words import fold

_OPERATORS = ("AND", "OR", "NOT")
_BEFORE_THE_HIT = 2  # messages that lead up to it


@dataclass(frozen=True, slots=True)
class View:
    """What is to be seen. Times are as people type them."""

    query: str = ""
    source: str | None = None
    after: str | None = None
    before: str | None = None
    tag: str | None = None
    archived: bool = False


def conversations(db: SessionDB, view: View = View(), *, limit: int = 20) -> Reply:
    """Conversations with a number each: the newest, or those whose title or text holds what was typed."""
    now = time.time()
    which = ListQuery(
        order="active",
        sources=None if view.source is None else [view.source],
        shelf="archived" if view.archived else "conversations",
        tag=view.tag,
        after=moment(view.after, now),
        before=moment(view.before, now),
        limit=limit,
    )
    asked = as_typed(view.query)
    rows = db.find_conversations(asked, which) if asked else db.list_conversations(which)
    if not rows:
        return said(_nothing(view), data=[])
    return Reply((_numbered(rows),), data=[{"snippet": None, **row} for row in rows])


def as_typed(query: str) -> str:
    """The query while it is being typed: its last word may still go on."""
    query = query.strip()
    last = query.rsplit(None, 1)[-1] if query else ""
    goes_on = last[-1:].isalnum() and last not in _OPERATORS and query.count('"') % 2 == 0
    return f"{query}*" if goes_on else query


def _nothing(view: View) -> str:
    if view.query.strip():
        return "No title and no message holds all of these words."
    if view.archived:
        return "Nothing is archived."
    return "No sessions found." if view.source or view.after or view.before or view.tag else "No sessions yet."


def _numbered(rows: list[Row]) -> Table:
    table = lists.table(rows)
    numbered = tuple((number, *row) for number, row in enumerate(table.rows, 1))
    return Table((Column("#", 4, "number"), *table.columns), numbered, table.rule + 5)


def preview(db: SessionDB, session: str, query: str = "", *, most: int = 100) -> Reply:
    """A conversation to look into: its last messages, or those from the first hit on; at most so many."""
    reply = show(db, session)
    [whole] = (part for part in reply.parts if isinstance(part, Transcript))
    start = max(0, len(whole.entries) - most)
    node = _parsed(query)
    if node is not None:
        found = (place for place, entry in enumerate(whole.entries) if matches(node, fold(entry.text)))
        start = min(start, max(0, next(found, start) - _BEFORE_THE_HIT))
    shown = Transcript((), whole.entries[start : start + most])
    return Reply((Text(whole.heading), shown, *_left_out(whole, shown)), data=reply.data)


def _left_out(whole: Transcript, shown: Transcript) -> tuple[Text, ...]:
    number = len(whole.entries) - len(shown.entries)
    told = Span(f"{number:,} more; `hermes sessions show` has them all", "dim")
    return (Text(("", (told,))),) if number else ()


def marks(query: str, text: str) -> list[tuple[int, int]]:
    """Where what was typed stands in a text that `composed` made."""
    node = _parsed(query)
    return [] if node is None else hits(node, text)


@lru_cache(maxsize=16)  # every line of a list asks for the same
def _parsed(query: str) -> Node | None:
    return parse(as_typed(query))
