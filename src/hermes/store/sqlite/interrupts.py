"""Ctrl-C waits for a moment when nothing is held.

Python runs signal handlers in the main thread between any two of its instructions, also between taking a lock and
the block that would give it back. What must be done completely is therefore done `with undisturbed`: a Ctrl-C that
comes meanwhile is noted, and its handler runs at the end. Whoever only waits calls `check()` now and then.
"""

import threading
from _signal import getsignal, signal  # type: ignore[import-not-found]  # `signal` without its slow enums
from collections.abc import Callable
from signal import SIGINT
from types import FrameType
from typing import Any

CHECK_EVERY_S = 0.2


class Undisturbed:
    """Does nothing in threads other than the main one: no handler ever runs there."""

    def __init__(self) -> None:
        self._depth = 0
        self._handler: Callable[[int, FrameType | None], Any] | None = None
        self._noted = False

    def __enter__(self) -> None:
        if _in_main_thread():
            if self._depth == 0:
                handler = getsignal(SIGINT)
                if callable(handler):
                    self._handler = handler
                    signal(SIGINT, self._note)
            self._depth += 1  # last: before the handler is ours, a Ctrl-C can still come out of here

    def __exit__(self, *_error: object) -> None:
        if _in_main_thread():
            self._depth -= 1
            if self._depth == 0 and self._handler is not None:
                handler, self._handler = self._handler, None
                signal(SIGINT, handler)
                self._deliver(handler)

    def check(self) -> None:
        """Let the handler run now: between two looks at something that does not come."""
        if self._handler is not None and _in_main_thread():
            self._deliver(self._handler)

    def pause(self, longest: float) -> float:
        """How long to wait before the next `check()`."""
        return min(CHECK_EVERY_S, longest) if _in_main_thread() else longest

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._noted = True

    def _deliver(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        if self._noted:
            self._noted = False
            handler(SIGINT, None)


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


undisturbed = Undisturbed()
