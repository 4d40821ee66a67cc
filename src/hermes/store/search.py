"""Search: what is literally in a message is found by typing it."""

from collections.abc import Sequence
from typing import Any, Literal

from hermes.errors import BadInput
from hermes.store.base import Filters, Row, SearchQuery
from hermes.store.checks import seconds, text, texts
from hermes.store.lists import check_page
from hermes.store.matching import snippet
from hermes.store.operations import Operations
from hermes.store.query import parse

_CONTEXT = 200


class SearchOperations(Operations):
    def search_messages(
        self,
        query: str,
        source_filter: Sequence[str] | None = None,
        exclude_sources: Sequence[str] | None = None,
        role_filter: Sequence[str] | None = None,
        limit: int = 20,
        offset: int = 0,
        *,
        session_id: str | None = None,
        lineage_id: str | None = None,
        exclude_lineages: Sequence[str] = (),
        after: float | None = None,
        before: float | None = None,
        archived: bool | None = None,
        tag: str | None = None,
        order: Literal["relevance", "newest", "oldest"] = "relevance",
        one_per_lineage: bool = False,
    ) -> list[Row]:
        """Messages that hold every keyword, with a snippet and their neighbours; see query.py for the syntax.

        Each row: id, session_id, role, snippet (`>>>match<<<`), timestamp, tool_name, source, model, session_started,
        title, lineage_id, context. Ranked; never raises on what a person types. What was appended is found at once.
        """
        check_page(limit, offset)
        if order not in ("relevance", "newest", "oldest"):
            raise BadInput("Results are ordered by relevance, newest or oldest.")
        filters = checked_filters(
            sources=source_filter,
            exclude_sources=exclude_sources,
            roles=role_filter,
            session_id=session_id,
            lineage_id=lineage_id,
            exclude_lineages=exclude_lineages,
            after=after,
            before=before,
            archived=archived,
            tag=tag,
        )
        node = parse(query) if isinstance(query, str) else None
        if node is None or limit == 0:
            return []
        self._prepare_search()
        with self._read() as reader:
            rows = reader.search(SearchQuery(node, filters, order, one_per_lineage, limit, offset))
            near = reader.neighbours([row["id"] for row in rows])
        for row in rows:
            del row["by_machine"]
            row["snippet"] = snippet(node, row.pop("text"))
            row["context"] = [
                {"role": message["role"], "content": message["content"][:_CONTEXT]} for message in near[row["id"]]
            ]
        return rows


def checked_filters(**given: Any) -> Filters:
    """Filters of what a caller gave, or BadInput that names what is wrong."""
    for name in ("sources", "roles"):
        given[name] = None if given[name] is None else texts(name, given[name])
    for name in ("exclude_sources", "exclude_lineages"):
        given[name] = texts(name, given[name] or ())
    for name in ("session_id", "lineage_id", "tag"):
        given[name] = text(name, given.get(name))
    for name in ("after", "before"):
        given[name] = None if given[name] is None else seconds(name, given[name])
    if given["archived"] not in (None, True, False):
        raise BadInput("archived is True, False or None.")
    return Filters(**given)
