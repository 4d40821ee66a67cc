"""Strict search: the indexes propose, the text decides.

What a query tree says about words becomes one FTS5 expression; ranked by bm25. Leaves of scripts without
spaces, and of symbols, are looked up by their units and narrow that down; where words say nothing, the
tree becomes a set expression over row ids, newest first. Where an index can only propose (punctuation,
long runs), each candidate's text is checked against the query. Rows the index has not seen are read
directly.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from typing import Any

import apsw

from hermes.model.sources import AUTOMATION_SOURCES
from hermes.store.base import Filters, SearchQuery
from hermes.store.matching import is_exact, matches
from hermes.store.query import All, Leaf, Node, Without, leaves
from hermes.store.query import Any as Either
from hermes.store.sqlite.index import IndexTable
from hermes.store.sqlite.schema import HIDDEN
from hermes.store.sqlite.table import LISTED, Row, listed
from hermes.store.words import fold, is_word, unit_runs, unit_token, unspaced_runs, word_runs

_FROM = "messages m JOIN sessions s ON s.id = m.session_id"
BEHIND_THE_INDEX = "SELECT id FROM messages WHERE id > ? UNION SELECT message_id FROM index_queue"
_DIRECTION = {"relevance": "DESC", "newest": "DESC", "oldest": "ASC"}
_RANKED = 3000
_FEW = 200
_MACHINES = ", ".join(f"'{source}'" for source in sorted(AUTOMATION_SOURCES))
# A delegated child is a machine's conversation too, whatever its source says.
BY_MACHINE = f"""(s.source IN ({_MACHINES}) OR (s.shelf IS {HIDDEN} AND s.archived_at IS NULL AND s.lineage_id IS s.id
    AND s.parent_session_id IS NOT NULL))"""


# A tag belongs to the whole conversation.
_TAGGED = "SELECT t.lineage_id FROM sessions t JOIN session_tags g ON g.session_id = t.id WHERE g.tag = ?"
_COLUMNS = f"""m.id, m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at AS session_started,
    s.title, s.lineage_id, m.content, m.tool_calls, m.kind, m.payload, {BY_MACHINE} AS by_machine"""


class SearchTable(IndexTable):
    def search(self, query: SearchQuery) -> list[Row]:
        hits = self._one_per_lineage(query) if query.one_per_lineage else self._stream(query)
        found: list[Row] = []
        for position, row in enumerate(hits):
            if position >= query.offset + query.limit:
                break
            if position >= query.offset:
                found.append(row if "text" in row else self._with_text(row))
        return found

    def _one_per_lineage(self, query: SearchQuery) -> Iterator[Row]:
        seen: set[str] = set()
        for row in self._stream(query):
            if row["lineage_id"] not in seen:
                seen.add(row["lineage_id"])
                yield row

    def _stream(self, query: SearchQuery) -> Iterator[Row]:
        """Every match in order. The rows not indexed yet are the newest ones."""
        where, bindings = self._where(query.filters)
        fresh = self._fresh(query.node, where, bindings)
        if query.order == "oldest":
            yield from _merged(fresh, self._indexed(query, where, bindings))
        elif query.order == "newest":
            yield from _merged(fresh[::-1], self._indexed(query, where, bindings), newest=True)
        elif self._likely_hits(query.node) <= _FEW:
            hits = [*fresh[::-1], *self._indexed(query, where, bindings)]
            yield from sorted(hits, key=lambda row: row["by_machine"])  # stable: ranks stay within each
        else:
            for by_machine in (False, True):
                yield from (row for row in fresh[::-1] if row["by_machine"] == by_machine)
                tier = f" AND {'' if by_machine else 'NOT '}{BY_MACHINE}"
                yield from self._indexed(query, where + tier, bindings)

    def _fresh(self, node: Node, where: str, bindings: list[Any]) -> list[Row]:
        """Matches among the rows behind the index: the tail, and those that changed."""
        sql = f"""SELECT {_COLUMNS} FROM {_FROM}
                  WHERE m.id IN ({BEHIND_THE_INDEX}) {where} ORDER BY m.id"""
        rows = self.rows(sql, [self.indexed_through(), *bindings])
        return [row for row in map(self._with_text, rows) if matches(node, fold(row["text"]))]

    def _indexed(self, query: SearchQuery, where: str, bindings: list[Any]) -> Iterator[Row]:
        """Matches among the rows the index is right about."""
        through = self.indexed_through()
        changed = {row[0] for row in self.connection.execute("SELECT message_id FROM index_queue")}
        verify = not is_answered(query.node)
        for row in self._candidates(query, where, bindings):
            if row["id"] > through or row["id"] in changed:
                continue
            if not verify or matches(query.node, fold(self._with_text(row)["text"])):
                yield row

    def _candidates(self, query: SearchQuery, where: str, bindings: list[Any]) -> Iterator[Row]:
        expression = word_expression(query.node)
        if expression is None:
            yield from self._without_words(query, where, bindings)
            return
        span = self._span(query.filters)
        if span is not None:
            where = f" AND f.rowid BETWEEN {span[0]} AND {span[1]}{where}"
        sets = RowSets()
        narrowed = sets.units(query.node)
        if narrowed is not None:
            where, bindings = f" AND +f.rowid IN ({narrowed}){where}", [*sets.bindings, *bindings]
        if query.order != "relevance":
            yield from self._by_words(expression, where, bindings, f"f.rowid {_DIRECTION[query.order]}")
            return
        border = self._border(query.node)
        if border and span is None:
            yield from self._by_words(expression, f" AND f.rowid > {border}{where}", bindings, "f.rank")
            where = f" AND f.rowid <= {border}{where}"
        yield from self._by_words(expression, where, bindings, "f.rank")

    def _span(self, filters: Filters) -> tuple[int, int] | None:
        """The first and the last message of the conversation that is searched: the index need not rank the others."""
        if filters.session_id is None and filters.lineage_id is None:
            return None
        ends = """SELECT (SELECT MIN(id) FROM messages WHERE session_id = s.id) AS first,
                         (SELECT MAX(id) FROM messages WHERE session_id = s.id) AS last FROM sessions s"""
        column, value = (
            ("id", filters.session_id) if filters.session_id is not None else ("lineage_id", filters.lineage_id)
        )
        sql = f"SELECT COALESCE(MIN(first), 0), COALESCE(MAX(last), -1) FROM ({ends} WHERE s.{column} = ?)"
        first, last = next(iter(self.connection.execute(sql, (value,))))
        return int(first), int(last)

    def _by_words(self, expression: str, where: str, bindings: list[Any], order: str) -> Iterator[Row]:
        return self._by_index("messages_fts", expression, where, bindings, order)

    def _by_index(self, index: str, expression: str, where: str, bindings: list[Any], order: str) -> Iterator[Row]:
        sql = f"""SELECT {_COLUMNS} FROM {index} f JOIN messages m ON m.id = f.rowid
                  JOIN sessions s ON s.id = m.session_id WHERE f.{index} MATCH ? {where} ORDER BY {order}"""
        return self.rows(sql, [expression, *bindings])

    def _without_words(self, query: SearchQuery, where: str, bindings: list[Any]) -> Iterator[Row]:
        direction = _DIRECTION[query.order]
        expression = unit_expression(query.node)
        if expression is not None:
            return self._by_index("messages_fts_short", expression, where, bindings, f"f.rowid {direction}")
        sets = RowSets()
        ids = sets.sql(query.node)
        sql = f"SELECT {_COLUMNS} FROM {_FROM} WHERE m.id IN ({ids}) {where} ORDER BY m.id {direction}"
        return self.rows(sql, [*sets.bindings, *bindings])

    def _border(self, node: Node) -> int:
        """Where ranking begins, for words that are nearly everywhere: the newest few thousand hits are ranked first,
        the older ones after them. So a common word costs the same in a large store as in a small one. 0: rank all."""
        likely = self._likely_hits(node)
        return int(self.indexed_through() * (1 - _RANKED / likely)) if likely > 2 * _RANKED else 0

    def _likely_hits(self, node: Node) -> int:
        """At most how many messages can match, by the words' own counts."""
        if isinstance(node, Leaf):
            words = [word for run in word_runs(fold(node.text)) for word in run]
            begun = words.pop() if words and node.prefix else None
            counts = [self.messages_with(word) for word in words]
            counts += [] if begun is None else [self._messages_with_words_like(begun)]
            return min(counts, default=_RANKED)
        if isinstance(node, Without):
            return self._likely_hits(node.wanted)
        counts = [self._likely_hits(part) for part in node.parts]
        return min(counts) if isinstance(node, All) else sum(counts)

    def messages_with(self, word: str) -> int:
        found = self.words("SELECT doc FROM temp.hermes_words WHERE term = ?", (word,))
        return int(found[0][0]) if found else 0

    def _messages_with_words_like(self, prefix: str) -> int:
        """About how many, by the first words that begin so; many when there are more."""
        sql = "SELECT doc FROM temp.hermes_words WHERE term >= ? AND term < ? LIMIT ?"
        counts = [row[0] for row in self.words(sql, (prefix, prefix + "\U0010ffff", _FEW))]
        return sum(counts) if len(counts) < _FEW else max(_RANKED, sum(counts))

    def words(self, sql: str, bindings: Sequence[Any]) -> list[Any]:
        """Ask FTS5's own view of its words; temporary, made on first use, nothing of it is in the file."""
        try:
            return list(self.connection.execute(sql, bindings))
        except apsw.SQLError:
            self._make_word_views()
            return list(self.connection.execute(sql, bindings))

    def _make_word_views(self) -> None:
        self.connection.execute(
            """CREATE VIRTUAL TABLE IF NOT EXISTS temp.hermes_words USING fts5vocab(main, messages_fts, row);
               CREATE VIRTUAL TABLE IF NOT EXISTS temp.hermes_places USING fts5vocab(main, messages_fts, instance)"""
        )

    def _where(self, filters: Filters) -> tuple[str, list[Any]]:
        """The SQL of the filters: fixed texts and parameters, nothing a caller wrote."""
        scope, bindings = self.in_scope("s.owner")
        parts = ["s.trashed_at IS NULL AND m.carried_from IS NULL" + scope]
        values: list[Any] = list(bindings)
        for column, wanted in (("s.source", filters.sources), ("m.role", filters.roles)):
            if wanted is not None:
                parts.append(f"{column} IN {LISTED}")
                values.append(listed(wanted))
        for column, unwanted in (("s.source", filters.exclude_sources), ("s.lineage_id", filters.exclude_lineages)):
            if unwanted:
                parts.append(f"{column} NOT IN {LISTED}")
                values.append(listed(unwanted))
        for sql, value in (
            ("m.session_id = ?", filters.session_id),
            ("s.lineage_id = ?", filters.lineage_id),
            ("m.timestamp >= ?", filters.after),
            ("m.timestamp < ?", filters.before),
            (f"s.lineage_id IN ({_TAGGED})", filters.tag),
        ):
            if value is not None:
                parts.append(sql)
                values.append(value)
        if filters.archived is not None:
            parts.append(f"s.archived_at IS {'NOT ' if filters.archived else ''}NULL")
        return " AND " + " AND ".join(parts), values

    def _with_text(self, row: Row) -> Row:
        columns = [row.pop("content"), row["tool_name"], row.pop("tool_calls"), row.pop("kind"), row.pop("payload")]
        row["text"] = self.searchable(columns)
        return row

    def neighbours(self, message_ids: Sequence[int]) -> dict[int, list[Row]]:
        if not message_ids:
            return {}
        around = f"""
            SELECT id, (SELECT MAX(b.id) FROM messages b WHERE b.session_id = m.session_id AND b.id < m.id) AS before,
                   (SELECT MIN(a.id) FROM messages a WHERE a.session_id = m.session_id AND a.id > m.id) AS after
            FROM messages m WHERE id IN {LISTED}"""
        triples = list(self.connection.execute(around, (listed(message_ids),)))
        wanted = {message_id for triple in triples for message_id in triple if message_id is not None}
        sql = f"SELECT id, role, content, kind, payload FROM messages WHERE id IN {LISTED}"
        shown = {row[0]: self._shown(row) for row in self.connection.execute(sql, (listed(wanted),))}
        return {
            message_id: [shown[near] for near in (before, message_id, after) if near is not None]
            for message_id, before, after in triples
        }

    def _shown(self, row: Sequence[Any]) -> Row:
        message_id, role, content, kind, payload = row
        if kind is not None or payload is not None:
            content = self.searchable((content, None, None, kind, payload)).rstrip()
        return {"id": message_id, "role": role, "content": content or ""}


def _merged(first: Iterable[Row], second: Iterable[Row], *, newest: bool = False) -> Iterator[Row]:
    """Two streams in id order as one."""
    yield from merge(first, second, key=lambda row: row["id"], reverse=newest)


def is_answered(node: Node) -> bool:
    """Whether the indexes answer the whole query, so that no text has to be checked."""
    if not all(_leaf_answered(leaf) for leaf in leaves(node)):
        return False
    return word_expression(node) is None or all(_has_words(leaf) for leaf in leaves(node))


def _leaf_answered(leaf: Leaf) -> bool:
    if is_exact(leaf) or (leaf.phrase and all(is_exact(Leaf(piece)) for piece in leaf.text.split())):
        return True
    folded = fold(leaf.text)
    return not _has_words(leaf) and len(folded) <= 2 and len(folded.split()) == 1


def _has_words(leaf: Leaf) -> bool:
    return bool(word_runs(fold(leaf.text)))


def word_expression(node: Node) -> str | None:
    """What the tree says about words as a query for their index; None when it says nothing."""
    return _expression(node, _leaf_expression, lambda leaf: _leaf_answered(leaf) and _has_words(leaf))


def unit_expression(node: Node) -> str | None:
    """The tree as a query for the units; None when it speaks of words."""
    if any(_has_words(leaf) for leaf in leaves(node)):
        return None
    return _expression(node, _unit_phrases, _leaf_answered)


def _expression(node: Node, written: Callable[[Leaf], str | None], exact: Callable[[Leaf], bool]) -> str | None:
    """A tree as an FTS5 expression that holds at least of every match."""
    if isinstance(node, Leaf):
        return written(node)
    if isinstance(node, Without):
        wanted = _expression(node.wanted, written, exact)
        if wanted is None or not all(map(exact, leaves(node.unwanted))):
            return wanted  # what is unwanted can only be told by the text
        return f"({wanted} NOT {_expression(node.unwanted, written, exact)})"
    parts = [_expression(part, written, exact) for part in node.parts]
    present = [part for part in parts if part is not None]
    if not present or (isinstance(node, Either) and len(present) < len(parts)):
        return None
    return f"({(' OR ' if isinstance(node, Either) else ' AND ').join(present)})"


def _leaf_expression(leaf: Leaf) -> str | None:
    """Words of a leaf as FTS5 phrases. Unspaced writing between them breaks the phrase."""
    folded = fold(leaf.text).rstrip()
    written = ['"' + " ".join(words) + '"' for words in word_runs(folded)]
    if not written:
        return None
    if leaf.prefix and is_word(folded[-1]):
        written[-1] += " *"
    return f"({' AND '.join(written)})" if len(written) > 1 else written[0]


class RowSets:
    """Query trees as SQL over row ids."""

    def __init__(self) -> None:
        self.bindings: list[str] = []

    def sql(self, node: Node) -> str:
        """The whole tree; used where words say nothing."""
        if isinstance(node, Leaf):
            return self._leaf(node)
        if isinstance(node, Without):
            wanted = self.sql(node.wanted)
            if not all(_leaf_answered(leaf) for leaf in leaves(node.unwanted)):
                return wanted
            return f"SELECT * FROM ({wanted}) EXCEPT SELECT * FROM ({self.sql(node.unwanted)})"
        operator = " INTERSECT " if isinstance(node, All) else " UNION "
        return operator.join(f"SELECT * FROM ({self.sql(part)})" for part in node.parts)

    def units(self, node: Node) -> str | None:
        """What unspaced writing and leaves without words ask of every match, or None when there are none. Symbols next
        to words are too common to narrow anything down."""
        if isinstance(node, Leaf):
            return self._units(node) if unspaced_runs(fold(node.text)) or not _has_words(node) else None
        if isinstance(node, Without):
            return self.units(node.wanted)
        if isinstance(node, Either):
            return None  # then words say nothing about the whole either
        parts = [part for part in map(self.units, node.parts) if part is not None]
        return " INTERSECT ".join(f"SELECT * FROM ({part})" for part in parts) or None

    def _leaf(self, leaf: Leaf) -> str:
        words = _leaf_expression(leaf)
        if words is None:
            return self._units(leaf)
        self.bindings.append(words)
        lookup = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?"
        return f"{lookup} INTERSECT {self._units(leaf)}" if _unit_phrases(leaf) else lookup

    def _units(self, leaf: Leaf) -> str:
        self.bindings.append(_unit_phrases(leaf) or "")
        return "SELECT rowid FROM messages_fts_short WHERE messages_fts_short MATCH ?"


def _unit_phrases(leaf: Leaf) -> str | None:
    """The units every text with this leaf holds: pairs of each run, or the character that stands alone."""
    found: list[str] = []
    for run in unit_runs(fold(leaf.text)):
        found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
    return f"({' AND '.join(unit_token(unit) for unit in dict.fromkeys(found))})" if found else None
