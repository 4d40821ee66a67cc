"""Models to go on with when the first fails: list, add, remove, clear."""

from pathlib import Path
from typing import Any

from hermes.commands.auth import check_provider
from hermes.commands.extended import load_extended
from hermes.commands.models import check_base_url
from hermes.commands.reply import Ask, Line, Reply, Span, Text, count, said
from hermes.config import Config, save
from hermes.config.edits import MISSING, Drop, Edit, Put, at
from hermes.errors import BadInput, ConfigError, NoProvider, NotFound
from hermes.providers.choose import Wanted, provider_for

_PATH = ("fallback_providers",)


def list_fallbacks(home: Path) -> Reply:
    """In the order they are tried, and what is missing of each."""
    config = load_extended(home)
    entries = _written(config)
    if not entries:
        return said("No fallbacks: `hermes fallback add PROVIDER MODEL` adds one.", data=[])
    lines: list[Line] = []
    data = []
    widths = [max(len(str(entry.get(name, ""))) for entry in entries) for name in ("provider", "model")]
    for number, entry in enumerate(entries, 1):
        missing = _missing(config, entry)
        names = f"{number}  {entry.get('provider', ''):<{widths[0]}}  {entry.get('model', ''):<{widths[1]}}"
        lines.append((Span(names), Span(f"  {missing}", "warn")) if missing else names.rstrip())
        known = {name: entry.get(name, "") for name in ("provider", "model", "base_url")}
        data.append({"number": number, **known, "missing": missing})
    return Reply((Text(tuple(lines)),), tuple(config.warnings), data)


def add(home: Path, provider: str, model: str, *, base_url: str = "", key_env: str = "") -> Reply:
    """Put one behind the others."""
    config = load_extended(home)
    check_provider(config, provider)
    check_base_url(base_url)
    entry = {"provider": provider, "model": model, "base_url": base_url, "key_env": key_env}
    entry = {name: value for name, value in entry.items() if value}
    entries = _written(config)
    if entry in entries:
        raise BadInput(f"{provider} {model} is a fallback already.")
    save.change(config.file, [Put(_PATH, [*entries, entry])])
    missing = _missing(load_extended(home), entry)
    told = f"{provider} {model} is fallback {len(entries) + 1}."
    return said(told, data={"number": len(entries) + 1, **entry}, notices=(missing,) if missing else ())


def remove(home: Path, which: str) -> Reply:
    """Take one out: its number, or the name of its model."""
    config = load_extended(home)
    entries = _written(config)
    found = [at for at, entry in enumerate(entries) if which in (str(at + 1), entry.get("model"))]
    if not found:
        raise NotFound(f"No fallback '{which}'; `hermes fallback list` shows them.")
    gone = entries.pop(found[0])
    edit: Edit = Put(_PATH, entries) if entries else Drop(_PATH)
    save.change(config.file, [edit])
    left = f"{count(len(entries), 'fallback')} left" if entries else "none left"
    return said(f"{gone.get('provider')} {gone.get('model')} is no fallback any more; {left}.", data=gone)


def clear(home: Path, *, yes: bool = False) -> Reply:
    config = load_extended(home)
    entries = _written(config)
    if not entries:
        return said("There are no fallbacks.", data={"removed": 0})

    def then() -> Reply:
        save.change(config.file, [Drop(_PATH)])
        return said(f"Removed {count(len(entries), 'fallback')}.", data={"removed": len(entries)})

    return then() if yes else Reply(ask=Ask(f"Remove {count(len(entries), 'fallback')}?", then))


def _written(config: Config) -> list[dict[str, Any]]:
    """As the file has them: a reference to a variable stays one."""
    written = at(config.written, _PATH)
    if written is MISSING or written is None:
        return []
    if not isinstance(written, list) or not all(isinstance(entry, dict) for entry in written):
        raise ConfigError(
            f"fallback_providers in {config.file} is not a list of sections; `hermes config edit` opens it."
        )
    return [dict(entry) for entry in written]


def _missing(config: Config, entry: dict[str, Any]) -> str:
    names = ("provider", "model", "base_url", "api_key", "key_env")
    provider, model, base_url, api_key, key_env = (str(entry.get(name) or "") for name in names)
    try:
        provider_for(config.settings, Wanted(provider, model, base_url, api_key, key_env), config.environment)
    except (NoProvider, ConfigError) as error:
        return str(error)
    return ""
