"""Lists of sessions, and how much there is."""

from typing import Any, Literal

from hermes.commands.reply import Column, Facts, Kind, Reply, Table, count, said
from hermes.model.sources import UNLISTED
from hermes.store import SessionDB
from hermes.store.base import ListQuery, Row

Shelf = Literal["conversations", "all", "archived", "trash"]

_TITLED = (
    Column("Title", 30, least=12),
    Column("Preview", 39, least=8),
    Column("Last Active", 12, "time"),
    Column("ID", 12, "id"),
)
_UNTITLED = (
    Column("Preview", 49, least=12),
    Column("Last Active", 12, "time"),
    Column("Src", 5),
    Column("ID", 17, "id"),
)
_TITLED_RULE, _UNTITLED_RULE = 96, 86


def recent(
    db: SessionDB,
    *,
    source: str | None = None,
    limit: int = 20,
    shelf: Shelf = "conversations",
    tag: str | None = None,
) -> Reply:
    """Conversations, the one last active first; those of scheduled jobs only where they are asked for. The table shows
    titles, or without any where they are from."""
    named = {} if source is None else {"sources": [source]}
    hidden = {"exclude_sources": UNLISTED} if shelf == "conversations" and not source and not tag else {}
    rows = db.list_conversations(ListQuery(order="active", shelf=shelf, tag=tag, limit=limit, **named, **hidden))
    if not rows:
        return said(_nothing(shelf, source or tag), data=[])
    return Reply((table(rows, shelf),), data=rows)


def table(rows: list[Row], shelf: str = "conversations") -> Table:
    moment = "trashed_at" if shelf == "trash" else "last_active"
    if not any(row["title"] for row in rows):
        lines = tuple((row["preview"], row[moment], row["source"][:4], row["id"]) for row in rows)
        return Table(_named(_UNTITLED, shelf), lines, _UNTITLED_RULE)
    lines = tuple((row["title"] or "—", row["preview"], row[moment], row["id"]) for row in rows)
    return Table(_named(_TITLED, shelf), lines, _TITLED_RULE)


def _named(columns: tuple[Column, ...], shelf: str) -> tuple[Column, ...]:
    if shelf != "trash":
        return columns
    return tuple(Column("Deleted", 12, "time") if column.kind == "time" else column for column in columns)


def _nothing(shelf: Shelf, filtered: str | None) -> str:
    if shelf == "trash":
        return "The trash is empty."
    if shelf == "archived":
        return "Nothing is archived."
    return "No sessions found." if filtered else "No sessions yet."


def stats(db: SessionDB) -> Reply:
    """How many sessions and messages, by source, and how large the store is."""
    numbers: dict[str, Any] = {**db.stats(), "bytes": db.database_size()}
    facts: list[tuple[str, Any, Kind]] = [
        ("Total sessions", str(numbers["sessions"]), "text"),
        ("Total messages", str(numbers["messages"]), "text"),
    ]
    facts += [(source, count(number, "session"), "text") for source, number in numbers["sources"].items()]
    facts.append(("Database size", f"{numbers['bytes'] / 1e6:.1f} MB", "text"))
    return Reply((Facts(tuple(facts)),), data=numbers)
