"""One MCP server as a tool sees it: connected at the first call, again when it went away, never waited for too long.

Each connection lives in a thread of its own with its own event loop, so that a server that hangs, dies or floods us
is nobody else's trouble.
"""

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Late
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes import paths
from hermes.config.areas.execution import McpServer
from hermes.errors import ToolError

if TYPE_CHECKING:
    from hermes.tools.mcp.session import Session

log = logging.getLogger(__name__)
_CLOSING = 6.0  # seconds a server gets to end
_STEP = 0.1  # seconds after which an interrupt is noticed


class Connection:
    """From any thread. After `close` it connects again when it is used."""

    def __init__(self, name: str, server: McpServer, folder: Path) -> None:
        self.name, self.server = name, server
        self._folder = folder
        self._live: _Live | None = None
        self._lock = threading.Lock()

    def tools(self) -> list[dict[str, Any]]:
        """What the server offers now: name, description, schema, only_reads."""
        found: list[dict[str, Any]] = self._ask(lambda session: session.tools(), self.server.connect_timeout)
        return found

    def call(self, tool: str, arguments: dict[str, Any], stopped: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """The result of a tool, as the protocol has it."""
        answer: dict[str, Any] = self._ask(lambda session: session.call(tool, arguments), self.server.timeout, stopped)
        return answer

    def close(self) -> None:
        with self._lock:
            live, self._live = self._live, None
        if live is not None:
            live.end()

    def _ask(
        self,
        question: "Callable[[Session], Coroutine[Any, Any, Any]]",
        seconds: float,
        stopped: Callable[[], bool] = lambda: False,
        *,
        again: bool = True,
    ) -> Any:
        live = self._connected()
        try:
            return live.ask(question, seconds, stopped)
        except (Late, CancelledError):
            self._drop(live)
            why = "was interrupted" if stopped() else f"did not answer within {seconds:.0f} s; it is started anew"
            raise ToolError(f"The MCP server '{self.name}' {why}.") from None
        except Exception as error:  # the edge to a library, and to whatever a server sends
            if live.is_over:
                self._drop(live)
            if live.is_forgotten and again:
                return self._ask(question, seconds, stopped, again=False)
            raise ToolError(f"The MCP server '{self.name}' {_failure(live, error)}") from None

    def _connected(self) -> "_Live":
        with self._lock:
            if self._live is not None and self._live.is_over:
                self._live.end(wait=0)
                self._live = None
            live = self._live = self._live or _Live(self.name, self.server, self._folder)
        try:
            live.wait()
        except ToolError:
            self._drop(live)
            raise
        return live

    def _drop(self, live: "_Live") -> None:
        with self._lock:
            if self._live is live:
                self._live = None
        live.end(wait=0)


class _Live:
    """A session in its thread, which starts at once."""

    def __init__(self, name: str, server: McpServer, folder: Path) -> None:
        self._name, self._server, self._folder = name, server, folder
        self._loop = asyncio.new_event_loop()
        self._session: Session | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name=f"hermes-mcp-{name}", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Until it is connected; ToolError says why it could not be."""
        try:
            self._started.result(self._server.connect_timeout)
        except Late:
            seconds = self._server.connect_timeout
            raise ToolError(f"The MCP server '{self._name}' did not start within {seconds} s.") from None
        except asyncio.CancelledError:
            raise ToolError(f"The MCP server '{self._name}' was still starting when it was closed.") from None
        except Exception as error:  # the edge to a library, and to whatever a server sends
            told = f"cannot be used: {_told(error)}{_last_words(self._name)}"
            raise ToolError(f"The MCP server '{self._name}' {told}") from None

    @property
    def is_over(self) -> bool:
        ended = self._session is not None and self._session.ended.is_set()
        return ended or not self._thread.is_alive()

    @property
    def is_forgotten(self) -> bool:
        return self._session is not None and self._session.forgotten

    def ask(self, question: Any, seconds: float, stopped: Callable[[], bool]) -> Any:
        asked = asyncio.run_coroutine_threadsafe(question(self._session), self._loop)
        ends = time.monotonic() + seconds
        while True:
            left = ends - time.monotonic()
            try:
                return asked.result(max(0.0, min(left, _STEP)))
            except Late:
                if asked.done():
                    raise
                if left <= 0 or stopped():
                    asked.cancel()
                    raise

    def end(self, wait: float = _CLOSING) -> None:
        try:
            self._loop.call_soon_threadsafe(self._leave)
        except RuntimeError:
            return  # it is over
        self._thread.join(wait)

    def _leave(self) -> None:
        self._stop.set()
        if self._session is None and self._task is not None:
            self._task.cancel()  # it is still starting

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except (Exception, asyncio.CancelledError) as error:  # the top of a thread
            log.warning("the MCP server %s ended badly: %s", self._name, _told(error))
            if not self._started.done():
                self._started.set_exception(error)
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    async def _serve(self) -> None:
        """Start, stay until told to leave, close: all in one task, as the library wants it."""
        from hermes.tools.mcp.session import Session

        self._task = asyncio.current_task()
        session = Session(self._server, self._folder, _log_file(self._name))
        try:
            await session.start()
            self._session = session
            self._started.set_result(None)
            await self._stop.wait()
        except BaseException as error:  # handed on to whoever waits
            if not self._started.done():
                self._started.set_exception(error)
        finally:
            await session.close()


def _failure(live: _Live, error: Exception) -> str:
    if live.is_over and not live.is_forgotten:
        return "went away during the call; the next starts it anew."
    return f"refused: {_told(error)}"


def _log_file(name: str) -> Path:
    paths.make_private_folder(paths.hermes_home())
    paths.make_private_folder(paths.logs_dir())
    file = _log_path(name)
    paths.create_private_file(file)
    return file


def _log_path(name: str) -> Path:
    return paths.logs_dir() / f"mcp-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.log"


def _last_words(name: str) -> str:
    """The last line a server wrote before it gave up, which is often the reason."""
    try:
        lines = _log_path(name).read_text(encoding="utf-8", errors="replace")[-4000:].split("\n")
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip()]
    return f" It said: {said[-1][:300]}" if said else ""


def _told(error: BaseException) -> str:
    """What went wrong, in one line; of a group, what is inside it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no program '{error.filename}'."
    return " ".join(str(error).split())[:300] or type(error).__name__
