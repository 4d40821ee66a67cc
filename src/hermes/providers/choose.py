"""From the settings to a provider: who serves the model, at which address, in which format, with which key."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes import paths
from hermes.config import Settings, environment
from hermes.config.areas import core
from hermes.errors import ConfigError, NoProvider
from hermes.providers.endpoint import Endpoint, Format
from hermes.providers.keys import GivenKeys, Keys
from hermes.providers.pool import Pool, PooledKeys
from hermes.providers.presets import ANTHROPIC, PRESETS, RESPONSES, Preset, window_of

if TYPE_CHECKING:
    from hermes.providers.connection import Patience

log = logging.getLogger(__name__)
Variables = Mapping[str, str]
_MAKERS = {"claude": "anthropic", "gpt-": "openai", "o3": "openai", "o4": "openai", "gemini": "gemini", "kimi": "kimi"}
_NOTHING = "No model is set up yet: `hermes auth add openrouter` takes a key, `hermes model choose` a model."


class Wanted(NamedTuple):
    """What somebody asked for; whatever is empty follows from the rest."""

    provider: str = ""
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    key_env: str = ""
    api_mode: str = ""
    extra_body: Mapping[str, Any] = {}
    patience: "Patience | None" = None
    window: int | None = None


def main_provider(
    settings: Settings, *, model: str | None = None, provider: str | None = None, variables: Variables | None = None
) -> Endpoint:
    """Who answers. `model` and `provider` go before the settings. Raises NoProvider when nothing is set up, ConfigError
    when what is set up makes no sense."""
    return provider_for(settings, _main(settings, model or "", provider or ""), variables)


def fallbacks(settings: Settings, *, variables: Variables | None = None) -> list[Endpoint]:
    """Who answers when the first cannot, in order. One that is not set up is left out."""
    found = []
    for entry in settings.fallback_providers:
        wanted = Wanted(entry.provider, entry.model, entry.base_url, entry.api_key, entry.key_env)
        try:
            found.append(provider_for(settings, wanted, variables))
        except (NoProvider, ConfigError) as error:
            log.warning("a fallback is left out: %s", error)
    return found


def auxiliary_provider(settings: Settings, task: str, *, variables: Variables | None = None) -> Endpoint:
    """Who does a side task, within the seconds it may take. Raises NoProvider when nobody can."""
    from hermes.providers.connection import Patience

    wish = getattr(settings.auxiliary, task)
    patience = Patience(read=wish.timeout, silence=wish.timeout, total=wish.timeout)
    try:
        if wish.provider in ("", "auto", "main") and not wish.base_url:
            wanted = _main(settings, wish.model or _aux_model(settings, variables), "")
        else:
            wanted = Wanted(wish.provider, wish.model, wish.base_url, wish.api_key)
        return provider_for(settings, wanted._replace(patience=patience, extra_body=wish.extra_body), variables)
    except ConfigError as error:
        raise NoProvider(f"auxiliary.{task}: {error}") from None


def _aux_model(settings: Settings, variables: Variables | None) -> str:
    """The model that whoever answers has for side tasks, where they have one of their own."""
    variables = environment.read(paths.dotenv_file()) if variables is None else variables
    name = _name(settings, _main(settings, "", ""), variables)
    return PRESETS[name].aux_model if name in PRESETS else ""


def _main(settings: Settings, model: str, provider: str) -> Wanted:
    chosen = settings.model
    if provider and provider != chosen.provider:
        return Wanted(provider, model or chosen.default)
    return Wanted(
        chosen.provider,
        model or chosen.default,
        chosen.base_url,
        chosen.api_key,
        api_mode=chosen.api_mode,
        window=chosen.context_length if not model or model == chosen.default else None,
    )


def provider_for(settings: Settings, wanted: Wanted, variables: Variables | None = None) -> Endpoint:
    """The endpoint for a wish."""
    variables = environment.read(paths.dotenv_file()) if variables is None else variables
    name = _name(settings, wanted, variables)
    preset, own = PRESETS.get(name, PRESETS["custom"]), settings.providers.get(name) or core.Provider()
    base_url = wanted.base_url or own.base_url or preset.base_url
    if not base_url:
        raise ConfigError(f"{name} needs an address: `hermes config set model.base_url https://…`.")
    model = _model(name, wanted.model or (own.models[0] if own.models else preset.model))
    mode = _mode(wanted, own, preset, base_url)
    return Endpoint(
        name=name,
        model=model,
        window=wanted.window or window_of(model, preset),
        base_url=base_url,
        format=_format(settings, name, model, mode, preset),
        keys=_keys(settings, name, preset, own, wanted, variables),
        headers=own.extra_headers,
        extra_body={**_routing(settings, name), **_tier(settings, name), **own.extra_body, **wanted.extra_body},
        retries=settings.agent.api_max_retries,
        patience=wanted.patience,
        billing_mode="local" if name in ("ollama", "lmstudio", "local") else "api_key",
    )


def _name(settings: Settings, wanted: Wanted, variables: Variables) -> str:
    name = wanted.provider
    if name in settings.providers or name in PRESETS:
        return name
    if name not in ("", "auto"):
        known = ", ".join([*settings.providers, *PRESETS])
        raise ConfigError(f"No provider '{name}'; there are {known}.")
    if wanted.base_url:
        return _at(wanted.base_url)
    found = _with_key(settings, wanted.model, variables)
    if found is None:
        raise NoProvider(_NOTHING)
    return found


def _at(base_url: str) -> str:
    """Whose address this is."""
    there = [name for name, preset in PRESETS.items() if preset.base_url and _host(preset.base_url) == _host(base_url)]
    return there[0] if there else "custom"


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()


def _with_key(settings: Settings, model: str, variables: Variables) -> str | None:
    """The provider there is a key for: the model's own maker first where the name tells it, then as presets stand."""
    pooled = _pooled()
    ready = [name for name, preset in PRESETS.items() if name in pooled or _has_key(preset, variables)]
    maker = _maker(model)
    if "/" in model and "openrouter" in ready:
        return "openrouter"
    if maker in ready:
        return maker
    return next(iter([*ready, *settings.providers]), None)


def _pooled() -> set[str]:
    """Who has a key in the pool."""
    try:
        return {entry.provider for entry in Pool().entries()}
    except ConfigError:
        return set()


def _has_key(preset: Preset, variables: Variables) -> bool:
    return any(variables.get(name) for name in preset.key_names)


def _maker(model: str) -> str | None:
    name = model.rpartition("/")[2].lower()
    return next((maker for beginning, maker in _MAKERS.items() if name.startswith(beginning)), None)


def _model(name: str, model: str) -> str:
    """The model as this provider calls it: `anthropic/claude-sonnet-4.6` is `claude-sonnet-4-6` at Anthropic."""
    if not model:
        raise NoProvider(f"No model is chosen for {name}: `hermes model choose {name} MODEL`.")
    if name in ("anthropic", "openai", "gemini", "kimi"):
        model = model.rpartition("/")[2]
    return model.replace(".", "-") if name == "anthropic" else model


def _mode(wanted: Wanted, own: core.Provider, preset: Preset, base_url: str) -> str:
    for mode in (wanted.api_mode, own.api_mode):
        if mode not in ("", "auto"):
            return mode
    return ANTHROPIC if base_url.rstrip("/").endswith("/anthropic") else preset.mode


def _format(settings: Settings, name: str, model: str, mode: str, preset: Preset) -> Format:
    if mode == ANTHROPIC:
        from hermes.providers.anthropic import Anthropic

        return Anthropic(cache_ttl=settings.prompt_caching.cache_ttl)
    if mode == RESPONSES:
        from hermes.providers.responses import Responses

        return Responses()
    is_claude = "claude" in model.lower()
    return preset.chat._replace(marks_cache=name == "openrouter" and is_claude)


def given_keys(name: str, own: core.Provider, wanted: Wanted, variables: Variables) -> list[tuple[str, str]]:
    """Keys outside the pool, and where each is from."""
    found = [(key, "config.yaml") for key in (wanted.api_key, own.api_key) if key and "${" not in key]
    names = [wanted.key_env, own.key_env, *(PRESETS[name].key_names if name in PRESETS else ())]
    found += [(variables[one], one) for one in names if variables.get(one)]
    return [(key.strip(), where) for key, where in found if key.strip()]


def _keys(
    settings: Settings, name: str, preset: Preset, own: core.Provider, wanted: Wanted, variables: Variables
) -> Keys:
    given = list(dict.fromkeys(key for key, _ in given_keys(name, own, wanted, variables)))
    keys = PooledKeys(Pool(), name, settings.credential_pool_strategies.get(name, ""), given)
    if keys.all():
        return keys
    if preset.needs_key:
        raise NoProvider(f"{name} has no key: `hermes auth add {name}` takes one, or set {preset.key_names[0]}.")
    return GivenKeys([""])


def _routing(settings: Settings, name: str) -> dict[str, Any]:
    """How OpenRouter is to choose the host of a model."""
    routing = settings.provider_routing
    wishes = {"sort": routing.sort, "only": routing.only, "ignore": routing.ignore, "order": routing.order}
    wishes = {key: value for key, value in wishes.items() if value}
    return {"provider": wishes} if wishes and name == "openrouter" else {}


def _tier(settings: Settings, name: str) -> dict[str, Any]:
    tier = settings.agent.service_tier
    return {"service_tier": "priority" if tier == "fast" else tier} if tier and name == "openai" else {}
