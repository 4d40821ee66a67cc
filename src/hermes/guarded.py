"""Calls into code that is not ours: a memory provider, a plugin. Each within its time, in a thread of its own.

Whatever it does, the caller goes on: what it raises is an answer too, a call that does not come back is left alone
(its thread ends whenever it does), and a child that it forks ends there instead of going on as a second Hermes.
"""

import logging
import os
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

log = logging.getLogger(__name__)
_OURS = f"{Path(__file__).parent}{os.sep}"
_BUNDLED = f"{_OURS}bundled{os.sep}"
_PYTHON = str(Path(os.__file__).parent)


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
        return self.calls([function], seconds)[0]

    def calls(self, functions: Sequence[Callable[[], Any]], seconds: float) -> list[Outcome]:
        """One after the other, each within its time; handed over together, so that several cost no more than one."""
        outcomes: list[Outcome] = []
        with self._lock:
            while len(outcomes) < len(functions):
                if self._worker is None:
                    self._worker = _Worker(self._name)
                done, in_time = self._worker.calls(functions[len(outcomes) :], seconds)
                outcomes += done
                if not in_time:
                    outcomes.append(Outcome(problem=f"did not answer within {seconds:g} s"))
                    self._worker.leave()
                    self._worker = None
        return outcomes

    def close(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._worker.leave()
            self._worker = None


class _Worker:
    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Sequence[Callable[[], Any]] | None] = queue.SimpleQueue()
        self._left = False  # nobody waits for what it does any more
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=f"hermes-{name}", daemon=True).start()

    def calls(self, functions: Sequence[Callable[[], Any]], seconds: float) -> tuple[list[Outcome], bool]:
        """What came of them. False: the next one took too long, and this worker is of no more use."""
        self._calls.put(functions)
        done: list[Outcome] = []
        try:
            while len(done) < len(functions):
                done.append(self._outcomes.get(timeout=seconds))
        except queue.Empty:
            return done, False
        return done, True

    def leave(self) -> None:
        self._left = True
        self._calls.put(None)

    def _work(self) -> None:
        process = os.getpid()
        while (functions := self._calls.get()) is not None:
            for function in functions:
                if self._left:
                    return
                outcome = self._attempt(function)
                if os.getpid() != process:
                    os._exit(0)  # it forked; the child has nothing to do here
                self._outcomes.put(outcome)

    def _attempt(self, function: Callable[[], Any]) -> Outcome:
        try:
            return Outcome(function())
        except BaseException as error:  # the edge to code that is not ours, which may even ask to exit
            if not self._left:  # what comes too late was told of already
                log.warning("code that is not ours failed", exc_info=error)
            return Outcome(problem=f"failed ({type(error).__name__}: {error}{_where(error)})")


def _is_ours(file: str) -> bool:
    """Ours, or Python's own; what is bundled, or installed beside Hermes, is written as anybody would."""
    if file.startswith(_OURS):
        return not file.startswith(_BUNDLED)
    return file.startswith("<") or (file.startswith(_PYTHON) and "-packages" not in file)


def _where(error: BaseException) -> str:
    """The line of theirs where it went wrong: the deepest that is neither ours nor Python's own."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not _is_ours(file):
            found = f"; {Path(file).parent.name}/{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
