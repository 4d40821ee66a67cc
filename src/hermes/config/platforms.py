"""The platforms of the gateway that come with Hermes: what switches one on, and what it cannot do without."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, NamedTuple

from hermes.config.load import Config
from hermes.errors import ConfigError


class Platform(NamedTuple):
    extra: str  # of the package
    modules: tuple[str, ...]  # what the extra brings
    switch: str = ""  # the variable that switches it on
    needs: tuple[tuple[str, ...], ...] = ()  # variables: one set of these


PLATFORMS = {
    "telegram": Platform("telegram", ("telegram",), "TELEGRAM_BOT_TOKEN", (("TELEGRAM_BOT_TOKEN",),)),
    "matrix": Platform(
        "matrix",
        ("nio", "markdown_it"),
        "MATRIX_HOMESERVER",
        (("MATRIX_HOMESERVER", "MATRIX_ACCESS_TOKEN"), ("MATRIX_HOMESERVER", "MATRIX_USER_ID", "MATRIX_PASSWORD")),
    ),
    "api-server": Platform("gateway", ("starlette", "uvicorn"), "API_SERVER_KEY"),
    "webhook": Platform("gateway", ("starlette", "uvicorn")),
}
_IN_SETTINGS = {"MATRIX_HOMESERVER": "homeserver", "MATRIX_USER_ID": "user"}  # of `platforms.<name>`


def is_on(config: Config, name: str) -> bool:
    """Named under `platforms`, or by its variable; `enabled` there goes before both."""
    given = config.settings.platforms.get(name)
    if isinstance(given, dict) and "enabled" in given:
        return bool(given["enabled"])
    if given is False:
        return False
    switch = PLATFORMS[name].switch
    return name in config.settings.platforms or bool(switch and config.environment.get(switch))


def section(config: Config, name: str) -> Mapping[str, Any]:
    """What the settings say of a platform; `telegram:` and `telegram: true` say that it is on, and no more."""
    given = config.settings.platforms.get(name)
    if given is None or isinstance(given, bool):
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError(f"platforms.{name} has to be a section, such as `{name}: {{}}`.")
    return given


def whole(value: Any, where: str) -> int:
    """A number of the settings; also as text, since a variable may stand for it."""
    try:
        return int(str(value))
    except ValueError:
        raise ConfigError(f"{where} has to be a whole number.") from None


def port(value: Any, where: str) -> int:
    number = whole(value, where)
    if not 0 <= number <= 65_535:
        raise ConfigError(f"{where} has to be a port: 1 to 65535, or 0 for a free one.")
    return number


def lacks(config: Config, name: str) -> str:
    """What keeps a platform that is on from being served; empty: nothing that can be told without asking it."""
    platform = PLATFORMS[name]
    if not all(find_spec(module) for module in platform.modules):
        return f"pip install 'hermes[{platform.extra}]'"
    ways = [[one for one in way if not _has(config, name, one)] for way in platform.needs]
    shortest = min(ways, key=len, default=[])
    return f"hermes config set {shortest[0]}" if shortest else ""


def _has(config: Config, name: str, variable: str) -> bool:
    given = config.settings.platforms.get(name)
    written = given.get(_IN_SETTINGS.get(variable, "")) if isinstance(given, dict) else None
    return bool(written or config.environment.get(variable))


def unknown(config: Config, plugged: Collection[str]) -> list[str]:
    """A line for each platform that the settings want and nobody brings."""
    there = {*PLATFORMS, *plugged}
    lines = []
    for name, given in config.settings.platforms.items():
        off = given is False or (isinstance(given, Mapping) and given.get("enabled") is False)
        if name not in there and not off:
            near = get_close_matches(str(name), there, 1)
            hint = f"is '{near[0]}' meant?" if near else f"there are {', '.join(sorted(there))}."
            lines.append(f"platforms.{name} is nothing that Hermes or a plugin that is on serves; {hint}")
    return lines
