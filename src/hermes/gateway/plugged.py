"""Platforms that plugins bring, at arm's length: one that fails or hangs costs nobody else a message."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes.commands.extended import plugins_here
from hermes.config import Config
from hermes.config.platforms import unknown
from hermes.errors import BadInput
from hermes.gateway.base import Adapter, Incoming, Receive, Undelivered
from hermes.gateway.keys import Place
from hermes.guarded import Guard, Outcome

log = logging.getLogger("hermes.gateway")
_CONNECT_SECONDS, _SEND_SECONDS, _END_SECONDS = 30.0, 60.0, 10.0


def plugged(config: Config, taken: Mapping[str, Any], warn: Callable[[str], None]) -> list[Adapter]:
    """The adapters of plugins that are on, each with its section of `platforms`; `enabled: false` there leaves one out.
    A name that is `taken` stays with whom it is."""
    plugins = plugins_here(config, Path(config.settings.terminal.cwd).expanduser().resolve())
    found = []
    for name, make in plugins.platforms.items():
        written = config.settings.platforms.get(name)
        given = written if isinstance(written, Mapping) else {"enabled": written is not False}
        if name in taken:
            warn(f"A plugin brings the platform '{name}', which there is already; its own is left out.")
        elif given.get("enabled", True):
            adapter = _made(name, make, given, warn)
            found += [adapter] if adapter is not None else []
    for warning in (*plugins.news(), *unknown(config, plugins.platforms)):
        warn(warning)
    return found


def _made(name: str, make: Callable[..., Any], given: Mapping[str, Any], warn: Callable[[str], None]) -> Adapter | None:
    guard = Guard(f"make-{name}")
    outcome = guard.call(lambda: make(given), _CONNECT_SECONDS)
    guard.close()
    problem = outcome.problem
    if problem is None and not isinstance(outcome.value, Adapter):
        problem = "gave no adapter (a class on hermes.gateway.base.Adapter)"
    if problem is not None:
        warn(f"The platform '{name}' is left out: it {problem}.")
        return None
    return Plugged(name, outcome.value, warn)


class Plugged(Adapter):
    """What an adapter of a plugin does, in the time it has; whatever it raises, the gateway goes on."""

    def __init__(self, name: str, inner: Adapter, warn: Callable[[str], None]) -> None:
        self.name, self.longest, self.edits = name, inner.longest, inner.edits  # type: ignore[misc]  # of this one
        self.repeats, self.trusted = inner.repeats, inner.trusted  # type: ignore[misc]  # as it says of itself
        self._inner, self._warn = inner, warn

    def connect(self, receive: Receive) -> None:
        self._inner.gateway = self.gateway

        def take(incoming: Incoming) -> bool:
            if incoming.place.platform != self.name:
                raise BadInput(f"It is '{self.name}', and speaks for nobody else.")
            return receive(incoming)

        outcome = self._bounded(lambda: self._inner.connect(take), _CONNECT_SECONDS)
        if outcome.problem is not None:
            self._warn(f"The platform '{self.name}' is not served: it {outcome.problem}.")

    def disconnect(self) -> None:
        self._told(lambda: self._inner.disconnect())

    def close(self) -> None:
        self._told(lambda: self._inner.close())

    def send(self, place: Place, text: str, *, key: str) -> str:
        return str(self._sent(lambda: self._inner.send(place, text, key=key)))

    def edit(self, place: Place, message: str, text: str) -> None:
        self._sent(lambda: self._inner.edit(place, message, text))

    def typing(self, place: Place) -> None:
        self._told(lambda: self._inner.typing(place))

    def chat_info(self, place: Place) -> Mapping[str, Any]:
        outcome = self._bounded(lambda: self._inner.chat_info(place), _END_SECONDS)
        return outcome.value if isinstance(outcome.value, Mapping) else super().chat_info(place)

    def length(self, text: str) -> int:
        return self._inner.length(text)

    # -- at arm's length

    def _bounded(self, call: Callable[[], Any], seconds: float) -> Outcome:
        """In a thread of its own: many things are sent at once."""
        guard = Guard(f"platform-{self.name}")
        outcome = guard.call(call, seconds)
        guard.close()
        return outcome

    def _told(self, call: Callable[[], Any]) -> None:
        outcome = self._bounded(call, _END_SECONDS)
        if outcome.problem is not None:
            log.warning("the platform %s %s", self.name, outcome.problem)

    def _sent(self, call: Callable[[], Any]) -> Any:
        def attempt() -> Any:
            try:
                return call()
            except Undelivered as failed:
                return failed

        outcome = self._bounded(attempt, _SEND_SECONDS)
        if isinstance(outcome.value, Undelivered):
            raise outcome.value
        if outcome.problem is not None:
            raise Undelivered(f"{self.name} {outcome.problem}", unsure=True)
        return outcome.value
