"""From settings to a gateway that runs until it is told to stop."""

import fcntl
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from hermes import log, paths
from hermes.commands.gateway import SERVES
from hermes.commands.reviews import Idle
from hermes.config import Config, load
from hermes.config.platforms import PLATFORMS, is_on
from hermes.errors import BadInput, ConfigError
from hermes.gateway.base import Adapter
from hermes.gateway.core import Gateway
from hermes.gateway.health import OPEN_ROUTES, Health
from hermes.gateway.plugged import plugged
from hermes.gateway.schedule import Scheduler
from hermes.store import SessionDB, open_store

logger = logging.getLogger("hermes.gateway")
_LOCK_SECONDS = 3.0
_NOTHING = (
    "No platform is set up. Put TELEGRAM_BOT_TOKEN or MATRIX_HOMESERVER into .env, or name one under `platforms` in "
    "config.yaml, such as `api-server: {}`."
)


def _telegram(config: Config) -> Adapter:
    from hermes.gateway.adapters.telegram import Telegram

    return Telegram(config)


def _matrix(config: Config) -> Adapter:
    from hermes.gateway.adapters.matrix import Matrix

    return Matrix(config)


def _api_server(config: Config) -> Adapter:
    from hermes.gateway.adapters.api_server import ApiServer

    return ApiServer(config)


def _webhook(config: Config) -> Adapter:
    from hermes.gateway.adapters.webhook import Webhook

    return Webhook(config)


ADAPTERS: dict[str, Callable[[Config], Adapter]] = {
    "telegram": _telegram,
    "matrix": _matrix,
    "api-server": _api_server,
    "webhook": _webhook,
}


def adapters(config: Config) -> list[Adapter]:
    """Every platform that is set up: named under `platforms`, or by its variable, or brought by a plugin that is on."""
    made = [_made(config, name) for name in ADAPTERS if is_on(config, name)]
    made += plugged(config, ADAPTERS, _warn)
    if not made:
        raise ConfigError(_NOTHING)
    return made


def _warn(words: str) -> None:
    logger.warning("%s", words)
    _say(words)


def _made(config: Config, name: str) -> Adapter:
    try:
        return ADAPTERS[name](config)
    except ImportError as error:
        raise ConfigError(
            f"{name} needs more than Hermes itself ({error.name}): pip install 'hermes[{PLATFORMS[name].extra}]'"
        ) from error


@contextmanager
def alone(db: SessionDB, names: list[str]) -> Iterator[None]:
    """Hold every platform of this store; BadInput when another gateway has one."""
    with ExitStack() as held:
        for name in names:
            held.enter_context(_held(db.db_path.with_name(f"{db.db_path.name}.gateway-{name}"), name))
        yield


@contextmanager
def _held(file: Path, name: str) -> Iterator[None]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, paths.PRIVATE_FILE)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise BadInput(
                f"Another gateway serves {name} on this store already (process {who}); stop it first."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def run() -> int:
    """In the foreground, until SIGTERM or Ctrl-C."""
    log.set_up()
    config = load()
    stop, hurry = threading.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: (hurry if stop.is_set() else stop).set())
    for warning in config.warnings:
        _say(warning)
    sessions = config.settings.sessions
    with open_store(sessions.database or None, redact_secrets=sessions.redact_secrets) as db:
        for notice in db.notices:
            _say(notice)
        _keep_house(db, config)
        made = adapters(config)
        with alone(db, [adapter.name for adapter in made]):
            _serve(Gateway(db, config, made), stop, hurry)
    return 0


def _serve(gateway: Gateway, stop: threading.Event, hurry: threading.Event) -> None:
    """Until it is told to stop; told once more, it does not wait for turns that are under way."""
    scheduler = Scheduler(gateway)
    gateway.tasks.append(Idle(gateway.db, gateway.config).tick)
    gateway.start()
    told = _told(gateway)
    with _healthy(gateway) as health, _announced(gateway, told | {"health": health}):
        scheduler.start()
        _say(f"{SERVES} {told['serves']}. Ctrl-C stops it.")
        logger.info("the gateway serves %s", told["serves"])
        stop.wait()
        _say("Stopping; what is under way is finished or kept for the next start.")
        scheduler.stop()
        gateway.stop(gateway.settings.agent.restart_drain_timeout, hurry)
        logger.info("the gateway stopped")


@contextmanager
def _healthy(gateway: Gateway) -> Iterator[str | None]:
    """Answers whether the gateway works, at the address that is given."""
    settings = gateway.settings.gateway
    if settings.health_port is None:
        yield None
        return
    health = Health(gateway.health, settings.health_host, settings.health_port)
    try:
        health.start()
    except ConfigError:
        gateway.stop(0.0)
        raise
    try:
        host = f"[{health.host}]" if ":" in health.host else health.host
        yield f"http://{host}:{health.port}{OPEN_ROUTES[0]}"
    finally:
        health.stop()


def _told(gateway: Gateway) -> dict[str, Any]:
    ports = {name: getattr(adapter, "port", None) for name, adapter in gateway.adapters.items()}
    serves = ", ".join(name + (f" (port {port})" if port else "") for name, port in ports.items())
    return {"pid": os.getpid(), "began": time.time(), "platforms": list(ports), "ports": ports, "serves": serves}


@contextmanager
def _announced(gateway: Gateway, told: dict[str, Any]) -> Iterator[None]:
    """A file that says who serves what; its lock says that they still do."""
    descriptor = os.open(paths.gateway_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, paths.PRIVATE_FILE)
    try:
        if not _locked(descriptor):
            gateway.stop(0.0)
            raise BadInput(f"Another gateway runs in {paths.hermes_home()}; `hermes gateway stop` ends it.")
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(told).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Whoever asks whether a gateway runs holds the lock for a moment; another gateway holds it for longer."""
    ends = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > ends:
                return False
            time.sleep(0.02)


def _keep_house(db: SessionDB, config: Config) -> None:
    sessions = config.settings.sessions
    if sessions.auto_prune:
        done = db.maybe_auto_prune_and_vacuum(
            sessions.retention_days, sessions.min_interval_hours, sessions.vacuum_after_prune, paths.sessions_dir()
        )
        if done["pruned"]:
            _say(f"Pruned {done['pruned']} sessions without activity for {sessions.retention_days} days.")
    db.maybe_empty_trash(sessions.trash_days, paths.sessions_dir())


def _say(words: str) -> None:
    with suppress(OSError):  # a terminal that was closed is no reason not to stop in good order
        print(f"hermes: {' '.join(words.split())}", file=sys.stderr, flush=True)
