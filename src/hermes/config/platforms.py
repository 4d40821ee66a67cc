"""The platforms of the gateway that come with Hermes: what switches one on, and what it cannot do without."""

from importlib.util import find_spec
from typing import NamedTuple

from hermes.config.load import Config


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
    switch = PLATFORMS[name].switch
    return name in config.settings.platforms or bool(switch and config.environment.get(switch))


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
