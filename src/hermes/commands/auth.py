"""Keys of providers: add, list, remove, reset. No reply ever has a whole key in it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes import paths
from hermes.commands.extended import load_extended, plugins_here
from hermes.commands.reply import Ask, Column, Reply, Table, count, said
from hermes.config import Config
from hermes.config.areas import core
from hermes.errors import NotFound
from hermes.providers.choose import Wanted, given_keys
from hermes.providers.pool import Entry, Pool, State, masked
from hermes.providers.presets import PRESETS

_COLUMNS = (
    Column("Provider", 14),
    Column("Key", 12),
    Column("Label", 14, least=5),
    Column("From", 32, least=8),
    Column("State", 24, least=8),
)
_RULE = 98


class _Key(NamedTuple):
    provider: str
    key: str
    label: str
    where: str


def add(home: Path, provider: str, key: str, label: str = "") -> Reply:
    """Put a key into the pool."""
    check_provider(load_extended(home), provider)
    entry = Pool(paths.credentials_file(home)).add(provider, key, label)
    keys = len(Pool(paths.credentials_file(home)).entries(provider))
    more = f" {provider} has {count(keys, 'key')} in the pool now." if keys > 1 else ""
    return said(f"Added '{entry.label}' ({masked(key)}) for {provider}.{more}", data=_told(entry))


def list_keys(home: Path, provider: str | None = None) -> Reply:
    """Every key there is, where it is from, and whether it rests."""
    config = load_extended(home)
    if provider is not None:
        check_provider(config, provider)
    pool = Pool(paths.credentials_file(home))
    keys = [key for key in _keys(config, pool) if provider in (None, key.provider)]
    states = pool.states([key.key for key in keys])
    if not keys:
        return said("There are no keys yet: `hermes auth add openrouter` takes one.", data=[])
    pairs = list(zip(keys, states, strict=True))
    rows = tuple((key.provider, masked(key.key), key.label, key.where, _state(state)) for key, state in pairs)
    data = [
        {
            "provider": key.provider,
            "key": masked(key.key),
            "label": key.label,
            "from": key.where,
            "rests_until": state.rests_until if state.rests(time.time()) else None,
        }
        for key, state in pairs
    ]
    return Reply((Table(_COLUMNS, rows, _RULE),), tuple(config.warnings), data)


def remove(home: Path, provider: str, which: str, *, yes: bool = False) -> Reply:
    """Take a key out of the pool, by its label or its number there."""
    pool = Pool(paths.credentials_file(home))
    entry = pool.find(provider, which)

    def then() -> Reply:
        gone = pool.remove(provider, entry.label)
        return said(f"Removed '{gone.label}' ({masked(gone.key)}) of {provider}.", data=_told(gone))

    question = f"Remove '{entry.label}' ({masked(entry.key)}) of {provider}?"
    return then() if yes else Reply(ask=Ask(question, then))


def reset(home: Path, provider: str | None = None) -> Reply:
    """Let keys that rest be used again, and count from nought."""
    config = load_extended(home)
    pool = Pool(paths.credentials_file(home))
    if provider is None:
        rested = pool.reset()
    else:
        check_provider(config, provider)
        rested = pool.reset([key.key for key in _keys(config, pool) if key.provider == provider])
    whose = f" of {provider}" if provider else ""
    told = f"{count(rested, 'key')}{whose} rested; none does now." if rested else f"No key{whose} rested."
    return said(told, data={"provider": provider, "rested": rested})


def check_name(home: Path, provider: str) -> None:
    """Before a key is asked for."""
    check_provider(load_extended(home), provider)


def check_provider(config: Config, name: str) -> None:
    if name in PRESETS or name in config.settings.providers:
        return
    from difflib import get_close_matches

    known = [*config.settings.providers, *PRESETS]
    near = get_close_matches(name, known, 1)
    troubles = [f" ({one})" for one in plugins_here(config, Path.cwd()).news()[:1]]  # it may be one of these
    meant = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}."
    raise NotFound(f"No provider '{name}'; {meant}{''.join(troubles)}")


def _keys(config: Config, pool: Pool) -> Iterator[_Key]:
    settings, variables = config.settings, config.environment
    for name in dict.fromkeys([*settings.providers, *PRESETS]):
        own = settings.providers.get(name) or core.Provider()
        wanted = Wanted(api_key=settings.model.api_key if settings.model.provider == name else "")
        for key, where in given_keys(name, own, wanted, variables):
            kept = ".env" if variables.is_from_dotenv(where) else "environment" if where in variables else ""
            yield _Key(name, key, "", f"{where} ({kept})" if kept else where)
        for entry in pool.entries(name):
            yield _Key(name, entry.key, entry.label, "pool")


def _state(state: State) -> str:
    left = state.rests_until - time.time()
    if left <= 0:
        return "ready"
    length = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
    return f"rests for {length} ({state.why})"


def _told(entry: Entry) -> dict[str, str]:
    return {"provider": entry.provider, "label": entry.label, "key": masked(entry.key)}
