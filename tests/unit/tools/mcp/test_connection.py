"""A connection to a real MCP server, over stdio and over HTTP: it answers, dies, hangs, floods, and comes back."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.config.areas.execution import McpServer
from hermes.errors import ToolError
from hermes.tools.mcp.connection import Connection
from tests.unit.tools.mcp.conftest import free_port, stdio


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Connection]:
    connection = Connection("shop", stdio(timeout=60), tmp_path)
    yield connection
    connection.close()


def said(answer: dict[str, Any]) -> str:
    return str(answer["content"][0]["text"])


def is_gone(pid: int) -> bool:
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_server_over_stdio_lists_its_tools_and_answers(shop: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    tools = {tool["name"]: tool for tool in shop.tools()}
    assert tools["price"]["description"] == "What something costs."
    assert tools["price"]["schema"]["required"] == ["item"]
    assert said(shop.call("price", {"item": "tea", "count": 2})) == "2 × tea: 6 €"
    assert shop.call("refuse", {})["isError"]
    assert "SECRET_OF_OURS" not in str(shop.call("environment", {}))
    pid = int(said(shop.call("pid", {})))
    shop.close()
    assert is_gone(pid)


def test_a_server_that_dies_in_a_call_is_told_and_started_anew(shop: Connection) -> None:
    with pytest.raises(ToolError, match="'shop' went away during the call; the next starts it anew"):
        shop.call("die", {})
    pid = int(said(shop.call("pid", {})))
    os.kill(pid, signal.SIGKILL)
    assert is_gone(pid)
    time.sleep(0.2)
    assert int(said(shop.call("pid", {}))) != pid


def test_a_server_that_hangs_is_left_alone_in_time(tmp_path: Path) -> None:
    shop = Connection("shop", stdio(timeout=4), tmp_path)
    try:
        pid = int(said(shop.call("pid", {})))
        began = time.monotonic()
        with pytest.raises(ToolError, match="'shop' did not answer within 4 s"):
            shop.call("hang", {"seconds": 90})
        assert time.monotonic() - began < 30
        assert int(said(shop.call("pid", {}))) != pid
        assert is_gone(pid)
    finally:
        shop.close()


def test_a_call_ends_when_the_person_interrupts(shop: Connection) -> None:
    shop.tools()
    began = time.monotonic()
    with pytest.raises(ToolError, match="was interrupted"):
        shop.call("hang", {"seconds": 90}, lambda: time.monotonic() - began > 0.3)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (McpServer(command="no-such-program"), "there is no program 'no-such-program'"),
        (McpServer(command="sh", args=["-c", "echo no licence >&2"]), "Connection closed It said: no licence"),
        (McpServer(command="cat", connect_timeout=1), "did not start within 1 s|cannot be used"),
        (McpServer(command="sleep", args=["60"], connect_timeout=1), "did not start within 1 s"),
        (McpServer(url="http://127.0.0.1:9/mcp"), "cannot be used: All connection attempts failed"),
    ],
)
def test_what_is_no_server_is_one_line(server: McpServer, told: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=told):
        Connection("x", server, tmp_path).tools()


def test_a_server_over_http_answers_and_is_found_again_after_a_restart(
    tmp_path: Path, open_shop: Callable[[int], subprocess.Popen[bytes]]
) -> None:
    port = free_port()
    program = open_shop(port)
    shop = Connection("shop", McpServer(url=f"http://127.0.0.1:{port}/mcp", timeout=30), tmp_path)
    try:
        assert said(shop.call("price", {"item": "tea"})) == "1 × tea: 3 €"
        program.kill()
        program.wait(60)
        with pytest.raises(ToolError, match="MCP server 'shop'"):
            shop.call("price", {"item": "tea"})
        open_shop(port)
        assert said(shop.call("price", {"item": "cups"})) == "1 × cups: 3 €"
    finally:
        shop.close()
