"""The MCP servers of the settings, each a toolset `mcp-NAME` with the tools it offers."""

import hashlib
import logging
import re
import threading
import time
from collections.abc import Mapping
from typing import Any

from hermes.config import Settings
from hermes.config.areas.execution import McpServer
from hermes.errors import HermesError, ToolError
from hermes.tools.base import ToolResult
from hermes.tools.mcp.connection import Connection
from hermes.tools.mcp.known import Tools, remember, remembered
from hermes.tools.mcp.results import as_result
from hermes.tools.registry import Registry, Tool, registry
from hermes.tools.work import Work, Workplace

log = logging.getLogger(__name__)
_LONGEST_NAME = 64  # no provider takes more
_DESCRIPTION = 1000  # characters; the rest of an essay costs every request
_PATIENCE = 10.0  # seconds a conversation waits for servers it knows nothing of
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def enabled(settings: Settings) -> dict[str, McpServer]:
    return {name: server for name, server in settings.mcp_servers.items() if server.enabled}


def toolset(name: str) -> str:
    return f"mcp-{name}"


def register_known(settings: Settings, into: Registry = registry) -> None:
    """Put what is known of the servers' tools into the registry. Connects to nothing."""
    servers = enabled(settings)
    if servers:
        for name, tools in remembered(servers).items():
            register(name, tools, into)


def prepare(place: Workplace, into: Registry = registry, *, patience: float = _PATIENCE) -> list[str]:
    """The same, and ask those servers that nothing is known of yet. What comes too late is there the next time; returns
    who that is."""
    register_known(place.settings, into)
    servers = enabled(place.settings)
    known = remembered(servers) if servers else {}
    asking = {name: _asking(name, place, into) for name in servers if name not in known}
    ends = time.monotonic() + patience
    for thread in asking.values():
        thread.join(max(0.0, ends - time.monotonic()))
    return [name for name in asking if name not in remembered(servers)]


def _asking(name: str, place: Workplace, into: Registry) -> threading.Thread:
    """A thread that asks a server what it offers, registers it, and remembers it."""

    def ask() -> None:
        try:
            tools = connection(name, place).tools()
        except HermesError as error:
            log.warning("%s", error)
            return
        register(name, tools, into)
        remember(enabled(place.settings), {name: tools})

    thread = threading.Thread(target=ask, name=f"hermes-mcp-asking-{name}", daemon=True)
    thread.start()
    return thread


def register(name: str, tools: Tools, into: Registry = registry) -> None:
    """These are the tools of the server now. What it no longer has goes; a name that another has stays the other's."""
    new = {_tool_name(name, str(tool["name"])): tool for tool in tools}
    for gone in set(into.in_toolset(toolset(name))) - set(new):
        into.remove(gone)
    for full, tool in new.items():
        before = into.get(full)
        if before is not None and before.toolset != toolset(name):
            log.warning("the MCP server %s has a tool %s, a name that %s has already", name, full, before.toolset)
            continue
        into.register(_tool(name, full, tool, into))


def connection(name: str, place: Workplace) -> Connection:
    """The one connection of this agent to this server; closed with the agent."""
    server = enabled(place.settings).get(name)
    if server is None:
        raise ToolError(f"There is no MCP server '{name}' in mcp_servers.")
    return place.keep(("mcp", name), lambda: Connection(name, server, place.folder), Connection.close)


def _tool(server: str, full: str, tool: Mapping[str, Any], into: Registry) -> Tool:
    parameters = tool.get("schema")
    if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
        parameters = {"type": "object", "properties": {}}
    description = " ".join(str(tool.get("description") or tool["name"]).split())[:_DESCRIPTION]

    def call(arguments: dict[str, Any], work: Work) -> ToolResult:
        answer = connection(server, work.place).call(str(tool["name"]), arguments, work.context.stopped)
        work.place.keep(("mcp-news", server), lambda: _asking(server, work.place, into))  # for the next conversation
        return as_result(answer, work)

    def check(place: Workplace) -> str | None:
        return None if server in enabled(place.settings) else f"the MCP server '{server}' is not in mcp_servers"

    schema = {"name": full, "description": description, "parameters": dict(parameters)}
    beside = bool(tool.get("only_reads"))  # taken at its word, which costs nothing but the order of two answers
    return Tool(full, toolset(server), schema, call, check=check, beside=beside, seconds=None)


def _tool_name(server: str, tool: str) -> str:
    """`mcp_SERVER_TOOL`, in the characters and the length that every provider takes."""
    full = _ODD.sub("_", f"mcp_{server}_{tool}")
    if len(full) <= _LONGEST_NAME and full == f"mcp_{server}_{tool}":
        return full
    mark = hashlib.sha256(f"{server}/{tool}".encode()).hexdigest()[:6]
    return f"{full[: _LONGEST_NAME - 7]}_{mark}"
