"""MCP servers: which there are, and whether they answer."""

import time
from pathlib import Path
from typing import Any

from hermes.commands.reply import Column, Line, Reply, Span, Table, Text, count, said
from hermes.config import Settings, load
from hermes.config.areas.execution import McpServer
from hermes.errors import HermesError, NotFound
from hermes.model.secrets import redact
from hermes.tools.mcp.known import remember, remembered
from hermes.tools.mcp.servers import connection, enabled, toolset
from hermes.tools.work import Workplace

_COLUMNS = (Column("Server", 16, least=8), Column("", 3), Column("Tools", 7), Column("By", 5), Column("Where", 44))
_RULE = 78
_NONE = (
    "No MCP server is set up yet. For example:",
    "  hermes config set mcp_servers.files.command npx",
    "  hermes config set mcp_servers.files.args '[-y, @modelcontextprotocol/server-filesystem, /home/me]'",
)


def servers(home: Path) -> Reply:
    """Every server of the settings, and how many tools it had when it was last asked. Asks none."""
    settings = load(home=home).settings
    if not settings.mcp_servers:
        return said(*_NONE, data=[])
    known = remembered(settings.mcp_servers)
    data = [_entry(name, server, known.get(name)) for name, server in settings.mcp_servers.items()]
    rows = tuple(
        (one["server"], "on" if one["enabled"] else "off", _number(one["tools"]), one["by"], one["where"])
        for one in data
    )
    note = "`hermes mcp test NAME` asks a server; `hermes tools disable mcp-NAME` takes its tools from a platform."
    return Reply((Table(_COLUMNS, rows, _RULE), Text((note,))), data=data)


def _entry(name: str, server: McpServer, tools: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {
        "server": name,
        "toolset": toolset(name),
        "enabled": server.enabled,
        "tools": None if tools is None else [one["name"] for one in tools],
        "by": "http" if server.url else "stdio",
        "where": redact(server.url or " ".join([server.command, *server.args]))[0],
    }


def _number(tools: list[str] | None) -> str:
    return "?" if tools is None else str(len(tools))


def ask(home: Path, name: str | None = None) -> Reply:
    """Connect to a server, or to all of them, and say what it offers. Exit code 1 when one does not answer."""
    settings = load(home=home).settings
    names = [name] if name else list(enabled(settings))
    if not names:
        return said(*_NONE, data=[])
    if name and name not in settings.mcp_servers:
        there = ", ".join(settings.mcp_servers) or "none"
        raise NotFound(f"No MCP server '{name}' in mcp_servers (there: {there}).")
    if name and not settings.mcp_servers[name].enabled:
        raise NotFound(f"{name} is switched off: hermes config set mcp_servers.{name}.enabled true")
    data = [_asked(one, settings) for one in names]
    lines = [line for one in data for line in _lines(one)]
    return Reply((Text(tuple(lines)),), data=data, exit_code=int(any(one["error"] for one in data)))


def _asked(name: str, settings: Settings) -> dict[str, Any]:
    place = Workplace(settings, {}, Path.cwd())
    began = time.monotonic()
    try:
        tools = connection(name, place).tools()
    except HermesError as error:
        return {"server": name, "tools": [], "seconds": None, "error": str(error)}
    finally:
        seconds = time.monotonic() - began
        place.close()
    remember(settings.mcp_servers, {name: tools})
    return {"server": name, "tools": tools, "seconds": round(seconds, 3), "error": None}


def _lines(one: dict[str, Any]) -> list[Line]:
    if one["error"]:
        return [(Span(f"✗ {one['server']}: ", "bad"), Span(one["error"]))]
    heading = f"✓ {one['server']}: {count(len(one['tools']), 'tool')} in {one['seconds']:.1f} s"
    tools: list[Line] = [
        (Span(f"  {tool['name']:<24} "), Span(" ".join(str(tool["description"]).split())[:80], "dim"))
        for tool in one["tools"]
    ]
    return [(Span(heading, "good"),), *tools]
