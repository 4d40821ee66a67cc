"""The MCP reference server of npm, which somebody else wrote in another language: over stdio and over HTTP."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.tools.mcp.conftest import free_port, is_open
from tests.unit.tools.working import work_in

from hermes.config.areas.execution import McpServer
from hermes.tools.mcp.connection import Connection
from hermes.tools.mcp.results import as_result

pytestmark = pytest.mark.peers


def program() -> list[str]:
    folder = Path(os.environ["HERMES_PEERS"]) / "node_modules" / "@modelcontextprotocol" / "server-everything"
    node = shutil.which("node")
    assert node and folder.is_dir(), "scripts/test-peers installs it"
    return [node, str(folder / "dist" / "index.js")]


@pytest.fixture
def serve() -> Iterator[Callable[[int], subprocess.Popen[bytes]]]:
    """Starts the server over HTTP, which keeps sessions."""
    started: list[subprocess.Popen[bytes]] = []

    def at(port: int) -> subprocess.Popen[bytes]:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(subprocess.Popen([*program(), "streamableHttp"], env={**os.environ, "PORT": str(port)}, **quiet))
        ends = time.monotonic() + 60
        while not is_open(port):
            assert time.monotonic() < ends
            time.sleep(0.05)
        return started[-1]

    yield at
    for one in started:
        one.kill()
        one.wait(60)


def use(connection: Connection, folder: Path) -> None:
    """What its tools answer, in every kind of content."""

    def answer(name: str, **arguments: Any) -> str:
        return str(as_result(connection.call(name, arguments), work_in(folder)).content)

    tools = {tool["name"]: tool["schema"] for tool in connection.tools()}
    assert tools["get-sum"]["required"] == ["a", "b"]
    assert answer("echo", message="schön 🦊") == "Echo: schön 🦊"
    assert answer("get-sum", a=2, b=3) == "The sum of 2 and 3 is 5."
    assert "vision_analyze looks at it" in answer("get-tiny-image")
    assert "Resource 1" in answer("get-resource-reference", resourceType="Text", resourceId=1)
    assert "humidity" in answer("get-structured-content", location="New York")
    assert not as_result(connection.call("get-sum", {"a": "x"}), work_in(folder)).ok


def test_over_stdio(tmp_path: Path) -> None:
    command, *arguments = program()
    connection = Connection("everything", McpServer(command=command, args=[*arguments, "stdio"]), tmp_path)
    try:
        use(connection, tmp_path)
    finally:
        connection.close()


def test_over_http_and_after_a_restart_that_forgot_the_session(
    tmp_path: Path, serve: Callable[[int], subprocess.Popen[bytes]]
) -> None:
    port = free_port()
    first = serve(port)
    connection = Connection("everything", McpServer(url=f"http://127.0.0.1:{port}/mcp", timeout=30), tmp_path)
    try:
        use(connection, tmp_path)
        first.kill()
        first.wait(60)
        serve(port)
        use(connection, tmp_path)
    finally:
        connection.close()
