"""From settings to a provider."""

from pathlib import Path
from typing import Any

import pytest

from hermes.config import Settings, load
from hermes.errors import ConfigError, NoProvider
from hermes.providers.choose import auxiliary_provider, fallbacks, main_provider
from hermes.providers.endpoint import Endpoint
from hermes.providers.presets import PRESETS


def settings(yaml: str, home: Path) -> Settings:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(yaml)
    return load(home=home, process={}).settings


def chosen(yaml: str, home: Path, keys: dict[str, str] | None = None, **options: Any) -> Endpoint:
    return main_provider(settings(yaml, home), variables=keys or {}, **options)


def test_nothing_set_up_says_what_to_do(hermes_home: Path) -> None:
    with pytest.raises(NoProvider, match="hermes auth add"):
        chosen("", hermes_home)


@pytest.mark.parametrize(
    ("model", "keys", "provider", "called"),
    [
        ("", {"OPENROUTER_API_KEY": "k"}, "openrouter", "anthropic/claude-sonnet-4.6"),
        ("", {"ANTHROPIC_API_KEY": "k"}, "anthropic", "claude-sonnet-4-6"),
        ("anthropic/claude-opus-4.6", {"ANTHROPIC_API_KEY": "k"}, "anthropic", "claude-opus-4-6"),
        ("anthropic/claude-opus-4.6", {"ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}, "openrouter", None),
        ("claude-opus-4-6", {"OPENROUTER_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "anthropic", "claude-opus-4-6"),
        ("gpt-5.2", {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "openai", "gpt-5.2"),
        ("gemini-2.5-flash", {"GOOGLE_API_KEY": "k"}, "gemini", "gemini-2.5-flash"),
    ],
)
def test_auto_goes_by_the_keys_and_the_model(
    model: str, keys: dict[str, str], provider: str, called: str | None, hermes_home: Path
) -> None:
    found = chosen(f"model: {{default: '{model}'}}", hermes_home, keys)
    assert (found.name, found.model) == (provider, called or model)


def test_a_base_url_alone_is_a_custom_endpoint(hermes_home: Path) -> None:
    found = chosen("model: {default: m, base_url: 'http://127.0.0.1:9/v1', api_key: sk-1}", hermes_home)
    assert (found.name, found.url()) == ("custom", "http://127.0.0.1:9/v1/chat/completions")
    assert found.keys.take(set()) == "sk-1"


def test_the_address_of_a_preset_is_that_preset(hermes_home: Path) -> None:
    yaml = "model: {default: x/y, base_url: 'https://openrouter.ai/api/v1/'}"
    assert chosen(yaml, hermes_home, {"OPENROUTER_API_KEY": "k"}).name == "openrouter"


def test_a_provider_of_ones_own(hermes_home: Path) -> None:
    found = chosen(
        """
        model: {provider: mine, default: m}
        providers:
          mine:
            base_url: https://x.example/anthropic
            key_env: MY_KEY
            extra_headers: {X-A: b}
            extra_body: {top_k: 5}
        """,
        hermes_home,
        {"MY_KEY": "sk-mine"},
    )
    assert found.url() == "https://x.example/anthropic/v1/messages"
    assert (found.keys.take(set()), found.headers, found.extra_body) == ("sk-mine", {"X-A": "b"}, {"top_k": 5})


def test_what_is_typed_goes_before_the_settings(hermes_home: Path) -> None:
    yaml = "model: {provider: custom, base_url: 'http://127.0.0.1:9/v1', default: m, api_key: sk-1}"
    assert chosen(yaml, hermes_home, model="other").model == "other"
    found = chosen(yaml, hermes_home, {"ANTHROPIC_API_KEY": "k"}, provider="anthropic", model="claude-opus-5")
    assert found.url() == "https://api.anthropic.com/v1/messages"
    assert found.keys.take(set()) == "k"


def test_a_key_that_is_missing_is_named(hermes_home: Path) -> None:
    with pytest.raises(NoProvider, match="OPENAI_API_KEY"):
        chosen("model: {provider: openai}", hermes_home)
    with pytest.raises(NoProvider, match="OPENAI_API_KEY"):
        chosen("model: {provider: openai, api_key: '${NOT_SET}'}", hermes_home)


def test_an_unknown_provider_is_an_error_with_the_names(hermes_home: Path) -> None:
    with pytest.raises(ConfigError, match="openrouter"):
        chosen("model: {provider: openruter}", hermes_home)


@pytest.mark.parametrize("name", ["lmstudio", "ollama"])
def test_a_provider_on_this_machine_needs_no_key_but_a_model(name: str, hermes_home: Path) -> None:
    assert chosen(f"model: {{provider: {name}, default: m}}", hermes_home).keys.take(set()) == ""
    with pytest.raises(NoProvider, match="hermes model choose"):
        chosen(f"model: {{provider: {name}}}", hermes_home)


def test_routing_is_for_openrouter_alone(hermes_home: Path) -> None:
    yaml = "provider_routing: {sort: price, only: [a], ignore: [b], order: [c]}\nmodel: {provider: %s, default: m}"
    found = chosen(yaml % "openrouter", hermes_home, {"OPENROUTER_API_KEY": "k"})
    assert found.extra_body == {"provider": {"sort": "price", "only": ["a"], "ignore": ["b"], "order": ["c"]}}
    assert chosen(yaml % "ollama", hermes_home).extra_body == {}


def test_the_window_is_what_is_known_or_said(hermes_home: Path) -> None:
    keys = {"OPENROUTER_API_KEY": "k"}
    assert chosen("model: {default: anthropic/claude-opus-4.6}", hermes_home, keys).window == 200_000
    assert chosen("model: {default: x/unknown}", hermes_home, keys).window == PRESETS["openrouter"].window
    assert chosen("model: {default: x/y, context_length: 5000}", hermes_home, keys).window == 5000


def test_fallbacks_come_in_order_without_those_that_have_no_key(hermes_home: Path) -> None:
    yaml = """
    fallback_providers:
      - {provider: anthropic, model: claude-haiku-4-5}
      - {provider: openai, model: gpt-5.2}
      - {provider: nobody, model: m}
      - {provider: ollama, model: qwen3}
    """
    found = fallbacks(settings(yaml, hermes_home), variables={"ANTHROPIC_API_KEY": "k"})
    assert [(one.name, one.model) for one in found] == [("anthropic", "claude-haiku-4-5"), ("ollama", "qwen3")]


def test_a_side_task_that_nobody_can_do_says_so(hermes_home: Path) -> None:
    given = settings("auxiliary: {vision: {provider: nobody}}", hermes_home)
    with pytest.raises(NoProvider, match=r"auxiliary\.vision"):
        auxiliary_provider(given, "vision", variables={})


def test_a_side_task_goes_to_the_main_model_unless_it_has_its_own(hermes_home: Path) -> None:
    yaml = """
    model: {provider: ollama, default: big}
    auxiliary:
      compression: {model: small, timeout: 7}
      vision: {base_url: 'http://127.0.0.1:9/v1', model: eyes, extra_body: {a: 1}}
    """
    given = settings(yaml, hermes_home)
    assert auxiliary_provider(given, "title_generation", variables={}).model == "big"
    small = auxiliary_provider(given, "compression", variables={})
    assert (small.name, small.model) == ("ollama", "small")
    assert small.patience is not None
    assert small.patience.total == 7
    eyes = auxiliary_provider(given, "vision", variables={})
    assert (eyes.name, eyes.model, eyes.extra_body) == ("custom", "eyes", {"a": 1})


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_a_provider(name: str, hermes_home: Path) -> None:
    keys = dict.fromkeys(PRESETS[name].key_names, "k")
    address = "" if PRESETS[name].base_url else ", base_url: 'https://x.example/v1'"
    found = chosen(f"model: {{provider: {name}, default: m{address}}}", hermes_home, keys)
    assert found.url().startswith(("https://", "http://127.0.0.1"))
    assert found.window >= 8_192
