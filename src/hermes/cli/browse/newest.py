"""Questions to the store while somebody types: the newest one is answered, those it overtook are dropped."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from hermes.errors import HermesError

T = TypeVar("T")


class Newest(Generic[T]):
    """One question at a time, in a thread, so that the screen never waits. Whatever is asked meanwhile takes the place
    of what waits, and an answer that came too late is thrown away. `run` starts a coroutine."""

    def __init__(
        self,
        run: Callable[[Coroutine[Any, Any, None]], object],
        answered: Callable[[T], None],
        refused: Callable[[HermesError], None],
    ) -> None:
        self._run = run
        self._answered = answered
        self._refused = refused
        self._waiting: Callable[[], T] | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def busy(self) -> bool:
        return not self._idle.is_set()

    async def idle(self) -> None:
        """Wait until everything that was asked is answered."""
        await self._idle.wait()

    def ask(self, question: Callable[[], T]) -> None:
        self._waiting = question
        if not self.busy:
            self._idle.clear()
            self._run(self._answer())

    async def _answer(self) -> None:
        try:
            while self._waiting is not None:
                question, self._waiting = self._waiting, None
                await self._answer_one(question)
        finally:
            self._idle.set()

    async def _answer_one(self, question: Callable[[], T]) -> None:
        try:
            answer = await asyncio.to_thread(question)
        except HermesError as error:
            self._refused(error)
            return
        if self._waiting is None:
            self._answered(answer)
