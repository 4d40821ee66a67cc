"""What `SessionDB` and a transaction have in common: a scope, and a way to read and to write.

Every operation on the store is a method of one of the classes built on this one, a subject a file:
sessions, messages, titles, lineage, lists, usage, handoff. `SessionDB` performs each in a
transaction of its own; inside `with db.transaction() as tx:` the same methods share one.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from hermes.model.owners import Scope
from hermes.store.base import Reader, Row, Writer

T = TypeVar("T")

INTERNAL = ("prompt_payload", "opening", "active_at", "begun_at", "shelf")


class Operations:
    scope: Scope = None

    def _read(self) -> AbstractContextManager[Reader]:
        raise NotImplementedError

    def _write(self, work: Callable[[Writer], T]) -> T:
        raise NotImplementedError

    def _now(self) -> float:
        raise NotImplementedError

    def _prepare_search(self) -> None:
        """Bring the index up to date where that is cheaper than reading what it lacks."""


def public(row: Row) -> Row:
    """A session row as callers see it: without our bookkeeping columns."""
    return {name: value for name, value in row.items() if name not in INTERNAL}
