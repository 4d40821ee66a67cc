"""What a model call used: one ledger row."""

from dataclasses import dataclass

from hermes.model.ledger import (
    BILLING_COLUMNS,
    COST_COLUMNS,
    COST_NOTE_COLUMNS,
    COUNT_COLUMNS,
    TOKEN_COLUMNS,
    USAGE_COLUMNS,
)

__all__ = [
    "BILLING_COLUMNS",
    "COST_COLUMNS",
    "COST_NOTE_COLUMNS",
    "COUNT_COLUMNS",
    "TOKEN_COLUMNS",
    "USAGE_COLUMNS",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """`input_tokens` excludes cache reads and writes; `output_tokens` includes reasoning."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    api_call_count: int = 0
    estimated_cost_usd: float | None = None
    actual_cost_usd: float | None = None
    cost_status: str | None = None
    cost_source: str | None = None
    pricing_version: str | None = None
    model: str | None = None
    billing_provider: str | None = None
    billing_base_url: str | None = None
    billing_mode: str | None = None

    def is_empty(self) -> bool:
        """Nothing to put on record: no tokens, no calls, no cost."""
        return all(getattr(self, name) in (0, None) for name in (*COUNT_COLUMNS, *COST_COLUMNS))
