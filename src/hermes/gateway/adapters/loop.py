"""An event loop in a thread of its own, for platforms whose SDK is asynchronous."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Loop:
    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._leave())
        self._loop.close()

    async def _leave(self) -> None:
        """End what is under way; a connection that is closed is gone only a few steps later."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for _ in range(5):
            await asyncio.sleep(0)
        await self._loop.shutdown_default_executor()

    def call(self, work: "Coroutine[Any, Any, T]", seconds: float) -> T:
        """From any other thread: do this there, and wait for it. TimeoutError: it is given up."""
        asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return asked.result(seconds)
        except TimeoutError:
            asked.cancel()
            raise

    def soon(self, work: "Coroutine[Any, Any, Any]") -> None:
        """The same without waiting."""
        asyncio.run_coroutine_threadsafe(work, self._loop)

    def cancel(self, task: "asyncio.Task[Any]") -> None:
        self._loop.call_soon_threadsafe(task.cancel)

    def stop(self) -> None:
        """Nothing is done after this."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
