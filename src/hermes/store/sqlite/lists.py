"""Lists of conversations, each read off one index.

Every combination of filters becomes a few index ranges (one per shelf, and per source or owner
where those are filtered); each is read newest first up to the limit, and the few rows merged. So a
list of 20 costs the same among a hundred sessions and among a hundred thousand.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hermes.model.ledger import COST_COLUMNS, COUNT_COLUMNS
from hermes.store.base import ListQuery
from hermes.store.sqlite import schema
from hermes.store.sqlite.sessions import ALL, SessionTable
from hermes.store.sqlite.table import LISTED, Row, listed

if TYPE_CHECKING:
    from hermes.store.query import Node

_SHELVES = {
    "conversations": (schema.WHOLE, schema.TIP),
    "roots": (schema.WHOLE, schema.ROOT),
    "all": (schema.HIDDEN, schema.WHOLE, schema.TIP, schema.ROOT, schema.ARCHIVED),
    "archived": (schema.ARCHIVED,),
    "trash": (schema.TRASHED,),
}
_KEYS = {"started": "begun_at", "active": "active_at"}
_SUMMED = (*COUNT_COLUMNS, *COST_COLUMNS)
_CHAIN_SUMS = f"""
    SELECT lineage_id, {", ".join(f"SUM({name}) AS {name}" for name in _SUMMED)}
    FROM sessions WHERE lineage_id IN {LISTED}
"""
_ROOTS = f"SELECT id, source, parent_session_id FROM sessions WHERE id IN {LISTED}"
_MANY = 50  # sources or owners; past that one range and a filter, because SQLite joins at most 500 ranges
# A loose index scan: one seek per distinct source, however many sessions there are.
_SOURCES = """
    WITH RECURSIVE found(source) AS (
        SELECT MIN(source) FROM sessions
        UNION ALL
        SELECT (SELECT MIN(source) FROM sessions WHERE source > found.source) FROM found WHERE source IS NOT NULL
    ) SELECT source FROM found WHERE source IS NOT NULL
"""


class ListTable(SessionTable):
    def conversations(self, query: ListQuery) -> list[Row]:
        rows = self._listed(query)
        return _with_preview(rows) if query.shelf in ("roots", "all") else self._projected(rows)

    def conversations_of(self, lineage_ids: Sequence[str]) -> list[Row]:
        where, owners = self.in_scope()
        sql = f"""SELECT lineage_id, id FROM sessions
                  WHERE lineage_id IN {LISTED} AND trashed_at IS NULL{where} ORDER BY started_at, rowid"""
        newest = dict(self.connection.execute(sql, [listed(lineage_ids), *owners]))
        rows = self._rows_of([newest[lineage_id] for lineage_id in lineage_ids if lineage_id in newest])
        return self._projected(rows)

    def titles_like(self, node: "Node", query: ListQuery) -> list[str]:
        from hermes.store.matching import matches  # only who searches waits for what searching needs
        from hermes.store.words import fold

        where, bindings = self._with_titles(node, query)
        sql = f"SELECT lineage_id, title FROM sessions WHERE {where} ORDER BY active_at DESC, rowid DESC"
        found: dict[str, None] = {}
        for lineage_id, title in self.connection.execute(sql, bindings):
            if lineage_id not in found and matches(node, fold(title)):
                found[lineage_id] = None
                if len(found) == query.limit:
                    break
        return list(found)

    def _with_titles(self, node: "Node", query: ListQuery) -> tuple[str, list[Any]]:
        """Titles that may answer. Those beyond ASCII pass: SQLite knows nothing of their case and accents."""
        where, bindings = self.in_scope()
        extra, values = self._extra(query)
        where, bindings = f"title IS NOT NULL AND trashed_at IS NULL{where}{extra}", [*bindings, *values]
        sources = self._sources(query)
        if sources is not None:
            where, bindings = f"{where} AND source IN {LISTED}", [*bindings, listed(sources)]
        if query.shelf == "archived":
            where += " AND archived_at IS NOT NULL"
        for piece in _needed(node):
            where += " AND (title GLOB '*[^ -~]*' OR instr(lower(title), ?))"
            bindings.append(piece)
        return where, bindings

    def all_sessions(self, sources: Sequence[str] | None, limit: int, offset: int) -> list[Row]:
        return self._listed(ListQuery(order="active", sources=sources, shelf="all", limit=limit, offset=offset))

    def _listed(self, query: ListQuery) -> list[Row]:
        return self._rows_of(self._ids(query))

    def _rows_of(self, ids: list[str]) -> list[Row]:
        found = {row["id"]: row for row in self.rows(f"SELECT {ALL} FROM sessions WHERE id IN {LISTED}", [listed(ids)])}
        rows = [self.with_prompt(found[session_id]) for session_id in ids]
        for row in rows:
            row["last_active"] = row["active_at"]
        return rows

    def _ids(self, query: ListQuery) -> list[str]:
        key = _key(query)
        reach = query.limit + query.offset
        selects: list[str] = []
        bindings: list[Any] = []
        for where, values in self._ranges(query):
            selects.append(
                f"SELECT * FROM (SELECT id, {key} AS k, rowid AS r FROM sessions WHERE {where} "
                f"ORDER BY {key} DESC, rowid DESC LIMIT ?)"
            )
            bindings += [*values, reach]
        if not selects:
            return []
        sql = f"SELECT id FROM ({' UNION ALL '.join(selects)}) ORDER BY k DESC, r DESC LIMIT ? OFFSET ?"
        return [row[0] for row in self.connection.execute(sql, [*bindings, query.limit, query.offset])]

    def _ranges(self, query: ListQuery) -> list[tuple[str, list[Any]]]:
        """WHERE clauses, each an equality on the leading columns of one index."""
        sources = self._sources(query)
        extra, values = self._extra(query)
        if _key(query) == "started_at":
            return [self._every_session(sources, extra, values)]
        leading: list[tuple[str, list[Any]]] = [("", [])]
        if self.scope is not None and len(self.scope) <= _MANY:
            leading = [(" AND owner = ?", [owner]) for owner in sorted(self.scope)]
        elif self.scope is not None:
            leading = [(f" AND owner IN {LISTED}", [listed(self.scope)])]
        elif sources is not None and len(sources) <= _MANY:
            leading, sources = [(" AND source = ?", [source]) for source in sources], None
        if sources is not None:
            extra, values = f" AND source IN {LISTED}{extra}", [listed(sources), *values]
        return [
            (f"shelf = ?{first}{extra}", [shelf, *bound, *values])
            for shelf in _SHELVES[query.shelf]
            for first, bound in leading
        ]

    def _every_session(self, sources: list[str] | None, extra: str, values: list[Any]) -> tuple[str, list[Any]]:
        """One range over the documented index of starts; `+` keeps SQLite from another index and a sort."""
        where, bindings = f"+shelf < {schema.TRASHED}", list[Any]()
        for column, wanted in (("owner", self.scope), ("source", sources)):
            if wanted is not None:
                where += f" AND +{column} IN {LISTED}"
                bindings.append(listed(wanted))
        return where + extra, [*bindings, *values]

    def _sources(self, query: ListQuery) -> list[str] | None:
        if query.sources is None and not query.exclude_sources:
            return None
        sources = query.sources if query.sources is not None else [row[0] for row in self.connection.execute(_SOURCES)]
        return [source for source in dict.fromkeys(sources) if source not in query.exclude_sources]

    def _extra(self, query: ListQuery) -> tuple[str, list[Any]]:
        # The inner parts of a conversation in the trash are hidden like any others.
        sql = " AND trashed_at IS NULL" if query.shelf == "all" else ""
        values: list[Any] = []
        key = _key(query)
        for bound, operator in ((query.after, ">="), (query.before, "<")):
            if bound is not None:
                sql += f" AND {key} {operator} ?"
                values.append(bound)
        if query.tag is not None:
            sql += " AND id IN (SELECT session_id FROM session_tags WHERE tag = ?)"
            values.append(query.tag)
        return sql, values

    def _projected(self, rows: list[Row]) -> list[Row]:
        """A compressed conversation shows as its newest part, with the chain's start, source, parent and usage."""
        chained = {row["lineage_id"]: row for row in rows if row["id"] != row["lineage_id"]}
        where, owners = self.in_scope()
        bindings = [listed(chained), *owners]
        if not chained:
            return _with_preview(rows)
        for sums in self.rows(_CHAIN_SUMS + where + " GROUP BY lineage_id", bindings):
            chained[sums["lineage_id"]].update(sums)
        for root in self.rows(_ROOTS + where, bindings):
            chained[root.pop("id")].update(root)
        for row in chained.values():
            row["started_at"] = row["begun_at"]
            row["_lineage_root_id"] = row["lineage_id"]
        return _with_preview(rows)


def _with_preview(rows: list[Row]) -> list[Row]:
    for row in rows:
        row["preview"] = row["opening"] or ""
    return rows


def _key(query: ListQuery) -> str:
    """A conversation begins with its first part; where every session is a row of its own, each begins itself."""
    return "started_at" if query.shelf == "all" and query.order == "started" else _KEYS[query.order]


def _needed(node: "Node") -> Iterator[str]:
    """Pieces that are in every text the query matches, as far as they are plain."""
    from hermes.store.query import All, Leaf, Without
    from hermes.store.words import fold

    if isinstance(node, Leaf):
        yield from fold(node.text).split()
    elif isinstance(node, All):
        for part in node.parts:
            yield from _needed(part)
    elif isinstance(node, Without):
        yield from _needed(node.wanted)
