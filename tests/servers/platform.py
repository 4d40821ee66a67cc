"""A messaging platform of the tests' own: it delivers what people say, and keeps what they are told."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import yaml

from hermes.config import load
from hermes.gateway.base import Adapter, Incoming, Receive, Undelivered
from hermes.gateway.core import Gateway
from hermes.gateway.keys import Place
from hermes.store import SessionDB
from tests.servers.scripted import Scripted

PATIENCE = 60.0  # seconds; only something wrong takes so long


class Paper(Adapter):
    """Messages on paper slips. `refuses` are the errors of the next deliveries, one after the other."""

    name: ClassVar[str] = "paper"
    longest: ClassVar[int] = 200
    edits: ClassVar[bool] = True

    def __init__(self) -> None:
        self.told: list[tuple[Place, str]] = []
        self.edited: list[str] = []
        self.refuses: list[Undelivered] = []
        self.typed = 0
        self.connected = False
        self._events = 0
        self._receive: Receive | None = None
        self._lock = threading.Lock()

    def connect(self, receive: Receive) -> None:
        self._receive, self.connected = receive, True

    def disconnect(self) -> None:
        self.connected = False

    def send(self, place: Place, text: str, *, key: str) -> str:
        with self._lock:
            if self.refuses:
                raise self.refuses.pop(0)
            self.told.append((place, text))
            return str(len(self.told) - 1)

    def edit(self, place: Place, message: str, text: str) -> None:
        with self._lock:
            self.edited.append(text)
            self.told[int(message)] = (place, text)

    def typing(self, place: Place) -> None:
        self.typed += 1

    # -- what tests do with it

    def says(self, user: str, text: str, *, room: str = "", thread: str = "", event: str = "", **more: Any) -> bool:
        """A person says something, to the agent alone or in a room."""
        place = Place(self.name, "group" if room else "dm", room or user, thread, user)
        with self._lock:
            self._events += 1
            event = event or f"e{self._events}-{time.time_ns()}"
        assert self._receive is not None
        return self._receive(Incoming(place, event, text, sender=user.title(), **more))

    def heard(self, user: str = "", *, room: str = "", thread: str = "") -> list[str]:
        """What a person, or a room, was told."""
        with self._lock:
            return [
                text
                for place, text in self.told
                if (place.chat == (room or user) or not (room or user)) and (not thread or place.thread == thread)
            ]


def until(what: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Wait for something to be true, and return it."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        found = what()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen in time")


def configured(home: Path, server: Scripted | None, **settings: Any) -> None:
    """Settings with this model, and anybody let in unless told otherwise."""
    home.mkdir(parents=True, exist_ok=True)
    model = {"model": {"default": "scripted", "provider": "custom", "base_url": server.url}} if server else {}
    given: Mapping[str, Any] = {
        **model,
        "gateway": {"allow_all_users": True},
        "auxiliary": {"title_generation": {"provider": "none"}},
        "platform_toolsets": {"paper": []},
        **settings,
    }
    (home / "config.yaml").write_text(yaml.safe_dump(dict(given)))


@contextmanager
def running(db: SessionDB, *adapters: Adapter, tick: float = 0.05, grace: float = 5.0) -> Iterator[Gateway]:
    gateway = Gateway(db, load(), adapters, tick=tick)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop(grace)
