"""The contract in plain Python: sessions, messages, titles, lineages, lists and usage in dicts and lists.

Slow, without a file, and easy to believe; the stateful test compares the store with it. Ids of messages and the
moments the store chose itself are told to the model, everything else follows from what was asked.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from hermes.model.text import clip
from hermes.model.titles import next_title, split_number

HIDDEN, WHOLE, TIP, ROOT = "hidden", "whole", "tip", "root"


@dataclass
class Said:
    id: int
    role: str
    content: str | None
    at: float
    calls: int = 0
    key: str | None = None
    original: int | None = None


@dataclass
class Session:
    id: str
    source: str
    owner: str
    parent: str | None
    started: float
    order: int
    lineage: str = ""
    begun: float = 0.0
    place: str = WHOLE
    ended: float | None = None
    reason: str | None = None
    title: str | None = None
    tokens: int = 0
    cost: float | None = None
    said: list[Said] = field(default_factory=list)

    @property
    def own(self) -> list[Said]:
        return [message for message in self.said if message.original is None]

    @property
    def last_active(self) -> float:
        return max((message.at for message in self.said), default=self.started)

    @property
    def preview(self) -> str:
        asked = [message for message in self.said if message.role == "user" and message.content is not None]
        first = min(asked, key=lambda message: (message.at, message.id), default=None)
        return clip(first.content or "", 60) if first else ""


class Model:
    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    # -- sessions

    def create(self, session: Session, *, branch: bool = False) -> None:
        session.lineage, session.begun, session.place = session.id, session.started, WHOLE
        parent = self.sessions.get(session.parent or "")
        if parent is not None and parent.owner == session.owner and not branch:
            if self._follows(parent, session, "compression"):
                session.lineage, session.begun = parent.lineage, parent.begun
                session.place = self._take_the_tip(parent.lineage)
            elif not self._follows(parent, session, "branched"):
                session.place = HIDDEN
        self.sessions[session.id] = session

    @staticmethod
    def _follows(parent: Session, child: Session, reason: str) -> bool:
        return parent.reason == reason and parent.ended is not None and parent.ended <= child.started

    def _take_the_tip(self, lineage: str) -> str:
        shown = [one for one in self.sessions.values() if one.lineage == lineage and one.place != HIDDEN]
        for one in shown:
            one.place = ROOT if one.place in (WHOLE, ROOT) else HIDDEN
        return TIP if shown else HIDDEN

    def end(self, session_id: str, reason: str, at: float) -> None:
        session = self.sessions[session_id]
        if session.ended is None:
            session.ended, session.reason = at, reason

    def reopen(self, session_id: str) -> None:
        self.sessions[session_id] = replace(self.sessions[session_id], ended=None, reason=None)

    def continuation(self, session_id: str) -> str | None:
        parent = self.sessions[session_id]
        after = [
            child
            for child in self.sessions.values()
            if child.parent == session_id
            and child.lineage == parent.lineage
            and self._follows(parent, child, "compression")
        ]
        newest = max(after, key=lambda child: (child.started, child.order), default=None)
        return newest.id if newest else None

    def tip(self, session_id: str) -> str:
        parts = [session_id]
        while (following := self.continuation(parts[-1])) is not None and following not in parts:
            parts.append(following)
        return parts[-1]

    # -- titles

    def holder(self, title: str, owner: str) -> str | None:
        found = [one.id for one in self.sessions.values() if one.title == title and one.owner == owner]
        return found[0] if found else None

    def next_title(self, title: str, owner: str) -> str:
        base, _ = split_number(title)
        taken = [one.title for one in self.sessions.values() if one.title and one.owner == owner]
        return next_title(title, [one for one in taken if one.startswith(base)])

    def free_title(self, title: str, owner: str, session_id: str) -> str:
        return title if self.holder(title, owner) in (None, session_id) else self.next_title(title, owner)

    # -- messages

    def delete_from(self, session_id: str, place: int) -> int:
        session = self.sessions[session_id]
        gone = session.said[place:]
        originals = {message.id for message in gone if message.original is None}
        del session.said[place:]
        for other in self.sessions.values():
            other.said = [message for message in other.said if message.original not in originals]
        return len(gone)

    # -- what people see

    def visible(self, owner: str | None) -> list[Session]:
        return [one for one in self.sessions.values() if owner is None or one.owner == owner]

    def listed(self, owner: str | None, *, active: bool, source: str | None, every: bool, roots: bool) -> list[str]:
        places = (HIDDEN, WHOLE, TIP, ROOT) if every else (WHOLE, ROOT) if roots else (WHOLE, TIP)
        rows = [one for one in self.visible(owner) if one.place in places and source in (None, one.source)]

        def key(one: Session) -> tuple[float, int]:
            return (one.last_active if active else one.started if every else one.begun), one.order

        return [one.id for one in sorted(rows, key=key, reverse=True)]

    def row(self, session_id: str) -> dict[str, Any]:
        one = self.sessions[session_id]
        return {
            "id": one.id,
            "source": one.source,
            "owner": one.owner,
            "parent_session_id": one.parent,
            "started_at": one.started,
            "ended_at": one.ended,
            "end_reason": one.reason,
            "title": one.title,
            "lineage_id": one.lineage,
            "message_count": len(one.own),
            "tool_call_count": sum(message.calls for message in one.own),
            "input_tokens": one.tokens,
            "estimated_cost_usd": one.cost,
        }

    def chain(self, session_id: str, owner: str | None) -> tuple[float, int, float | None]:
        """Start, tokens and cost of a conversation, as a list row shows them."""
        one = self.sessions[session_id]
        parts = [part for part in self.visible(owner) if part.lineage == one.lineage]
        costs = [part.cost for part in parts if part.cost is not None]
        return one.begun, sum(part.tokens for part in parts), sum(costs) if costs else None
