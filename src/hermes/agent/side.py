"""Side tasks: a title, a summary. Asked of the auxiliary model of the task, or of the main one."""

import queue
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hermes.agent.history import History
from hermes.agent.stream import Stream
from hermes.agent.turn import CallFailed, text_of
from hermes.config import Settings
from hermes.errors import NoProvider, ProviderDown
from hermes.model.usage import Usage
from hermes.providers.base import Finished, Provider, Request


class SideTasks:
    """Answers one prompt at a time, from any thread, within the time that `auxiliary.<task>.timeout` gives. What it
    used goes on record."""

    def __init__(
        self, settings: Settings, provider_of: Callable[[str], Provider | None], record: Callable[[Usage], None]
    ) -> None:
        self._settings = settings
        self._provider_of = provider_of
        self._record = record

    def __call__(self, task: str, prompt: str | list[dict[str, Any]], *, most_tokens: int) -> str:
        provider = self._provider_of(task)
        if provider is None or isinstance(provider, History):
            raise NoProvider("No model is set up for side tasks.")
        seconds = getattr(self._settings.auxiliary, task).timeout
        finished = _answer(provider, Request([{"role": "user", "content": prompt}], max_tokens=most_tokens), seconds)
        self._record(replace(finished.usage, model=finished.usage.model or provider.model))
        return text_of(finished.message.get("content"))


def _answer(provider: Provider, request: Request, seconds: float) -> Finished:
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    stream = Stream(provider, request, inbox.put)
    deadline = time.monotonic() + seconds
    try:
        while True:
            event = inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            if isinstance(event, Finished):
                return event
            if isinstance(event, CallFailed):
                raise event.error
    except queue.Empty:
        raise ProviderDown(f"{provider.name} did not answer a side task within {seconds} s.") from None
    finally:
        stream.cut()
