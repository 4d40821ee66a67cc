"""session_search: what was said in earlier sessions, in their own words.

Without a query: the recent sessions. With one: the best few conversations, each with the messages that hold the words
and what stands around them. With a session: that one, read from its beginning or around a message. Whatever comes out
of the past is fenced as data, with its source and its owner.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from hermes.agent.conversation import Conversation
from hermes.agent.own_tools.summaries import summaries
from hermes.agent.own_tools.told import LARGEST, sums_up
from hermes.agent.own_tools.windows import Hit, Row, beginning, window
from hermes.agent.setup import Setup
from hermes.errors import ToolError
from hermes.model.fences import fenced
from hermes.model.owners import LOCAL
from hermes.model.sources import AUTOMATION_SOURCES
from hermes.model.times import moment
from hermes.store.base import ListQuery
from hermes.store.db import OpenStore
from hermes.tools.registry import Handler
from hermes.tools.work import Work

_SHOWN, _READ = 4_000, 20_000  # characters of a session that was found, of one that is read, unless told otherwise
_RECENT = 10
_HITS = 8  # messages of a session that its window is made around
_PAGE = 100


class Found(NamedTuple):
    """A conversation, and the messages in it that were found, best first."""

    session_id: str
    hits: Sequence[Hit]


def make(setup: Setup, conversation: Conversation) -> Handler:
    return SessionSearch(setup, conversation).answer


class SessionSearch:
    def __init__(self, setup: Setup, conversation: Conversation) -> None:
        self._setup = setup
        self._conversation = conversation

    @property
    def db(self) -> OpenStore:
        """The operator of this machine sees everything, as with `hermes sessions`; anybody else what is theirs."""
        db, owner = self._conversation.db, self._conversation.owner
        return db if owner == LOCAL else db.scoped(owner)

    def answer(self, arguments: dict[str, Any], work: Work) -> str:
        query = str(arguments.get("query") or "").strip()
        if query:
            return self._search(query, arguments)
        if arguments.get("session_id"):
            return self._read(arguments)
        return self._recent(arguments)

    # -- the recent sessions

    def _recent(self, given: dict[str, Any]) -> str:
        most = given.get("limit") or _RECENT
        rows = list(self._listed(given, most))[:most]
        if not rows:
            return "There are no earlier sessions here."
        return "\n".join(["The most recent sessions:", *(self._fenced(row, row["preview"] or "") for row in rows)])

    def _listed(self, given: dict[str, Any], most: int) -> Iterator[Row]:
        """People's conversations, then what machines said among themselves."""
        where = self._where(given)
        left_out = where["exclude_lineages"]
        query = ListQuery("active", where["sources"], after=where["after"], before=where["before"])
        query = query._replace(limit=most + len(left_out))
        machines = sorted(AUTOMATION_SOURCES)
        apart = (query._replace(exclude_sources=machines), query._replace(sources=machines))
        for one in apart if query.sources is None else (query,):
            yield from (row for row in self.db.list_conversations(one) if row["lineage_id"] not in left_out)

    # -- a query

    def _search(self, query: str, given: dict[str, Any]) -> str:
        most = given.get("limit") or 3
        where = self._where(given)
        found = self._strict(query, where, most)
        heading = "Sessions that hold all of these words, the best first:"
        if not found:
            found = self._loose(query, where, most)
            heading = "No message holds all of these words; these sessions come nearest:"
        if not found:
            return "Nothing in earlier sessions is about this. Fewer or other words may find it."
        rooms = self._room(given, _SHOWN, len(found))
        told = self._summaries(query, found) if given.get("summary") else [""] * len(found)
        return "\n".join(
            [heading, *(self._session(one, rooms, summary) for one, summary in zip(found, told, strict=True))]
        )

    def _strict(self, query: str, where: dict[str, Any], most: int) -> list[Found]:
        """The best conversations, each with its best messages, whichever of its parts they are in."""
        filters = {
            "source_filter": where["sources"],
            "role_filter": where["roles"],
            "after": where["after"],
            "before": where["before"],
        }
        best = self.db.search_messages(
            query,
            lineage_id=where["lineage_id"],
            exclude_lineages=where["exclude_lineages"],
            one_per_lineage=True,
            limit=most,
            **filters,
        )
        places = _places(query)
        found = []
        for row in best:
            rows = self.db.search_messages(query, lineage_id=row["lineage_id"], limit=_HITS, **filters)
            found.append(Found(row["session_id"], [Hit(one["session_id"], one["id"], places) for one in rows or [row]]))
        return found

    def _loose(self, query: str, where: dict[str, Any], most: int) -> list[Found]:
        if where["lineage_id"] is not None:
            return []
        rows = self.db.recall(
            query,
            2 * most,
            sources=where["sources"],
            roles=where["roles"],
            after=where["after"],
            before=where["before"],
            exclude_lineages=where["exclude_lineages"],
        )
        found: dict[str, Found] = {}
        for row in rows:
            hits = [
                Hit(row["session_id"], one["message_id"], partial(_near, excerpt=one["text"]))
                for one in row["excerpts"]
            ]
            known = found.get(row["lineage_id"], Found(row["session_id"], []))
            found[row["lineage_id"]] = known._replace(hits=[*known.hits, *hits][:_HITS])
        return list(found.values())[:most]

    def _session(self, found: Found, room: int, summary: str) -> str:
        body = window(self.db, found.hits, room)
        told = f"Summary: {summary}\n\n" if summary else ""
        return self._fenced(self._facts(found.session_id), told + body)

    def _summaries(self, query: str, found: Sequence[Found]) -> list[str]:
        if not sums_up(self._setup.settings):
            return [""] * len(found)
        return summaries(self._setup.summarise, query, [window(self.db, one.hits, LARGEST) for one in found])

    # -- one session

    def _read(self, given: dict[str, Any]) -> str:
        session_id = self._meant(str(given["session_id"]))
        facts, parts = self._facts(session_id), [str(part["id"]) for part in self.db.get_lineage(session_id)]
        room = self._room(given, _READ, 1)
        around = given.get("around")
        if around is not None:
            return self._fenced(facts, window(self.db, [self._message(parts, around)], room))
        body, following = beginning(self._messages(parts), room)
        more = f"\nIt goes on: around={following} reads there." if following else ""
        return self._fenced(facts, body) + more

    def _message(self, parts: Sequence[str], message_id: int) -> Hit:
        for part in parts:
            rows = self.db.get_messages(part, after=message_id - 1, limit=1)
            if rows and rows[0]["id"] == message_id:
                return Hit(part, message_id)
        raise ToolError(f"There is no message {message_id} in that session.")

    def _messages(self, parts: Sequence[str]) -> Iterator[Row]:
        for part in parts:
            after = 0
            while rows := self.db.get_messages(part, after=after, limit=_PAGE):
                yield from rows
                after = rows[-1]["id"]

    def _meant(self, words: str) -> str:
        """An id, a unique beginning of one, or a title."""
        found = self.db.resolve_session_id(words) or self.db.resolve_session_by_title(words)
        row = self.db.get_session(found) if found else None
        if found is None or row is None or row.get("trashed_at") is not None:
            raise ToolError(f"There is no session '{words}' here; call without arguments for the recent ones.")
        return found

    # -- what is common

    def _where(self, given: dict[str, Any]) -> dict[str, Any]:
        now = time.time()
        within = self._lineage(self._meant(str(given["session_id"]))) if given.get("session_id") else None
        left_out = [self._lineage(self._meant(str(one))) for one in given.get("exclude_sessions") or ()]
        return {
            "sources": _listed(given.get("source")),
            "roles": _listed(given.get("role_filter")),
            "after": moment(given.get("after"), now),
            "before": moment(given.get("before"), now),
            "lineage_id": within,
            "exclude_lineages": [*left_out, *(self._current() if within is None else ())],
        }

    def _current(self) -> list[str]:
        """This conversation, and the one that a child agent works for."""
        parent = self._conversation.options.parent_session_id
        return [self._conversation.lineage_id, *([self._lineage(parent)] if parent else [])]

    def _lineage(self, session_id: str) -> str:
        row = self._conversation.db.get_session(session_id)
        return session_id if row is None else str(row["lineage_id"])

    def _room(self, given: dict[str, Any], usual: int, sessions: int) -> int:
        """Characters for each session; together they never take more than about a quarter of the model's window."""
        room = min(given.get("characters") or usual, LARGEST)
        return max(200, min(room, self._setup.provider.window // sessions))

    def _facts(self, session_id: str) -> Row:
        """The newest part of the conversation, with the start of the oldest."""
        parts = self.db.get_lineage(session_id)
        if not parts:
            raise ToolError(f"Session {session_id} was deleted just now; call again.")
        titled = [part["title"] for part in parts if part["title"]]
        return {**parts[-1], "title": titled[-1] if titled else None, "started_at": parts[0]["started_at"]}

    @staticmethod
    def _fenced(row: Row, body: str) -> str:
        about = {
            "id": str(row["id"]),
            "title": row["title"] or "",
            "source": str(row["source"]),
            "owner": str(row["owner"]),
            "began": time.strftime("%Y-%m-%d", time.localtime(row["started_at"])),
        }
        return fenced("recalled-session", body, **about)


def _places(query: str) -> Any:
    """Where in a text the words of a query stand."""
    from hermes.store.matching import hits
    from hermes.store.query import parse

    node = parse(query)

    def place(text: str) -> int:
        found = hits(node, text) if node is not None else []
        return found[0][0] if found else 0

    return place


def _near(text: str, excerpt: str) -> int:
    return max(0, text.find(excerpt.strip(".")))


def _listed(value: Any) -> list[str] | None:
    names = [name.strip() for name in str(value or "").split(",") if name.strip()]
    return names or None
