"""What `SessionDB` and a transaction have in common: a scope, and a way to read and to write.

Every operation on the store is a method of one of the classes built on this one, a subject a file:
sessions, messages, titles, lineage, lists, usage, handoff. `SessionDB` performs each in a
transaction of its own; inside `with db.transaction() as tx:` the same methods share one.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from hermes.model.owners import Scope
from hermes.store.base import Reader, Row, Writer
from hermes.store.encode import EncodedMessage, encode_all

T = TypeVar("T")

INTERNAL = ("prompt_payload", "opening", "active_at", "begun_at", "shelf")


class Operations:
    scope: Scope = None
    redact_secrets = False  # mask secrets before anything is stored

    def _read(self) -> AbstractContextManager[Reader]:
        raise NotImplementedError

    def _read_apart(self) -> AbstractContextManager[Reader]:
        """A snapshot for what takes long; nobody waits for it."""
        return self._read()

    def _write(self, work: Callable[[Writer], T]) -> T:
        raise NotImplementedError

    def _now(self) -> float:
        raise NotImplementedError

    def _rows(self, messages: Iterable[Mapping[str, Any]]) -> list[EncodedMessage]:
        """Messages as rows to be stored, their secrets masked where that is wanted."""
        if self.redact_secrets:
            from hermes.model.secrets import redact_value  # many patterns: only who asks for it pays

            messages = [redact_value(dict(one))[0] if isinstance(one, Mapping) else one for one in messages]
        return encode_all(messages, self._now())

    def _prepare_search(self) -> None:
        """Bring the index up to date where that is cheaper than reading what it lacks."""


def public(row: Row) -> Row:
    """A session row as callers see it: without our bookkeeping columns."""
    return {name: value for name, value in row.items() if name not in INTERNAL}
