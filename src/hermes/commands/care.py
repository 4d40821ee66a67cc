"""Looking after sessions: rename, delete, trash, archive, pin, tag, prune. Each acts on the whole conversation."""

from collections.abc import Callable, Sequence

from hermes import paths
from hermes.commands import choose, lists
from hermes.commands.reply import Ask, Column, Reply, Table, Text, count, said
from hermes.errors import BadInput, SessionNotFound
from hermes.store import SessionDB
from hermes.store.base import Row

_PRUNED = (
    Column("Last Active", 12, "time"),
    Column("Messages", 8, "number"),
    Column("Parts", 5, "number"),
    Column("Src", 5),
    Column("ID", 20, "id"),
)
_PRUNED_RULE = 56


def rename(db: SessionDB, session: str, title: str) -> Reply:
    """Name a session; the title must be free. An empty one takes the name away."""
    session_id = _present(_row(db, choose.to_change(db, session)))["id"]
    db.set_session_title(session_id, title)
    stored = db.get_session_title(session_id)
    told = f"Session '{session_id}' renamed to: {stored}" if stored else f"Session '{session_id}' has no title now."
    return said(told, data={"id": session_id, "title": stored})


# -- delete, and what leads back


def delete(db: SessionDB, session: str, *, purge: bool = False, yes: bool = False) -> Reply:
    """To the trash; with `purge`, or from the trash, for good."""
    row = _conversation(db, session)
    if purge:
        return _asked(f"{_about(db, row)} for good? This cannot be undone.", lambda: _purge(db, row), yes)
    return _asked(f"{_about(db, row)}?", lambda: _throw_away(db, row), yes)


def purge(db: SessionDB, session: str, *, yes: bool = False) -> Reply:
    """Delete a conversation for good, wherever it is: in the trash first, then among the others."""
    try:
        row = _row(db, choose.in_trash(db, session))
    except SessionNotFound:
        row = _conversation(db, session)
    return _asked(f"{_about(db, row)} for good? This cannot be undone.", lambda: _purge(db, row), yes)


def _about(db: SessionDB, row: Row) -> str:
    parts = len(db.get_lineage(row["id"]))
    whole = f" ({count(parts, 'part')})" if parts > 1 else ""
    return f"Delete session {choose.named(row)}{whole} and all its messages"


def _throw_away(db: SessionDB, row: Row) -> Reply:
    parts = db.trash_session(row["id"])
    return said(
        f"Moved session {choose.named(row)} to the trash ({count(parts, 'part')}).",
        f"Get it back: hermes sessions restore {row['id']}",
        data={"id": row["id"], "parts": parts, "trashed": True},
    )


def _purge(db: SessionDB, row: Row) -> Reply:
    parts = db.delete_lineage(row["id"], paths.sessions_dir())
    return said(
        f"Deleted session {choose.named(row)} for good ({count(parts, 'part')}).",
        data={"id": row["id"], "parts": parts, "purged": True},
        notices=_copies(db),
    )


def _copies(db: SessionDB) -> tuple[str, ...]:
    """Deleted means gone, except from older copies of the file: say which there are."""
    copies = paths.copies_of(db.db_path)
    return (f"Older copies still hold it: {', '.join(str(copy) for copy in copies)}",) if copies else ()


def restore(db: SessionDB, session: str) -> Reply:
    """Back from the trash, under its title, or the next number of it."""
    session_id = choose.in_trash(db, session)
    parts = db.restore_session(session_id)
    row = _row(db, session_id)
    return said(
        f"Restored session {choose.named(row)} ({count(parts, 'part')}).",
        data={"id": session_id, "title": row["title"], "parts": parts},
    )


def trash(db: SessionDB) -> Reply:
    return lists.recent(db, shelf="trash", limit=2**31 - 1)


def empty_trash(db: SessionDB, *, older_than: float = 0, yes: bool = False) -> Reply:
    """Delete for good what is in the trash."""
    rows = choose.trashed(db)
    if not rows:
        return said("The trash is empty.", data={"deleted": 0})
    which = f" older than {older_than:g} days" if older_than else ""
    question = f"Delete everything in the trash{which} ({count(len(rows), 'conversation')}) for good?"

    def empty() -> Reply:
        gone = db.empty_trash(older_than, paths.sessions_dir())
        return said(f"Deleted {count(gone, 'session')} for good.", data={"deleted": gone}, notices=_copies(db))

    return _asked(f"{question} This cannot be undone.", empty, yes)


# -- put away, keep, label


def archive(db: SessionDB, session: str) -> Reply:
    session_id = _conversation(db, session)["id"]
    parts = db.archive_session(session_id)
    back = f"Search still finds it; hermes sessions unarchive {session_id} brings it back."
    return _changed(db, session_id, "Archived", parts, back)


def unarchive(db: SessionDB, session: str) -> Reply:
    session_id = _conversation(db, session)["id"]
    return _changed(db, session_id, "Unarchived", db.unarchive_session(session_id))


def pin(db: SessionDB, session: str) -> Reply:
    session_id = _conversation(db, session)["id"]
    return _changed(db, session_id, "Pinned", db.pin_session(session_id), "It is never pruned.")


def unpin(db: SessionDB, session: str) -> Reply:
    session_id = _conversation(db, session)["id"]
    return _changed(db, session_id, "Unpinned", db.pin_session(session_id, False))


def _changed(db: SessionDB, session_id: str, verb: str, parts: int, *more: str) -> Reply:
    told = f"{verb} session {choose.named(_row(db, session_id))} ({count(parts, 'part')})."
    return said(told, *more, data={"id": session_id, "parts": parts})


def tag(db: SessionDB, session: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Reply:
    """Add and remove tags, or without any say which there are."""
    session_id = choose.to_change(db, session)
    tags = db.tag_session(session_id, add, remove) if add or remove else db.get_tags(session_id)
    told = f"Session '{session_id}' is tagged: {', '.join(tags)}" if tags else f"Session '{session_id}' has no tags."
    return said(told, data={"id": session_id, "tags": tags})


# -- by age


def prune(
    db: SessionDB,
    *,
    older_than: float = 90,
    source: str | None = None,
    tag: str | None = None,
    dry_run: bool = False,
    yes: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reply:
    """Delete ended conversations without activity for so many days, for good; shows first what would go."""
    rows = db.prunable_sessions(older_than, source, tag=tag)
    sessions, messages = sum(len(row["ids"]) for row in rows), sum(row["messages"] or 0 for row in rows)
    data = {"sessions": sessions, "conversations": len(rows), "messages": messages}
    if not rows:
        return said("Pruned 0 sessions.", data={**data, "pruned": 0})
    size = f"{count(sessions, 'session')}, {count(messages, 'message')}"
    if dry_run:
        told = Text((f"Would delete {size}; nothing was changed.",))
        return Reply((_prunable(rows), told), data=[{**row, "would_delete": True} for row in rows])

    def go() -> Reply:
        gone = db.prune_sessions(older_than, source, paths.sessions_dir(), tag=tag, progress=progress)
        freed = int(str(db.vacuum()["bytes_freed"]))
        lines = (f"Pruned {count(gone, 'session')}.", *([f"Freed {freed / 1e6:.1f} MB."] if freed >= 50_000 else []))
        return said(*lines, data={**data, "pruned": gone, "bytes_freed": freed}, notices=_copies(db))

    question = f"Delete all ended sessions older than {older_than:g} days ({size})? This is final."
    reply = _asked(question, go, yes)
    return reply if yes else Reply((_prunable(rows),), ask=reply.ask)


def _prunable(rows: list[Row]) -> Table:
    lines = tuple(
        (row["last_active"], row["messages"], len(row["ids"]), row["source"][:4], row["lineage_id"]) for row in rows
    )
    return Table(_PRUNED, lines, _PRUNED_RULE)


def _asked(question: str, then: Callable[[], Reply], yes: bool) -> Reply:
    return then() if yes else Reply(ask=Ask(question, then))


def _conversation(db: SessionDB, words: str) -> Row:
    """The newest part of the conversation that is meant: the row people see in lists."""
    return _present(db.get_lineage(choose.to_change(db, words))[-1])


def _present(row: Row) -> Row:
    if row["trashed_at"]:
        raise BadInput(
            f"Session '{row['id']}' is in the trash; `hermes sessions restore {row['id']}` brings it back, "
            f"`hermes sessions purge {row['id']}` is final."
        )
    return row


def _row(db: SessionDB, session_id: str) -> Row:
    row = db.get_session(session_id)
    if row is None:
        raise SessionNotFound(session_id)
    return row
