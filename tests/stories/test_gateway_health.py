"""Whether the gateway works can be asked, whatever it serves."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from hermes.gateway.health import OPEN_ROUTES, Health
from tests.servers.platform import configured
from tests.servers.scripted import Say, Scripted
from tests.servers.telegram import TOKEN, FakeTelegram
from tests.unit.cli.program import spawn


@pytest.fixture
def telegram_alone(hermes_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTelegram]:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
    with FakeTelegram() as fake, Scripted(otherwise=Say("Yes.")) as model:
        configured(hermes_home, model, platforms={"telegram": {"base_url": fake.url, "poll_seconds": 1}})
        yield fake


def raw(address: tuple[str, int], request: bytes) -> bytes:
    with socket.create_connection(address, timeout=20) as line:
        line.sendall(request)
        return b"".join(iter(lambda: line.recv(1000), b""))


def test_it_is_answered_where_only_telegram_is_served(telegram_alone: FakeTelegram) -> None:
    started = spawn("gateway", "start", "--json")
    try:
        assert started.code == 0, started.err
        told = json.loads(started.out)
        assert told["ports"] == {"telegram": None}
        assert httpx2.get(told["health"]).json() == {"status": "ok"}
        status = spawn("gateway", "status")
        assert status.code == 0 and f"Health: ok ({told['health']})" in status.out.replace("  ", " ")
        assert json.loads(spawn("gateway", "status", "--json").out)["health"] == "ok"
    finally:
        spawn("gateway", "stop")
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(told["health"])


@pytest.fixture
def health() -> Iterator[tuple[list[str], str]]:
    state = ["ok"]
    server = Health(lambda: state[0], "127.0.0.1", 0)
    server.start()
    try:
        yield state, f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()


def test_it_is_the_one_route_there_is(health: tuple[list[str], str]) -> None:
    _, url = health
    paths = ["/", "/health", "/health/", "/healthz", "/openapi.json", "/v1/models", "/api/sessions"]
    assert tuple(path for path in paths if httpx2.get(url + path).status_code == 200) == OPEN_ROUTES
    assert httpx2.head(url + "/health").status_code == 200 and httpx2.post(url + "/health").status_code == 405
    assert httpx2.get(url + "/health", headers={"Host": "evil.example"}).status_code == 421
    assert httpx2.get(url + "/health", headers={"Host": "localhost:80"}).status_code == 200


def test_it_says_when_the_gateway_stops(health: tuple[list[str], str]) -> None:
    state, url = health
    state[0] = "stopping"
    answer = httpx2.get(url + "/health")
    assert (answer.status_code, answer.json()) == (503, {"status": "stopping"})


def test_whoever_asks_badly_or_slowly_keeps_nobody_waiting(health: tuple[list[str], str]) -> None:
    _, url = health
    address = ("127.0.0.1", urlsplit(url).port or 0)
    idle = [socket.create_connection(address) for _ in range(50)]
    assert raw(address, b"x" * 20_000 + b"\r\n\r\n") == b""
    assert raw(address, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(address, b"GET /health HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 421")
    assert httpx2.get(url + "/health").status_code == 200
    for line in idle:
        line.close()


def test_a_port_that_is_taken_is_said_in_one_line(telegram_alone: FakeTelegram, hermes_home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file = hermes_home / "config.yaml"
        file.write_text(file.read_text().replace("allow_all_users: true", f"health_port: {port}"))
        done = spawn("gateway", "start")
    assert done.code == 2 and done.err.count("\n") == 1
    assert f"127.0.0.1:{port} cannot be listened on for /health" in done.err
