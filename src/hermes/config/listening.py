"""The API server and webhooks as the settings have them, looked through before anything listens."""

import ipaddress
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes.config.load import Config
from hermes.config.platforms import port as port_of
from hermes.config.platforms import section
from hermes.config.references import expand
from hermes.errors import ConfigError

API_PORT, WEBHOOK_PORT = 8642, 8644
_SHORTEST_KEY, _SHORTEST_SECRET = 16, 8


class ApiServer(NamedTuple):
    host: str
    port: int
    keys: dict[str, str]  # by whose they are; none: one is made, on this machine
    given: Mapping[str, Any]


class Webhooks(NamedTuple):
    host: str
    port: int
    routes: dict[str, dict[str, Any]]
    given: Mapping[str, Any]


def api_server(config: Config) -> ApiServer:
    """ConfigError where nobody, or anybody, could use it."""
    given, variables = section(config, "api-server"), config.environment
    host = str(given.get("host") or variables.get("API_SERVER_HOST") or "127.0.0.1")
    port = port_of(given.get("port", variables.get("API_SERVER_PORT", API_PORT)), "platforms.api-server.port")
    written = _named(given.get("keys"), "platforms.api-server.keys")
    keys = {name: _secret(key, f"platforms.api-server.keys.{name}") for name, key in written.items() if key}
    if variables.get("API_SERVER_KEY"):
        keys["default"] = variables["API_SERVER_KEY"]
    if not _is_loopback(host):
        _check_reach(host, keys)
    return ApiServer(host, port, keys, given)


def _check_reach(host: str, keys: Mapping[str, str]) -> None:
    if not keys:
        raise ConfigError(
            f"The API server does not listen on {host} without a key: set API_SERVER_KEY in .env, or bind it to "
            "127.0.0.1."
        )
    weak = next((name for name, key in keys.items() if len(key) < _SHORTEST_KEY), None)
    if weak is not None:
        raise ConfigError(f"The API key of {weak} is too short for {host}: {_SHORTEST_KEY} characters or more.")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def webhooks(config: Config) -> Webhooks:
    """ConfigError where there is none, or one that anybody could call."""
    given = section(config, "webhook")
    port = port_of(given.get("port", WEBHOOK_PORT), "platforms.webhook.port")
    routes = _named(given.get("routes"), "platforms.webhook.routes")
    if not routes:
        raise ConfigError("No webhook is set up: name one under platforms.webhook.routes.")
    common = config.environment.get("WEBHOOK_SECRET", "")
    made = {name: _route(name, route, common) for name, route in routes.items()}
    return Webhooks(str(given.get("host") or "127.0.0.1"), port, made, given)


def _route(name: str, written: Any, common: str) -> dict[str, Any]:
    route = {"secret": common, **_named(written, f"platforms.webhook.routes.{name}")}
    secret = _secret(route["secret"] or "", f"platforms.webhook.routes.{name}.secret")
    if len(secret) < _SHORTEST_SECRET:
        raise ConfigError(
            f"The webhook '{name}' has no secret of {_SHORTEST_SECRET} characters or more, and does not start "
            "unsigned: set its secret, or WEBHOOK_SECRET in .env."
        )
    return route | {"secret": secret}


def _named(value: Any, where: str) -> dict[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"{where} has to be a section, with a name before each entry.")
    return {str(name): entry for name, entry in (value or {}).items()}


def _secret(value: Any, where: str) -> str:
    """As it is meant: the name of a variable that nobody set is no secret, since everybody can read it in the guide."""
    missing = expand(value, {}).missing
    if missing:
        raise ConfigError(f"{where} is ${{{missing[0]}}}, which is not set: hermes config set {missing[0]}")
    return str(value)
