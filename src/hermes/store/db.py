"""`SessionDB`: the public face of the store."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from hermes import paths
from hermes.errors import BadInput, ConfigError
from hermes.model.owners import Scope, check_owner, may_see
from hermes.store.base import Engine, Found, Reader, Writer
from hermes.store.care import CareOperations
from hermes.store.checks import path
from hermes.store.handoff import HandoffOperations
from hermes.store.insights import InsightOperations
from hermes.store.lineage import LineageOperations
from hermes.store.lists import ListOperations
from hermes.store.messages import MessageOperations
from hermes.store.recall import RecallOperations
from hermes.store.routing import RoutingOperations
from hermes.store.search import SearchOperations
from hermes.store.titles import TitleOperations
from hermes.store.transfer import TransferOperations
from hermes.store.usage import UsageOperations

if TYPE_CHECKING:
    from hermes.store.sqlite.salvage import SalvageReport

T = TypeVar("T")


class Store(
    UsageOperations,
    InsightOperations,
    MessageOperations,
    TitleOperations,
    LineageOperations,
    ListOperations,
    HandoffOperations,
    RoutingOperations,
    SearchOperations,
    RecallOperations,
    CareOperations,
    TransferOperations,
):
    """Every operation, by subject. `SessionDB` performs each on its own, `Transaction` several as one."""

    _owner: str | None = None

    def _own_name(self) -> str | None:
        return self._owner

    def _now(self) -> float:
        return time.time()


class OpenStore(Store):
    """A store on an open engine, as its operator or one owner sees it."""

    _engine: Engine

    @property
    def read_only(self) -> bool:
        return self._engine.read_only

    @contextmanager
    def transaction(self) -> "Iterator[Transaction]":
        """Several operations as one: all of them are stored when the block ends, none when it raises.

        Use `tx`, not the db, inside the block; everybody else's writes wait for it, so keep it short.
        """
        with self._engine.transaction(self.scope) as writer:
            yield Transaction(writer, self)

    def atomically(self, work: "Callable[[Transaction], T]") -> T:
        """The same for a function, which shares its commit with whatever other threads write meanwhile.

        It may run in another thread, and a second time when the first one left no trace: all it changes is in `tx`.
        """
        return self._write(lambda writer: work(Transaction(writer, self)))

    def scoped(self, owner: str) -> "ScopedDB":
        """The same store as this owner sees it."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> AbstractContextManager[Reader]:
        return self._engine.read(self.scope)

    def _read_apart(self) -> AbstractContextManager[Reader]:
        return self._engine.read(self.scope, apart=True)

    def _write(self, work: Callable[[Writer], T]) -> T:
        return self._engine.write(self.scope, work)

    def _prepare_search(self) -> None:
        self._engine.prepare_search()

    def _tidy_index(self) -> None:
        self._engine.catch_up()


class SessionDB(OpenStore):
    """Sessions and messages that are never lost.

    Thread-safe, safe across processes, synchronous. `SessionDB()` opens `~/.hermes/state.db` as the local
    operator, who sees every owner; `db.scoped(owner)` has the same methods and sees and touches only that
    owner's sessions. What a method stored is on disk when it returns.

    With `redact_secrets`, keys and passwords in messages are masked before they are stored or indexed. With
    `read_only` nothing is ever written; that also happens by itself where nothing can be. `notices`
    holds what the person should be told: a loss that was found, an upgrade that was made. A `brief` use, such as one
    command, loads only the code it needs. A `foreign` file is one of another program: with `read_only`, nothing in its
    folder changes either.
    """

    def __init__(
        self,
        db_path: Path | str | None = None,
        *,
        read_only: bool = False,
        redact_secrets: bool = False,
        brief: bool = False,
        foreign: bool = False,
    ) -> None:
        self.redact_secrets = redact_secrets
        if not brief:
            from hermes.store import preload  # noqa: F401  (loading it is what it is for)

        # Opened here, not at import: `hermes --help` needs no SQLite.
        from hermes.store.sqlite.engine import SqliteEngine

        store = paths.state_db() if db_path is None else path("db_path", db_path)
        self._engine: Engine = SqliteEngine(store, read_only=read_only, foreign=foreign)

    @property
    def db_path(self) -> Path:
        return self._engine.path

    @property
    def notices(self) -> list[str]:
        return self._engine.notices

    def scoped(self, owner: str) -> "ScopedDB":
        """The same store as this owner sees it: their own sessions, on every platform they are linked to."""
        return ScopedDB(self._engine, check_owner(owner), self.redact_secrets)

    def database_size(self) -> int:
        """Bytes the store takes on disk."""
        return self._engine.size()

    def index_lag(self) -> int:
        """How many messages the index is behind; a search reads those itself."""
        return self._engine.index_lag()

    def optimize(self) -> None:
        """Bring the index up to date and fold it into one piece."""
        self._engine.optimize()

    def rebuild_index(self) -> None:
        """Make the index anew from the messages."""
        self._engine.rebuild_index()

    def vacuum(self) -> dict[str, object]:
        """Give free space back to the disk and leave no trace of what was deleted.

        Returns `bytes_freed`, `complete` (False: a reader was in the way, run it again later) and `backups`, the
        older copies beside the store that still hold what was deleted.
        """
        before = self._engine.size()
        complete = self._engine.vacuum()
        return {
            "bytes_freed": max(0, before - self._engine.size()),
            "complete": complete,
            "backups": [str(path) for path in paths.copies_of(self._engine.path)],
        }

    def _reclaim(self) -> bool:
        self._engine.vacuum()
        return True

    def check(self) -> list[dict[str, str | None]]:
        """Everything that is not as it should be: rows with `kind`, `what` and `mend` (None: restore or salvage)."""
        return [_problem(found) for found in self._engine.check()]

    def repair(self) -> list[dict[str, str | None]]:
        """Mend what can be derived anew: counts, places in lists, the index. Returns what is left."""
        return [_problem(found) for found in self._engine.repair()]

    def backup(self, path: Path | str) -> Path:
        """A complete copy, made while others read and write; never masked, readable by its owner alone."""
        self._engine.backup(Path(path))
        return Path(path)

    def restore(self, path: Path | str) -> Path:
        """Take back the content of a backup, after checking it. Returns where the present content was kept."""
        return self._engine.restore(Path(path))

    @staticmethod
    def salvage(damaged: Path | str, target: Path | str) -> "SalvageReport":
        """Read what can be read of a damaged store into a new one; the damaged file is not touched."""
        from hermes.store.sqlite.upkeep import salvage

        return salvage(Path(damaged), Path(target))

    def close(self) -> None:
        """Finish and let go. Calling it again does nothing; using the store afterwards is StoreClosed."""
        self._engine.close()


def _problem(found: Found) -> dict[str, str | None]:
    return {"kind": found.kind, "what": found.what, "mend": found.mend}


class ScopedDB(OpenStore):
    """One owner's view: what concerns the whole store is not here. Closing it does nothing: the store belongs to
    whoever opened it."""

    def __init__(self, engine: Engine, owner: str, redact_secrets: bool) -> None:
        self._engine = engine
        self._owner = owner
        self.redact_secrets = redact_secrets

    @property
    def scope(self) -> Scope:  # type: ignore[override]
        """Read anew each time, so that a changed identity link holds at once."""
        with self._engine.read(None) as reader:
            return reader.linked_owners(self._owner or "")

    def scoped(self, owner: str) -> "ScopedDB":
        """Only a scope of its own: one view leads to no other."""
        if not may_see(self.scope, check_owner(owner)):
            raise BadInput("A scope leads to no other one; make it from the store itself.")
        return ScopedDB(self._engine, owner, self.redact_secrets)

    def close(self) -> None:
        pass


class Transaction(Store):
    """The store inside `with db.transaction() as tx:`. What happened at another time is told with `tx.at` set to it."""

    at: float | None = None

    def _now(self) -> float:
        return time.time() if self.at is None else self.at

    def __init__(self, writer: Writer, store: OpenStore) -> None:
        self._writer = writer
        self.scope = writer.scope
        self._owner = store._owner
        self.redact_secrets = store.redact_secrets

    @contextmanager
    def _read(self) -> Iterator[Reader]:
        yield self._writer

    def _write(self, work: Callable[[Writer], T]) -> T:
        return work(self._writer)


def open_store(
    url: str | Path | None = None, *, read_only: bool = False, redact_secrets: bool = False, brief: bool = False
) -> SessionDB:
    """The store `sessions.database` names: a path, `sqlite:///path`, or nothing for the one in HERMES_HOME."""
    if isinstance(url, str) and "://" in url:
        scheme, _, rest = url.partition("://")
        if scheme != "sqlite":
            raise ConfigError(f"'{scheme}' is not a store this Hermes can open; use a path, or sqlite:///path.")
        url = rest.removeprefix("/") if rest.startswith("//") or not rest.startswith("/") else rest
    return SessionDB(url or None, read_only=read_only, redact_secrets=redact_secrets, brief=brief)
