"""A model call, read in a thread of its own: whatever the network does, whoever waits for it is never stuck."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from hermes.agent.turn import CallFailed
from hermes.errors import AnswerBroken, ProviderError
from hermes.providers.base import Finished, Provider, Request

log = logging.getLogger(__name__)


class Stream:
    """Tells `put` every event of one call; after `cut` nothing more."""

    def __init__(self, provider: Provider, request: Request, put: Callable[[Any], None]) -> None:
        self._put = put
        self._cut = threading.Event()
        self._events: Iterator[Any] | None = None
        self._thread = threading.Thread(target=self._read, args=(provider, request), name="hermes-call", daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """End the request. Returns at once."""
        self._cut.set()
        _close(self._events)

    def _read(self, provider: Provider, request: Request) -> None:
        try:
            self._events = provider.stream(request)
            finished = self._pass_on(self._events)
            if not finished:
                self._tell(CallFailed(AnswerBroken(f"{provider.name} ended its answer in the middle.")))
        except ProviderError as error:
            self._tell(CallFailed(error))
        except Exception as error:  # the edge to a provider, which may be a plugin's
            log.exception("provider %s failed in a way it should not", provider.name)
            self._tell(CallFailed(AnswerBroken(f"{provider.name} failed: {type(error).__name__}: {error}")))

    def _pass_on(self, events: Iterator[Any]) -> bool:
        for event in events:
            if self._cut.is_set():
                _close(events)
                return True
            self._put(event)
            if isinstance(event, Finished):
                return True
        return False

    def _tell(self, event: Any) -> None:
        if not self._cut.is_set():
            self._put(event)


def _close(events: Any) -> None:
    try:
        close = getattr(events, "close", None)
        if close is not None:
            close()
    except ValueError:
        pass  # a generator at work in its own thread; that thread closes it at its next event
