"""Which model answers: the providers there are, the models they offer, a choice, and a test of it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes.commands.auth import check_provider
from hermes.commands.extended import load_extended, plugins_here
from hermes.commands.reply import Column, Line, Reply, Span, Stream, Table, Text, count, said
from hermes.config import Config, Settings, save
from hermes.config.areas.core import Model as ModelArea
from hermes.config.edits import MISSING, Drop, Edit, Put, at
from hermes.config.values import typed
from hermes.errors import BadInput, ConfigError, NoProvider
from hermes.model.usage import Usage
from hermes.providers import local
from hermes.providers.base import Finished, Request, Retrying
from hermes.providers.choose import Wanted, main_provider, provider_for
from hermes.providers.endpoint import Endpoint
from hermes.providers.presets import PRESETS

_PROVIDERS = (Column("", 1), Column("Provider", 14, least=10), Column("Ready", 24), Column("About", 48, least=20))
_RULE = 90
_MOST_MODELS = 1000
_OF_A_PROVIDER = ("base_url", "api_mode", "context_length")  # settings of `model` that belong to one alone


def list_providers(home: Path) -> Reply:
    """Who could answer, who does, and what is missing."""
    config = load_extended(home)
    current = _current(config)
    name = current.name if isinstance(current, Endpoint) else ""
    rows, data = [], []
    for one in dict.fromkeys([*config.settings.providers, *PRESETS]):
        missing = _missing(config, one)
        about = PRESETS[one].about if one in PRESETS else config.settings.providers[one].base_url
        rows.append(("*" if one == name else "", one, missing or "yes", about))
        data.append({"provider": one, "ready": not missing, "in_use": one == name, "missing": missing, "about": about})
    notices = (*config.warnings, *plugins_here(config, Path.cwd()).news())
    return Reply((Table(_PROVIDERS, tuple(rows), _RULE), Text(("", _in_use(current)), prose=True)), notices, data)


def list_models(home: Path, provider: str) -> Reply:
    """The models a provider offers: asked from itself, or as the settings name them."""
    config = load_extended(home)
    check_provider(config, provider)
    own = config.settings.providers.get(provider)
    names = list(own.models) if own else []
    if not names:
        names = _offered(_endpoint(config, provider))
    shown = names[:_MOST_MODELS]
    more = (f"… and {len(names) - len(shown)} more.",) if len(names) > len(shown) else ()
    lines: tuple[Line, ...] = (*shown, *more) or (f"{provider} offers no models.",)
    return Reply((Text(lines),), tuple(config.warnings), [{"provider": provider, "model": name} for name in names])


def choose(home: Path, provider: str, model: str, base_url: str = "") -> Reply:
    """Write down who answers. What belongs to the provider before goes out of the file."""
    before = load_extended(home)
    if provider != "auto":
        check_provider(before, provider)
    if not model.strip():
        raise BadInput("Which model? `hermes model list PROVIDER` shows what there is.")
    check_base_url(base_url)
    edits: list[Edit] = [Put(("model", "provider"), provider), Put(("model", "default"), model)]
    dropped = []
    if provider != before.settings.model.provider:
        _check_key(before, provider)
        dropped = [name for name in _OF_A_PROVIDER if at(before.written, ("model", name)) is not MISSING]
    edits += [Drop(("model", name)) for name in dropped]
    if base_url:
        edits.append(Put(("model", "base_url"), base_url))
    save.change(before.file, edits)
    notices = [
        f"model.{name} was for {before.settings.model.provider} and is out of {before.file}." for name in dropped
    ]
    after = load_extended(home)
    data: dict[str, Any] = {"provider": provider, "model": model}
    return said(_in_use(_current(after)), data=data, notices=tuple(notices))


def check_base_url(typed_url: str) -> None:
    """BadInput for what is no address."""
    typed(ModelArea.settings["base_url"], ("--base-url",), typed_url)


def test(home: Path, provider: str | None = None, model: str | None = None) -> Reply:
    """Ask for one word, and tell how long it took and what it cost."""
    config = load_extended(home)
    endpoint = main_provider(config.settings, model=model, provider=provider, variables=config.environment)
    endpoint = replace(endpoint, retries=0)
    began = time.monotonic()
    first = 0.0
    finished: Finished | None = None
    for event in endpoint.stream(
        Request([{"role": "user", "content": "Answer with the one word: OK"}], max_tokens=1024)
    ):
        if isinstance(event, Finished):
            finished = event
        elif not isinstance(event, Retrying):
            first = first or time.monotonic() - began
    assert finished is not None  # a stream ends with it, or raises
    seconds = time.monotonic() - began
    said_text = " ".join(str(finished.message["content"]).split())[:60]
    line = (Span("✓", "good"), Span(f" {endpoint.name} · {endpoint.model} answers: {said_text}"))
    spent = f"  {first:.2f} s to the first word, {seconds:.2f} s in all; {_tokens(finished.usage)}"
    data = {
        "provider": endpoint.name,
        "model": endpoint.model,
        "answer": said_text,
        "first_s": first,
        "total_s": seconds,
    }
    return said(line, spent, data={**data, "cost_usd": _cost(finished.usage)}, notices=tuple(config.warnings))


def _tokens(usage: Usage) -> str:
    tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    cost = _cost(usage)
    return f"{count(tokens + usage.output_tokens, 'token')}, cost {'unknown' if cost is None else f'${cost:.6f}'}"


def _cost(usage: Usage) -> float | None:
    return usage.actual_cost_usd if usage.actual_cost_usd is not None else usage.estimated_cost_usd


def serve(file: Path | None, port: int) -> Reply:
    """Run a small model on this machine until Ctrl-C."""
    if not 0 <= port <= 65535:
        raise BadInput("--port takes a number from 0 (any that is free) to 65535.")
    return Reply((Stream(_served(local.find_model(file), port)),))


def _served(model: Path, port: int) -> Iterator[str]:
    with local.serving(model, port) as address:
        yield f"{model.name} answers at {address}; Ctrl-C ends it."
        where = "" if address == PRESETS["local"].base_url else f" --base-url {address}"
        yield f"Talk to it in another terminal: hermes model choose local {model.stem}{where}"
        while True:
            time.sleep(3600)


# -- who answers now


def _current(config: Config) -> Endpoint | str:
    """The endpoint, or what is missing."""
    try:
        return main_provider(config.settings, variables=config.environment)
    except (NoProvider, ConfigError) as error:
        return str(error)


def _in_use(current: Endpoint | str) -> str:
    if isinstance(current, str):
        return current
    return f"{current.model} answers, served by {current.name} ({current.window:,} tokens fit)."


def _missing(config: Config, provider: str) -> str:
    """What a provider lacks; nothing when it can be used."""
    preset = PRESETS.get(provider)
    try:
        _endpoint(config, provider)
    except NoProvider:
        return f"no {preset.key_names[0]}" if preset and preset.key_names else "no key"
    except ConfigError:
        return "no address"
    return ""


def _endpoint(config: Config, provider: str) -> Endpoint:
    """An endpoint of the provider for whatever has nothing to do with one model."""
    settings: Settings = config.settings
    chosen = settings.model
    is_main = chosen.provider == provider
    wanted = Wanted(
        provider, chosen.default or "any", chosen.base_url if is_main else "", chosen.api_key if is_main else ""
    )
    return provider_for(settings, wanted, config.environment)


def _offered(endpoint: Endpoint) -> list[str]:
    answer = endpoint.get("/models")
    entries = answer.get("data") if isinstance(answer, dict) else None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return sorted(name.removeprefix("models/") for name in names if isinstance(name, str) and name.isprintable())


def _check_key(config: Config, provider: str) -> None:
    """A key in config.yaml belongs to the provider it was written for, and is not sent to another."""
    if at(config.written, ("model", "api_key")) not in (MISSING, "", None):
        raise BadInput(
            f"model.api_key in {config.file} would be sent to {provider}; "
            "`hermes config unset model.api_key` takes it out first."
        )
