"""What models cost: a small table with a version, dollars for a million tokens. A model that is not in it costs
`unknown`, never zero; a cost the provider reports wins."""

import re
from dataclasses import replace
from typing import NamedTuple

from hermes.model.usage import Usage

VERSION = "2025-12"


class Price(NamedTuple):
    input: float
    output: float
    cache_read: float
    cache_write: float | None = None  # None: writing to the cache costs what input costs
    up_to: int | None = None  # tokens of a prompt beyond which another price holds, which the table does not have


def _claude(input: float, output: float, *, up_to: int | None = None) -> Price:
    return Price(input, output, input * 0.1, input * 1.25, up_to)


# By a model's name, without who made it and without the date of its release.
PRICES = {
    "claude-opus-4-6": _claude(5, 25, up_to=200_000),
    "claude-opus-4-5": _claude(5, 25),
    "claude-opus-4-1": _claude(15, 75),
    "claude-opus-4": _claude(15, 75),
    "claude-sonnet-4-6": _claude(3, 15, up_to=200_000),
    "claude-sonnet-4-5": _claude(3, 15, up_to=200_000),
    "claude-sonnet-4": _claude(3, 15, up_to=200_000),
    "claude-haiku-4-5": _claude(1, 5),
    "gpt-5.2": Price(1.75, 14, 0.175),
    "gpt-5.1": Price(1.25, 10, 0.125),
    "gpt-5": Price(1.25, 10, 0.125),
    "gpt-5-mini": Price(0.25, 2, 0.025),
    "gpt-5-nano": Price(0.05, 0.40, 0.005),
    "gpt-4.1": Price(2, 8, 0.50),
    "gpt-4.1-mini": Price(0.40, 1.60, 0.10),
    "gpt-4.1-nano": Price(0.10, 0.40, 0.025),
    "gpt-4o": Price(2.50, 10, 1.25),
    "gpt-4o-mini": Price(0.15, 0.60, 0.075),
    "o3": Price(2, 8, 0.50),
    "o4-mini": Price(1.10, 4.40, 0.275),
    "gemini-2.5-pro": Price(1.25, 10, 0.125, up_to=200_000),
    "gemini-2.5-flash": Price(0.30, 2.50, 0.03),
    "gemini-2.5-flash-lite": Price(0.10, 0.40, 0.01),
    "gemini-3-pro": Price(2, 12, 0.20, up_to=200_000),
}
# Who sells at these prices. Anybody else's are their own business.
_DATED = r"-(\d{8}|\d{4}-\d{2}-\d{2}|preview|latest|\d{3})$"
_SELLERS = ("openai", "anthropic", "gemini", "openrouter", "azure-foundry")


def price_of(provider: str, model: str) -> Price | None:
    if provider not in _SELLERS:
        return None
    name = model.rpartition("/")[2].lower()
    if name.startswith("claude"):
        name = name.replace(".", "-")
    return PRICES.get(re.sub(_DATED, "", name))


def priced(usage: Usage) -> Usage:
    """The usage with what it cost: as the provider reports it, as the table estimates it, or unknown."""
    if usage.actual_cost_usd is not None:
        return replace(usage, cost_status="actual", cost_source="provider")
    price = price_of(usage.billing_provider or "", usage.model or "")
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if price is None or not prompt or (price.up_to is not None and prompt > price.up_to):
        return replace(usage, cost_status="unknown")
    return replace(
        usage,
        estimated_cost_usd=_cost(usage, price),
        cost_status="estimated",
        cost_source="table",
        pricing_version=VERSION,
    )


def _cost(usage: Usage, price: Price) -> float:
    write = price.input if price.cache_write is None else price.cache_write
    dollars = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * price.cache_read
        + usage.cache_write_tokens * write
    )
    return round(dollars / 1_000_000, 9)
