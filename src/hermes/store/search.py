"""Search: what is literally in a message is found by typing it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from hermes.errors import BadInput
from hermes.store.base import Filters, ListQuery, Row, SearchQuery
from hermes.store.checks import seconds, text, texts
from hermes.store.lists import check_page, checked_list
from hermes.store.operations import Operations, public

if TYPE_CHECKING:
    from hermes.store.query import Node

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
        node = _parsed(query)
        if node is None or limit == 0:
            return []
        self._prepare_search()
        with self._read() as reader:
            rows = reader.search(SearchQuery(node, filters, order, one_per_lineage, limit, offset))
            near = reader.neighbours([row["id"] for row in rows])
        for row in rows:
            del row["by_machine"]
            row["snippet"] = _snippet(node, row.pop("text"))
            row["context"] = [
                {"role": message["role"], "content": message["content"][:_CONTEXT]} for message in near[row["id"]]
            ]
        return rows

    def find_conversations(self, query: str, which: ListQuery = ListQuery(order="active")) -> list[Row]:
        """Conversations whose title, or a message of which, holds every keyword: titles first, then by relevance.

        Rows as `list_conversations` gives them, with `snippet`: the best message, or None where the title brought it.
        Archived ones are found too; a shelf of "archived" finds nothing else.
        """
        which = checked_list(which)
        node = _parsed(query)
        if node is None or which.limit == 0:
            return []
        self._prepare_search()
        reach = which.limit + which.offset
        with self._read() as reader:
            titled = reader.titles_like(node, which._replace(limit=reach))
            said = (
                reader.search(_best_messages(node, which, titled, reach - len(titled))) if len(titled) < reach else []
            )
            found = [*titled, *(row["lineage_id"] for row in said)]
            rows = reader.conversations_of(found[which.offset :])
        texts_of = {row["lineage_id"]: row["text"] for row in said}
        return [public(row) | {"snippet": _snippet(node, texts_of.get(row["lineage_id"]))} for row in rows]


def _best_messages(node: "Node", which: ListQuery, known: Sequence[str], limit: int) -> SearchQuery:
    filters = Filters(
        sources=which.sources,
        exclude_sources=which.exclude_sources,
        exclude_lineages=known,
        after=which.after,
        before=which.before,
        archived=True if which.shelf == "archived" else None,
        tag=which.tag,
    )
    return SearchQuery(node, filters, one_per_lineage=True, limit=limit)


def _parsed(query: object) -> "Node | None":
    from hermes.store.query import parse  # here and below: only who searches waits for what searching needs

    return parse(query) if isinstance(query, str) else None


def _snippet(node: "Node", text: str | None) -> str | None:
    from hermes.store.matching import snippet

    return None if text is None else snippet(node, text)


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
