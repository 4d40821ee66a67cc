"""Usage: a ledger row per model call; a session's totals are its sums."""

from typing import TYPE_CHECKING, Any, Literal

from hermes.errors import BadInput, SessionNotFound
from hermes.model.ids import check_id, sought_id
from hermes.model.ledger import BILLING_COLUMNS, COST_COLUMNS, COST_NOTE_COLUMNS, COUNT_COLUMNS
from hermes.store.base import Period, Row, Writer
from hermes.store.checks import seconds, text
from hermes.store.operations import Operations
from hermes.store.sessions import SessionOperations

if TYPE_CHECKING:
    from hermes.model.usage import Usage


class UsageOperations(SessionOperations, Operations):
    def record_usage(self, session_id: str, usage: "Usage", *, at: float | None = None) -> None:
        """Put one model call on record."""
        session_id = sought_id(session_id)
        check_usage(usage)
        when = self._now() if at is None else seconds("at", at)

        def record(writer: Writer) -> None:
            if writer.session(session_id) is None:
                raise SessionNotFound(session_id)
            writer.add_usage(session_id, usage, when)

        self._write(record)

    def update_token_counts(
        self,
        session_id: str,
        input_tokens: int = 0,
        output_tokens: int = 0,
        model: str | None = None,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
        reasoning_tokens: int = 0,
        estimated_cost_usd: float | None = None,
        actual_cost_usd: float | None = None,
        cost_status: str | None = None,
        cost_source: str | None = None,
        pricing_version: str | None = None,
        billing_provider: str | None = None,
        billing_base_url: str | None = None,
        billing_mode: str | None = None,
        api_call_count: int = 0,
        absolute: bool = False,
    ) -> None:
        """Add to the session's counts, or set them with `absolute` (the difference goes on record).

        Creates a missing session. Model and billing fields fill only what is empty; an absolute call without
        a cost leaves the cost alone.
        """
        from hermes.model.usage import Usage

        usage = Usage(
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            reasoning_tokens,
            api_call_count,
            estimated_cost_usd,
            actual_cost_usd,
            cost_status,
            cost_source,
            pricing_version,
            model,
            billing_provider,
            billing_base_url,
            billing_mode,
        )
        check_usage(usage)
        row, prompt = self._session_row(check_id(session_id), "unknown", model, None, None, None, None, None)
        row["parent_session_id"] = None

        def update(writer: Writer) -> None:
            session = writer.session(session_id)
            if session is None:
                self._insert(writer, row, prompt)
                session = writer.session(session_id)
            if session is None:
                raise SessionNotFound(session_id)
            writer.add_usage(session_id, _difference(usage, session) if absolute else usage, self._now())

        self._write(update)

    def usage_by(
        self,
        group: Literal["model", "day", "source", "owner", "session", "provider"],
        *,
        after: float | None = None,
        before: float | None = None,
    ) -> list[Row]:
        """Tokens, calls and cost of the ledger, summed by model, day, source …; costliest first."""
        if group not in ("model", "day", "source", "owner", "session", "provider"):
            raise BadInput("Usage is grouped by model, day, source, owner, session or provider.")
        after = None if after is None else seconds("after", after)
        before = None if before is None else seconds("before", before)
        with self._read() as reader:
            return reader.usage_by(group, Period(after, before))


def _difference(usage: "Usage", session: Row) -> "Usage":
    """What has to be added so that the totals become these."""
    values: dict[str, Any] = {name: getattr(usage, name) - (session[name] or 0) for name in COUNT_COLUMNS}
    for name in COST_COLUMNS:
        wanted = getattr(usage, name)
        values[name] = None if wanted is None else wanted - (session[name] or 0.0)
    return type(usage)(**values, **{name: getattr(usage, name) for name in (*COST_NOTE_COLUMNS, *BILLING_COLUMNS)})


def check_usage(usage: "Usage") -> None:
    from hermes.model.usage import Usage

    if not isinstance(usage, Usage):
        raise BadInput(f"Usage comes as a Usage, not {type(usage).__name__}.")
    for name in COUNT_COLUMNS:
        value = getattr(usage, name)
        if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < 2**62:
            raise BadInput(f"{name} must be a whole number.")
    for name in COST_COLUMNS:
        value = getattr(usage, name)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15
        ):
            raise BadInput(f"{name} must be a number of dollars, or None when unknown.")
    for name in (*COST_NOTE_COLUMNS, *BILLING_COLUMNS):
        text(name, getattr(usage, name))
