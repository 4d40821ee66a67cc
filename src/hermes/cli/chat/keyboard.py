"""The terminal as the prompt reads it."""

import sys
from asyncio import Future
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from prompt_toolkit.input.vt100 import Vt100Input


class Keyboard(Vt100Input):
    """A key is a key at every moment: Ctrl-C and Ctrl-D mean the same while lines are printed above the prompt.

    The library gives the terminal back for each of those lines, and a key pressed just then would be obeyed by the
    terminal itself, or lost. Only another program (a shell, an editor) gets it back.
    """

    def __init__(self) -> None:
        super().__init__(sys.stdin)
        self._borrowers = 0

    def cooked_mode(self) -> AbstractContextManager[None]:
        return super().cooked_mode() if self._borrowers else nullcontext()

    def lend(self, work: "Future[Any]") -> None:
        """To another program, until this work is done."""
        self._borrowers += 1
        work.add_done_callback(self._back)

    def _back(self, _: "Future[Any]") -> None:
        self._borrowers -= 1
