"""What a call cost: reported, estimated, or unknown."""

import pytest

from hermes.model.usage import Usage
from hermes.providers.prices import PRICES, VERSION, price_of, priced


def used(provider: str, model: str, **tokens: int) -> Usage:
    return priced(Usage(billing_provider=provider, model=model, **tokens))


def test_the_table_estimates_each_kind_of_token_at_its_price() -> None:
    usage = used(
        "anthropic",
        "claude-sonnet-4-6",
        input_tokens=1000,
        output_tokens=1000,
        cache_read_tokens=1000,
        cache_write_tokens=1000,
    )
    assert usage.estimated_cost_usd == pytest.approx(0.003 + 0.015 + 0.0003 + 0.00375)
    assert (usage.cost_status, usage.cost_source, usage.pricing_version) == ("estimated", "table", VERSION)
    assert usage.actual_cost_usd is None


def test_a_reported_cost_wins() -> None:
    usage = priced(Usage(billing_provider="openrouter", model="openai/gpt-5", input_tokens=9, actual_cost_usd=0.5))
    assert (usage.actual_cost_usd, usage.estimated_cost_usd, usage.cost_status) == (0.5, None, "actual")


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-99"),
        ("openai", "gpt-5-pro"),
        ("anthropic", "claude-opus-4-99"),
        ("custom", "gpt-5"),
        ("ollama", "qwen3"),
        ("alibaba", "gpt-5"),
    ],
)
def test_what_is_not_known_is_unknown_and_never_nothing(provider: str, model: str) -> None:
    usage = used(provider, model, input_tokens=1000, output_tokens=1000)
    assert (usage.cost_status, usage.estimated_cost_usd, usage.actual_cost_usd) == ("unknown", None, None)


def test_no_tokens_reported_is_unknown_too() -> None:
    assert used("openai", "gpt-5").cost_status == "unknown"


def test_a_prompt_beyond_the_price_of_the_table_is_unknown() -> None:
    assert used("gemini", "gemini-2.5-pro", input_tokens=200_000).cost_status == "estimated"
    assert used("gemini", "gemini-2.5-pro", input_tokens=150_000, cache_read_tokens=50_001).cost_status == "unknown"


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openai/gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("gemini-3-pro-preview", "gemini-3-pro"),
    ],
)
def test_a_dated_name_is_the_same_model(model: str, known: str) -> None:
    assert price_of("openrouter", model) == PRICES[known]


def test_every_price_makes_sense() -> None:
    for name, price in PRICES.items():
        assert 0 < price.cache_read < price.input < price.output, name
