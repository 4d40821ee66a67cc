"""A session with one MCP server, as the library does it: asynchronous. Loaded when a server is first connected to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

from hermes import __version__
from hermes.config.areas.execution import McpServer

__all__ = ["MCPError", "Session"]

_MOST_PAGES = 50  # of a list of tools


class Session:
    """Open between `start` and `close`. `ended` is set when the server went away; `forgotten`, when it answers but no
    longer knows us, so that what was asked last was not done."""

    def __init__(self, server: McpServer, folder: Path, log: Path) -> None:
        self._server, self._folder, self._log = server, folder, log
        self._stack = AsyncExitStack()
        self._client: Any = None
        self.ended = asyncio.Event()
        self.forgotten = False

    async def start(self) -> None:
        client = Client(
            self._watched(),
            read_timeout_seconds=float(self._server.timeout),
            client_info=Implementation(name="hermes", version=__version__),
        )
        self._client = await self._stack.enter_async_context(client)

    async def close(self) -> None:
        await self._stack.aclose()

    async def tools(self) -> list[dict[str, Any]]:
        """Every tool: name, description, the schema of its arguments, and whether it says that it changes nothing."""
        found: list[Any] = []
        cursor = None
        for _ in range(_MOST_PAGES):
            page = await self._client.list_tools(cursor=cursor, cache_mode="refresh")
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return [
            {
                "name": one.name,
                "description": one.description or one.title or "",
                "schema": one.input_schema,
                "only_reads": bool(one.annotations and one.annotations.read_only_hint),
            }
            for one in found
        ]

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await self._client.call_tool(name, arguments)
        result: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return result

    # -- transports

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[Any]:
        """The streams to the server; `ended` is set when nothing more can come."""
        async with self._transport() as (read, write):
            yield _Watched(read, self.ended), write

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Any]:
        if self._server.url:
            timeout = httpx2.Timeout(self._server.timeout, connect=self._server.connect_timeout)
            async with (
                httpx2.AsyncClient(
                    headers=dict(self._server.headers), timeout=timeout, event_hooks={"response": [self._look]}
                ) as http,
                streamable_http_client(self._server.url, http_client=http) as streams,
            ):
                yield streams
        else:
            program = StdioServerParameters(
                command=self._server.command,
                args=list(self._server.args),
                env=dict(self._server.env),
                cwd=self._folder,
                encoding_error_handler="replace",
            )
            with self._log.open("w", encoding="utf-8", errors="replace") as said:  # what it writes on stderr
                async with stdio_client(program, said) as streams:
                    yield streams

    async def _look(self, response: httpx2.Response) -> None:
        """A server that was restarted does not know the session any more, and refuses whatever comes in it."""
        if response.status_code in (400, 404) and "mcp-session-id" in response.request.headers:
            self.forgotten = True
            self.ended.set()


class _Watched:
    """A stream that tells when it is over."""

    def __init__(self, stream: Any, ended: asyncio.Event) -> None:
        self._stream, self._ended = stream, ended

    async def receive(self) -> Any:
        try:
            return await self._stream.receive()
        except Exception:
            self._ended.set()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> "_Watched":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._ended.set()
            raise

    async def __aenter__(self) -> "_Watched":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)  # `last_context`, which the library looks for
