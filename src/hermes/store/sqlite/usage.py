"""The ledger: one row a model call; a session's totals are its sums."""

from typing import TYPE_CHECKING, Any

from hermes.model.ledger import (
    BILLING_COLUMNS,
    COST_COLUMNS,
    COST_NOTE_COLUMNS,
    COUNT_COLUMNS,
    USAGE_COLUMNS,
)
from hermes.store.base import Period
from hermes.store.sqlite.table import LISTED, Row, Table, listed

if TYPE_CHECKING:
    from hermes.model.usage import Usage

_INSERT = f"""
    INSERT INTO usage (session_id, owner, source, at, {", ".join(USAGE_COLUMNS)})
    SELECT id, owner, source, ?, {", ".join("?" * len(USAGE_COLUMNS))} FROM sessions WHERE id = ?
"""
_TOTAL = f"""
    UPDATE sessions SET
        {", ".join(f"{name} = COALESCE({name}, 0) + ?" for name in COUNT_COLUMNS)},
        {
    ", ".join(
        f"{name} = CASE WHEN ?{i} IS NULL THEN {name} ELSE COALESCE({name}, 0) + ?{i} END"
        for i, name in enumerate(COST_COLUMNS, len(COUNT_COLUMNS) + 1)
    )
},
        {", ".join(f"{name} = COALESCE(?, {name})" for name in COST_NOTE_COLUMNS)},
        {", ".join(f"{name} = COALESCE({name}, ?)" for name in BILLING_COLUMNS)}
    WHERE id = ?
"""
COST = "COALESCE(actual_cost_usd, estimated_cost_usd)"
_GROUPS = {
    "model": "model",
    "source": "source",
    "owner": "owner",
    "session": "session_id",
    "provider": "billing_provider",
    "day": "date(at, 'unixepoch', 'localtime')",
}


class UsageTable(Table):
    last_usage = 0

    def add_usage(self, session_id: str, usage: "Usage", at: float) -> None:
        values = {name: getattr(usage, name) for name in USAGE_COLUMNS}
        if not usage.is_empty():
            self.connection.execute(_INSERT, (at, *values.values(), session_id))
            self.last_usage = self.connection.last_insert_rowid()
        names = (*COUNT_COLUMNS, *COST_COLUMNS, *COST_NOTE_COLUMNS, *BILLING_COLUMNS)
        self.connection.execute(_TOTAL, (*[values[name] for name in names], session_id))

    def usage_by(self, group: str, period: Period) -> list[Row]:
        where, bindings = self.in_scope()
        bounds, values = within("at", period)
        summed = ", ".join(f"SUM({name}) AS {name}" for name in (*COUNT_COLUMNS, *COST_COLUMNS))
        sql = f"""SELECT {_GROUPS[group]} AS {group}, COUNT(DISTINCT session_id) AS session_count, {summed},
                  SUM({COST}) AS cost_usd, SUM({COST} IS NULL) AS unpriced
                  FROM usage WHERE 1{where}{bounds} GROUP BY 1
                  ORDER BY cost_usd DESC, SUM(input_tokens + output_tokens) DESC"""
        return list(self.rows(sql, [*bindings, *values]))


def within(column: str, period: Period, source: str = "source") -> tuple[str, list[Any]]:
    """` AND column >= ? …` with its bindings. The `+` keeps SQLite with the index of times."""
    sql, values = "", list[Any]()
    for bound, operator in ((period.after, ">="), (period.before, "<")):
        if bound is not None:
            sql += f" AND {column} {operator} ?"
            values.append(bound)
    if period.sources is not None:
        sql += f" AND +{source} IN {LISTED}"
        values.append(listed(period.sources))
    return sql, values
