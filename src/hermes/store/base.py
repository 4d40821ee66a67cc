"""The contract every storage engine keeps. Read this first.

`SessionDB` (db.py) is what callers use: it checks and encodes arguments, knows the rules about titles,
lineages and scopes, and never sees SQL. Below it sits an engine: SQLite now, PostgreSQL on the same
contract. An engine gives out two things:

    with engine.read(scope) as reader:     one consistent snapshot
    engine.write(scope, work)              work(writer) in one transaction; on disk when it returns

Rows are dicts with the documented column names, content already decoded. Facts every engine keeps:
text is valid Unicode without U+0000; times are 64-bit floats; message ids grow in commit order and
are never used twice; a scope of `None` sees every owner, a set sees exactly those, and what a
scope does not see does not exist for it. Every error that leaves an engine is one of
`hermes.errors`; no engine error ever means that only half of `work` happened.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from hermes.model.owners import Scope
from hermes.store.encode import EncodedMessage, Payload

if TYPE_CHECKING:
    from hermes.model.usage import Usage
    from hermes.store.query import Node

Row = dict[str, Any]
T = TypeVar("T")


class ListQuery(NamedTuple):
    """Which conversations, in which order. Each combination reads one index."""

    order: Literal["started", "active"] = "started"
    sources: Sequence[str] | None = None
    exclude_sources: Sequence[str] = ()
    shelf: Literal["conversations", "roots", "all", "archived", "trash"] = "conversations"
    tag: str | None = None
    after: float | None = None
    before: float | None = None
    limit: int = 20
    offset: int = 0


class Filters(NamedTuple):
    """Which messages a search or a recall looks at."""

    sources: Sequence[str] | None = None
    exclude_sources: Sequence[str] = ()
    roles: Sequence[str] | None = None
    session_id: str | None = None
    lineage_id: str | None = None
    exclude_lineages: Sequence[str] = ()
    after: float | None = None
    before: float | None = None
    archived: bool | None = None
    tag: str | None = None


class SearchQuery(NamedTuple):
    """A parsed query with everything that narrows and orders it."""

    node: "Node"
    filters: Filters = Filters()
    order: Literal["relevance", "newest", "oldest"] = "relevance"
    one_per_lineage: bool = False
    limit: int = 20
    offset: int = 0


class PruneQuery(NamedTuple):
    """Ended conversations without activity since `before`."""

    before: float
    sources: Sequence[str] | None = None
    tag: str | None = None
    archived: bool | None = None


class Period(NamedTuple):
    """From when (inclusive) to when (exclusive), of which sources. What is asked about one reads nothing older."""

    after: float | None = None
    before: float | None = None
    sources: Sequence[str] | None = None


class Reader(Protocol):
    """What can be asked, within one snapshot. Missing things are None or empty, never an error."""

    scope: Scope

    def session(self, session_id: str) -> Row | None:
        """Every column of one session, the prompt snapshot in full."""

    def session_ids(self, prefix: str, limit: int) -> list[str]:
        """Ids that begin with `prefix`, newest start first. No wildcards: `_` is an underscore."""

    def titled(self, title: str) -> Row | None:
        """The session with exactly this title (of several owners' in scope, the newest)."""

    def title_family(self, base: str, owner: str | None = None) -> list[Row]:
        """id, title, started_at of `base` and every `base #N`; also of what shares the first 80 characters."""

    def parts(self, lineage_id: str) -> list[Row]:
        """The sessions of one conversation, oldest first."""

    def children(self, session_id: str) -> list[Row]:
        """Sessions whose parent this is, of any relation, oldest first."""

    def continuation(self, session_id: str) -> str | None:
        """The newest child of the same conversation that started when or after this one ended with reason
        `compression`."""

    def conversations(self, query: ListQuery) -> list[Row]:
        """List rows, with `preview`, `last_active` and, for compressed ones, the chain's sums."""

    def conversations_of(self, lineage_ids: Sequence[str]) -> list[Row]:
        """The list row of each of these conversations, in this order, archived and delegated ones too. One in the
        trash has none."""

    def titles_like(self, node: "Node", query: ListQuery) -> list[str]:
        """Lineage ids of conversations with a title, of any part, that answers the search; the one last active
        first. Archived ones too, unless the shelf says which; the trash is left out."""

    def all_sessions(self, sources: Sequence[str] | None, limit: int, offset: int) -> list[Row]:
        """Sessions of every kind by last activity, newest first, with `last_active`."""

    def pending_handoffs(self) -> list[Row]:
        """Sessions whose handoff is `pending`, oldest start first."""

    def count_sessions(self, source: str | None = None) -> int:
        """Sessions that are not in the trash."""

    def count_messages(self, session_id: str | None = None) -> int:
        """Messages as people count them: one that was carried into a continuation counts once."""

    def sessions_by_source(self) -> dict[str, int]:
        """How many sessions each source has, most first."""

    def messages(
        self,
        session_id: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Row]:
        """Rows in id order with every documented column and `carried_from`. `after` and `before` are message ids;
        `newest` takes the last `limit` instead of the first."""

    def has_messages(self, session_id: str) -> bool:
        """Whether there is any row, carried ones included."""

    def search(self, query: SearchQuery) -> list[Row]:
        """The messages that match, exactly, whatever the index has not seen yet included: id, session_id, role,
        timestamp, tool_name, source, model, session_started, title, lineage_id, and `text`, as search sees it.
        By relevance, people's conversations come before automation."""

    def neighbours(self, message_ids: Sequence[int]) -> dict[int, list[Row]]:
        """For each message: the one before it, itself, and the one after it in its session (role, content)."""

    # What recall asks; message ids are keys throughout.

    def indexed_messages(self) -> int:
        """About how many messages the index holds."""

    def vocabulary(self, prefix: str) -> dict[str, int]:
        """The words in the index that begin so, each with the number of messages that hold it."""

    def word_counts(self, forms: Sequence[str]) -> dict[int, float]:
        """How often any of these words occurs, by message."""

    def unit_counts(self, unit: str) -> dict[int, float]:
        """The messages that hold this character or pair of an unspaced script."""

    def unindexed(self) -> list[tuple[int, str]]:
        """Messages the index has not seen yet, with their text."""

    def admit(self, message_ids: Sequence[int], filters: Filters) -> dict[int, tuple[str, str]]:
        """Those of the messages that scope and filters let through: (session id, role)."""

    def outlines(self, session_ids: Sequence[str]) -> list[Row]:
        """session_id, title, source, started_at, last_active, lineage_id, by_machine, and `messages`: (id, number of
        words) in order."""

    def texts(self, message_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Role and text, as people read it."""

    def prunable(self, query: PruneQuery) -> list[Row]:
        """Conversations that have ended in every part, with their last activity before the cutoff, not pinned:
        lineage_id, last_active, source, messages, ids (JSON)."""

    def trashed_before(self, at: float) -> list[str]:
        """Sessions that have been in the trash since before then."""

    def tags(self, session_id: str) -> list[str]:
        """The tags of the conversation this session belongs to."""

    def usage_by(self, group: str, period: Period) -> list[Row]:
        """Ledger sums grouped by model, source, owner, session, provider or local day, with `cost_usd` (what was paid
        or, where that is not known, the estimate; None when neither is) and `unpriced`, the records without a cost."""

    # What insights ask; each costs as much as there is in the period, however much lies before it. What is in the
    # trash does not count.

    def activity(self, period: Period) -> list[Row]:
        """Messages by `source` and `quarter` (seconds since 1970 by 900): `messages`, and `requests` of people."""

    def tool_use(self, period: Period) -> list[Row]:
        """Tool calls by `tool` and, where one names a skill, `skill`: `calls`, and `sessions` they were made in."""

    def conversations_in(self, period: Period) -> dict[str, int]:
        """How many conversations were last active in the period, by source."""

    def notable(self, measure: str, period: Period, limit: int) -> list[Row]:
        """The conversations last active in the period with most messages, tool_calls, tokens, cost or duration
        (seconds), all parts taken together: id, title, source, started_at, last_active, amount. None without any."""

    def meta(self, key: str) -> str | None:
        """A value of the key/value table."""

    def meta_keys(self, prefix: str) -> list[str]:
        """The keys that begin like this, in order."""

    def linked_owners(self, owner: str) -> frozenset[str]:
        """The owners that are the same person, this one included."""

    # What the gateway asks; rows have an owner, and a scope sees its own.

    def route(self, key: str) -> Row | None:
        """Which session this chat is in: every column."""

    def routes(self) -> list[Row]:
        """All of them, by key."""

    def arrivals(self, states: Sequence[str]) -> list[Row]:
        """Messages that came in and are in one of these states (waiting, running, done), in order."""

    def posts(self, states: Sequence[str]) -> list[Row]:
        """Messages that are to go out, or went, in one of these states (pending, sending, sent, undelivered), in
        order."""


class Writer(Reader, Protocol):
    """What can be changed, within one transaction. A writer reads its own writes."""

    def insert_session(self, row: Row, prompt: Payload | None, *, branch: bool = False) -> bool:
        """False, and nothing changed, when the id exists (in whatever scope). Its place in lists follows from its
        parent; a `branch` is a conversation of its own whatever the parent ended with."""

    def update_session(self, session_id: str, changes: Row) -> bool:
        """Set columns; False when there is no such session in scope."""

    def set_prompt(self, session_id: str, text: str | None, payload: Payload | None) -> bool:
        """Replace the prompt snapshot; an unreferenced old one goes."""

    def insert_messages(self, session_id: str, messages: Sequence[EncodedMessage]) -> list[int]:
        """Row ids in order. A known idempotency key yields the id it has; SessionNotFound without a session."""

    def carry_messages(self, session_id: str, message_ids: Iterable[int]) -> None:
        """Copy messages into a continuation, marked as carried: not counted, not found twice."""

    def delete_messages(self, session_id: str, from_id: int = 0) -> int:
        """Delete from this message on; counts, preview and activity follow. Returns how many."""

    def delete_session(self, session_id: str) -> bool:
        """The session, its messages and what was carried from them; children stay without a parent,
        the ledger stays without ids."""

    def put_away(self, lineage_id: str, column: str, at: float | None, shelf: int | None) -> int:
        """Archive or trash (`column`) every part of a conversation, or with None bring it back."""

    def set_tags(self, session_ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> None:
        """Add and remove tags."""

    def add_usage(self, session_id: str, usage: "Usage", at: float) -> None:
        """One ledger row, and the session's totals with it."""

    def set_meta(self, key: str, value: str | None) -> None:
        """Store or, with None, remove a value."""

    def link_owner(self, owner: str, person: str | None) -> None:
        """Say that `owner` is `person`, or with None that it is nobody else."""

    def set_route(self, row: Row) -> bool:
        """Say which session a chat is in; columns that are not named stay. False: the key is another owner's."""

    def drop_route(self, key: str) -> bool:
        """Forget a chat. The session stays."""

    def insert_arrival(self, row: Row) -> int | None:
        """A message that came in; None when this platform delivered the same event before."""

    def update_arrival(self, arrival_id: int, changes: Row, state: str | None = None) -> bool:
        """Set columns, if it is (still) in this state; with `done` its content goes."""

    def insert_post(self, row: Row) -> int:
        """A message that is to go out."""

    def update_post(self, post_id: int, changes: Row, state: str | None = None) -> bool:
        """The same for what goes out; with `sent` its content goes."""

    def forget_mail(self, before: float) -> int:
        """Drop what was dealt with before then; how many rows."""


class Found(Protocol):
    """A problem a check found."""

    @property
    def kind(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def mend(self) -> str | None: ...


class Engine(Protocol):
    """One open store. Safe from several threads; refuses use after close() and in a forked child."""

    path: Path
    read_only: bool
    notices: list[str]  # what the person should know: a loss found, a fallback taken, an upgrade done

    def read(self, scope: Scope, *, apart: bool = False) -> AbstractContextManager[Reader]:
        """A snapshot; later commits of others do not show in it. What takes long is read `apart`, so that no writer
        of this process waits for it."""

    def write(self, scope: Scope, work: Callable[[Writer], T]) -> T:
        """`work` in one transaction, possibly grouped with other threads' work. When it raises, nothing of
        it remains. When this returns, it survives a power loss."""

    def transaction(self, scope: Scope) -> AbstractContextManager[Writer]:
        """A writer for the length of a block; everybody else waits meanwhile."""

    def prepare_search(self) -> None:
        """Called before a search: catch up with the index when that pays, and only if nobody is in the way."""

    def optimize(self) -> None:
        """Fold the index into one piece, in short steps."""

    def vacuum(self) -> bool:
        """Give free space back and leave no trace of what was deleted. False when a reader prevented the last bit."""

    def rebuild_index(self) -> None:
        """Make the index anew from the messages."""

    def index_lag(self) -> int:
        """How many messages the index is behind."""

    def catch_up(self) -> bool:
        """Bring the index up to date."""

    def check(self) -> "Sequence[Found]":
        """Everything that is not as it should be: each with `kind`, `what`, and `mend` (None: cannot be mended)."""

    def repair(self) -> "Sequence[Found]":
        """Mend what can be derived anew; returns what is left."""

    def backup(self, target: Path) -> None:
        """A committed copy while others read and write."""

    def restore(self, source: Path) -> Path:
        """The content of a verified backup in this store's place; returns where the present content was kept."""

    def size(self) -> int:
        """Bytes on disk."""

    def close(self) -> None:
        """Finish the index, release everything. Idempotent."""
