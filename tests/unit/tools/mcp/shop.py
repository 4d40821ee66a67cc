"""A real MCP server, made with the SDK: `python shop.py` speaks stdio, `python shop.py PORT` streamable HTTP.

Besides what a shop does it can die, hang, flood and fail, when it is asked to.
"""

import os
import sys
import time

from mcp.server import MCPServer
from mcp_types import ImageContent, TextContent, ToolAnnotations

server = MCPServer("shop")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def price(item: str, count: int = 1) -> str:
    """What something costs."""
    return f"{count} × {item}: {count * 3} €"


@server.tool()
def stock() -> dict[str, int]:
    """What is there."""
    return {"tea": 4, "cups": 2}


@server.tool()
def photo() -> list[TextContent | ImageContent]:
    """A picture of the shop."""
    return [
        TextContent(text="the front", type="text"),
        ImageContent(data="iVBORw0KGgo=", mime_type="image/png", type="image"),
    ]


@server.tool()
def refuse() -> str:
    """Fails."""
    raise ValueError("we are closed")


@server.tool()
def pid() -> int:
    """The process."""
    return os.getpid()


@server.tool()
def environment() -> list[str]:
    """Names of variables."""
    return sorted(os.environ)


@server.tool()
def die() -> str:
    """Ends the server."""
    os._exit(3)


@server.tool()
def hang(seconds: float = 60) -> str:
    """Takes its time."""
    time.sleep(seconds)
    return "done"


@server.tool()
def flood(size: int) -> str:
    """Says much."""
    return "x" * size


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
