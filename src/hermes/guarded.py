"""Calls into code that is not ours: a memory provider, a plugin. Each within its time, in a thread of its own.

Whatever it does, the caller goes on: what it raises is an answer too, a call that does not come back is left alone
(its thread ends whenever it does), and a child that it forks ends there instead of going on as a second Hermes.
"""

import logging
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

log = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """What a call returned, or what was wrong with it."""

    value: Any = None
    problem: str | None = None


class Guard:
    """Carries out one call at a time, for whoever asks first. The thread is made with the first call."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def call(self, function: Callable[[], Any], seconds: float) -> Outcome:
        with self._lock:
            if self._worker is None:
                self._worker = _Worker(self._name)
            outcome = self._worker.call(function, seconds)
            if outcome is None:
                self._worker.leave()
                self._worker = None
        return outcome or Outcome(problem=f"did not answer within {seconds:g} s")

    def close(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._worker.leave()
            self._worker = None


class _Worker:
    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=f"hermes-{name}", daemon=True).start()

    def call(self, function: Callable[[], Any], seconds: float) -> Outcome | None:
        """None: it took too long, and this worker is of no more use."""
        self._calls.put(function)
        try:
            return self._outcomes.get(timeout=seconds)
        except queue.Empty:
            return None

    def leave(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        process = os.getpid()
        while (function := self._calls.get()) is not None:
            outcome = _attempt(function)
            if os.getpid() != process:
                os._exit(0)  # it forked; the child has nothing to do here
            self._outcomes.put(outcome)


def _attempt(function: Callable[[], Any]) -> Outcome:
    try:
        return Outcome(function())
    except BaseException as error:  # the edge to code that is not ours, which may even ask to exit
        log.warning("code that is not ours failed", exc_info=error)
        return Outcome(problem=f"failed ({type(error).__name__}: {error})")
