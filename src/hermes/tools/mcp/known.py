"""What is known of the tools of MCP servers, kept from one start to the next: so that a chat begins without waiting for
a server, and connects when a tool is called."""

import hashlib
import json
import logging
import os
import threading
from collections.abc import Mapping
from typing import Any

from hermes import paths
from hermes.config.areas.execution import McpServer

log = logging.getLogger(__name__)

_LOCK = threading.Lock()  # servers are asked all at once
Tools = list[dict[str, Any]]


def remembered(servers: Mapping[str, McpServer]) -> dict[str, Tools]:
    """By server, as far as its settings are still those it was asked with."""
    try:
        kept = json.loads(paths.mcp_tools_file().read_text(encoding="utf-8"))
        return {
            name: [dict(tool) for tool in kept[name]["tools"]]
            for name, server in servers.items()
            if name in kept and kept[name]["settings"] == _fingerprint(server)
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("what was known of MCP servers cannot be read: %s", error)
        return {}


def remember(servers: Mapping[str, McpServer], tools: Mapping[str, Tools]) -> None:
    """Add what these servers said; the others stay as they are, unless they are gone from the settings."""
    with _LOCK:
        _write(servers, remembered(servers) | dict(tools))


def _write(servers: Mapping[str, McpServer], kept: Mapping[str, Tools]) -> None:
    content = {
        name: {"settings": _fingerprint(servers[name]), "tools": found}
        for name, found in kept.items()
        if name in servers
    }
    file = paths.mcp_tools_file()
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        paths.make_private_folder(file.parent)
        paths.create_private_file(beside)
        beside.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        log.warning("what is known of MCP servers cannot be kept: %s", error)


def _fingerprint(server: McpServer) -> str:
    """Of everything that decides what is offered; not the settings themselves, in which secrets may be."""
    what = [server.command, list(server.args), sorted(server.env.items()), server.url, sorted(server.headers.items())]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()
