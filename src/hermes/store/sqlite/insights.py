"""What happened in a period: activity, tools, notable conversations.

Every question starts from the sessions that were active since the period began, read off the index of activity, and
takes of their messages only those inside it. So a month costs the same whatever lies before it.
"""

from typing import Any

from hermes.model.ledger import TOKEN_COLUMNS
from hermes.store.base import Period
from hermes.store.sqlite import schema
from hermes.store.sqlite.table import Row, Table
from hermes.store.sqlite.usage import COST, within

_KEPT = f"s.shelf IN ({schema.HIDDEN}, {schema.WHOLE}, {schema.TIP}, {schema.ROOT}, {schema.ARCHIVED})"
_SHOWN = f"s.shelf IN ({schema.WHOLE}, {schema.TIP}, {schema.ARCHIVED})"
_TOKENS = [name for name in TOKEN_COLUMNS if name != "reasoning_tokens"]  # those are part of the output
_SUMS = {
    "messages": "message_count",
    "tool_calls": "tool_call_count",
    "tokens": " + ".join(f"COALESCE({name}, 0)" for name in _TOKENS),
    "cost": COST,
}
# A list of calls, or one call alone; anything else holds none.
_CALLS = """CASE WHEN NOT json_valid(m.tool_calls, 2) THEN '[]'
            WHEN json_type(m.tool_calls) = 'array' THEN m.tool_calls ELSE json_array(json(m.tool_calls)) END"""
_ARGUMENTS = "COALESCE(c.value ->> '$.function.arguments', c.value ->> '$.arguments', c.value ->> '$.input')"
_SKILL_TOOLS = "('skill', 'skill_view', 'skill_manage', 'load_skill')"


class InsightTable(Table):
    def activity(self, period: Period) -> list[Row]:
        said, bindings = self._said(period)
        sql = f"""SELECT s.source AS source, CAST(m.timestamp / 900 AS INTEGER) AS quarter, COUNT(*) AS messages,
                         SUM(m.role = 'user') AS requests
                  FROM {said} GROUP BY 1, 2 ORDER BY 2, 1"""
        return list(self.rows(sql, bindings))

    def tool_use(self, period: Period) -> list[Row]:
        said, bindings = self._said(period)
        sql = f"""SELECT tool, CASE WHEN tool IN {_SKILL_TOOLS} AND json_valid(arguments)
                                    THEN COALESCE(arguments ->> '$.name', arguments ->> '$.skill') END AS skill,
                         COUNT(*) AS calls, COUNT(DISTINCT session_id) AS sessions
                  FROM (SELECT m.session_id, {_ARGUMENTS} AS arguments,
                               COALESCE(c.value ->> '$.function.name', c.value ->> '$.name') AS tool
                        FROM {said.replace(" WHERE ", f", json_each({_CALLS}) c WHERE ", 1)}
                        AND m.tool_calls IS NOT NULL AND c.type = 'object')
                  WHERE tool IS NOT NULL GROUP BY 1, 2 ORDER BY calls DESC, 1, 2"""
        return list(self.rows(sql, bindings))

    def _said(self, period: Period) -> tuple[str, list[Any]]:
        """FROM and WHERE of the messages that were said in the period; those carried along were said before."""
        active, bindings = self._active(_KEPT, Period(after=period.after, sources=period.sources))
        inside, bounds = within("m.timestamp", Period(period.after, period.before))
        said = f"m.session_id = s.id{inside} AND m.carried_from IS NULL"
        return f"sessions s CROSS JOIN messages m WHERE {active} AND {said}", [*bindings, *bounds]

    def _active(self, shelves: str, period: Period) -> tuple[str, list[Any]]:
        """A range of the index of activity; `+` keeps SQLite from other indexes, which know nothing of time."""
        scope, owners = self.in_scope("+s.owner")
        inside, bounds = within("s.active_at", period, "s.source")
        return f"{shelves} AND s.trashed_at IS NULL{scope}{inside}", [*owners, *bounds]

    def conversations_in(self, period: Period) -> dict[str, int]:
        where, bindings = self._active(_SHOWN, period)
        sql = f"SELECT s.source, COUNT(*) FROM sessions s WHERE {where} GROUP BY s.source ORDER BY 2 DESC, 1"
        return dict(self.connection.execute(sql, bindings))

    def notable(self, measure: str, period: Period, limit: int) -> list[Row]:
        where, bindings = self._active(_SHOWN, period)
        sql = f"""SELECT s.id, s.title, s.source, s.begun_at AS started_at, s.active_at AS last_active,
                         {_amount(measure)} AS amount
                  FROM sessions s WHERE {where} AND amount > 0 ORDER BY amount DESC, s.active_at DESC LIMIT ?"""
        return list(self.rows(sql, [*bindings, limit]))


def _amount(measure: str) -> str:
    """Of a conversation in several parts the sum of them; a whole one is not looked up again."""
    if measure == "duration":
        return "s.active_at - s.begun_at"
    alone = _SUMS[measure]
    chain = f"(SELECT SUM({alone}) FROM sessions p WHERE p.lineage_id = s.lineage_id)"
    return f"CASE WHEN s.id = s.lineage_id THEN {alone} ELSE {chain} END"
