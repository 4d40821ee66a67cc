"""Real MCP servers: the shop, over stdio and over HTTP."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.config.areas.execution import McpServer

SHOP = Path(__file__).with_name("shop.py")


def stdio(**more: Any) -> McpServer:
    return McpServer(command=sys.executable, args=[str(SHOP)], **more)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def open_shop() -> Iterator[Callable[[int], subprocess.Popen[bytes]]]:
    """Starts the shop over HTTP at a port, and waits until it is open."""
    started: list[subprocess.Popen[bytes]] = []

    def open_at(port: int) -> subprocess.Popen[bytes]:
        program = subprocess.Popen([sys.executable, str(SHOP), str(port)], stderr=subprocess.DEVNULL)
        started.append(program)
        ends = time.monotonic() + 60
        while time.monotonic() < ends and program.poll() is None:
            if is_open(port):
                return program
            time.sleep(0.05)
        raise AssertionError("the shop did not open")

    yield open_at
    for program in started:
        program.kill()
        program.wait(60)
