"""Lists, counts and statistics."""

from collections.abc import Sequence
from typing import Any

from hermes.errors import BadInput
from hermes.store.base import ListQuery, Row
from hermes.store.checks import required, seconds, texts
from hermes.store.operations import Operations, public

_MOST = 2**31
_ORDERS = ("started", "active")
_SHELVES = ("conversations", "roots", "all", "archived", "trash")


class ListOperations(Operations):
    def list_sessions_rich(
        self,
        source: str | None = None,
        exclude_sources: Sequence[str] | None = None,
        limit: int = 20,
        offset: int = 0,
        include_children: bool = False,
        project_compression_tips: bool = True,
        order_by_last_active: bool = False,
    ) -> list[Row]:
        """Conversations, newest first: all columns, `preview` and `last_active`.

        Roots and branches are rows; delegated and compression children are not. A compressed conversation
        shows as its newest part, with the start and the summed usage of the chain.
        """
        shelf = "all" if include_children else "conversations" if project_compression_tips else "roots"
        return self.list_conversations(
            ListQuery(
                order="active" if order_by_last_active else "started",
                sources=None if source is None else [source],
                exclude_sources=exclude_sources or (),
                shelf=shelf,  # type: ignore[arg-type]
                limit=limit,
                offset=offset,
            )
        )

    def list_conversations(self, query: ListQuery) -> list[Row]:
        """Conversations by any order and filter `ListQuery` has."""
        query = checked_list(query)
        with self._read() as reader:
            return [public(row) for row in reader.conversations(query)]

    def search_sessions(self, source: str | None = None, limit: int = 20, offset: int = 0) -> list[Row]:
        """Sessions of every kind, newest activity first: all columns and `last_active`."""
        check_page(limit, offset)
        sources = None if source is None else texts("source", source)
        with self._read() as reader:
            rows = reader.all_sessions(sources, limit, offset)
        return [public(row) for row in rows]

    def stats(self) -> dict[str, Any]:
        """How many sessions and messages there are, and sessions by source."""
        with self._read() as reader:
            return {
                "sessions": reader.count_sessions(),
                "messages": reader.count_messages(),
                "sources": reader.sessions_by_source(),
            }


def checked_list(query: ListQuery) -> ListQuery:
    if not isinstance(query, ListQuery) or query.order not in _ORDERS or query.shelf not in _SHELVES:
        raise BadInput(f"A list is a ListQuery, ordered by {' or '.join(_ORDERS)}, of {', '.join(_SHELVES)}.")
    check_page(query.limit, query.offset)
    return query._replace(
        sources=None if query.sources is None else texts("sources", query.sources),
        exclude_sources=texts("exclude_sources", query.exclude_sources),
        tag=None if query.tag is None else required("tag", query.tag),
        after=None if query.after is None else seconds("after", query.after),
        before=None if query.before is None else seconds("before", query.before),
    )


def check_page(limit: Any, offset: Any) -> None:
    for name, value in (("limit", limit), ("offset", offset)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST:
            raise BadInput(f"{name} must be a whole number, 0 or more.")
