"""Where every session stands: its conversation, and its place in lists.

New rows get both from the insert trigger. Old files get them all here, and a store whose places were
disturbed gets them again: a `lineage_id` that is there stays, because only it can tell a branch from a continuation.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from hermes.store.sqlite.schema import ARCHIVED, HIDDEN, ROOT, TIP, TRASHED, WHOLE

_SELECT = """
    SELECT rowid, id, parent_session_id, owner, started_at, ended_at, end_reason, lineage_id, begun_at, shelf,
           archived_at IS NOT NULL, trashed_at IS NOT NULL
    FROM sessions ORDER BY started_at, rowid
"""


@dataclass(slots=True)
class _Session:
    rowid: int
    id: str
    parent_id: str | None
    owner: str
    started: float
    ended: float | None
    reason: str | None
    lineage: str | None
    begun: float | None
    shelf: int | None
    archived: int
    trashed: int
    parent: "_Session | None" = None  # where it has the same owner

    def follows(self, reason: str) -> bool:
        """Whether this began when or after its parent ended so."""
        up = self.parent
        return up is not None and up.reason == reason and up.ended is not None and up.ended <= self.started

    def continues(self) -> "_Session | None":
        return self.parent if self.lineage is None and self.follows("compression") else None


def place_lineages(connection: apsw.Connection) -> None:
    """lineage_id and begun_at where they are missing, and the shelf of every session."""
    sessions = [_Session(*row) for row in connection.execute(_SELECT)]
    by_id = {session.id: session for session in sessions}
    for session in sessions:
        parent = by_id.get(session.parent_id or "")
        session.parent = parent if parent is not None and parent.owner == session.owner else None
    conversations = defaultdict(list)
    for session, lineage in [(session, _lineage(session)) for session in sessions]:
        conversations[lineage].append(session)
        session.lineage = lineage
    changes = []
    for lineage, parts in conversations.items():
        begun = next((part.begun for part in parts if part.begun is not None), parts[0].started)
        changes += [(lineage, begun, shelf, part.rowid) for part, shelf in _shelves(parts)]
    connection.executemany("UPDATE sessions SET lineage_id = ?, begun_at = ?, shelf = ? WHERE rowid = ?", changes)


def _lineage(session: _Session) -> str:
    """The conversation a session belongs to: of the first in its chain of compressions."""
    seen = {session.id}
    current = session
    while (before := current.continues()) is not None:
        if before.id in seen:
            return session.id  # parents that lead in a circle have no first
        seen.add(before.id)
        current = before
    return current.lineage or current.id


def _shelves(parts: list[_Session]) -> Iterator[tuple[_Session, int]]:
    first, last = parts[0], parts[-1]
    shown = _is_conversation(first)
    for part in parts:
        shelf = HIDDEN
        if shown and part is last:
            shelf = TRASHED if part.trashed else ARCHIVED if part.archived else WHOLE if part is first else TIP
        elif shown and part is first and not (part.trashed or part.archived):
            shelf = ROOT
        yield part, shelf


def _is_conversation(first: _Session) -> bool:
    """Not a delegated child: nobody's child, a branch, or one that hangs from no root at all."""
    if first.parent is None or first.parent.lineage == first.lineage:
        return True
    if first.follows("branched") or first.follows("compression") or first.shelf in (WHOLE, ROOT, TIP):
        return True
    seen: set[str] = set()
    current: _Session | None = first
    while current is not None and current.id not in seen:
        seen.add(current.id)
        current = current.parent
    return current is not None
