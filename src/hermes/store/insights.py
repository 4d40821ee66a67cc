"""What happened in a period: the ledger, activity, tools and notable conversations, all of one moment."""

from typing import Any

from hermes.errors import BadInput
from hermes.store.base import Period
from hermes.store.checks import seconds, texts
from hermes.store.operations import Operations

MEASURES = ("messages", "tool_calls", "tokens", "cost", "duration")


class InsightOperations(Operations):
    def insights(
        self, after: float, before: float | None = None, *, source: str | None = None, notable: int = 1
    ) -> dict[str, Any]:
        """`usage` by model, day and source; `activity` by quarter of an hour; `tools`; `conversations` by source; and
        the `notable` conversations of each measure. What it costs follows from the period alone."""
        period = Period(
            seconds("after", after),
            None if before is None else seconds("before", before),
            None if source is None else texts("source", source),
        )
        if isinstance(notable, bool) or not isinstance(notable, int) or not 0 <= notable <= 1000:
            raise BadInput("notable is how many conversations of each measure, 0 to 1000.")
        with self._read_apart() as reader:
            return {
                "usage": {group: reader.usage_by(group, period) for group in ("model", "day", "source")},
                "activity": reader.activity(period),
                "tools": reader.tool_use(period),
                "conversations": reader.conversations_in(period),
                "notable": {measure: reader.notable(measure, period, notable) for measure in MEASURES},
            }
