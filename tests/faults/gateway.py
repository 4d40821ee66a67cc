"""Rows 27, 34 and 36–38: damaged transcripts, other people's conversations, and everybody who may not come in."""

import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from hermes.config import load
from hermes.errors import ConfigError
from hermes.gateway import health
from hermes.gateway.adapters.api_server import OPEN_ROUTES, ApiServer
from hermes.gateway.adapters.telegram import Telegram
from hermes.gateway.adapters.webhook import Webhook
from hermes.gateway.transcripts import Transcripts, read
from hermes.store import SessionDB
from tests.faults.rows import Outcome, Run, row
from tests.servers.platform import Paper, configured, running, until
from tests.servers.scripted import Say, Scripted, Sent

KEYS = {"alice": "alice-key-0123456789", "bob": "bob-key-0123456789"}
_LONGEST_P99 = 2.0  # seconds, while others flood


@contextmanager
def home(folder: Path) -> Any:
    before = os.environ.get("HERMES_HOME")
    os.environ["HERMES_HOME"] = str(folder)
    try:
        yield folder
    finally:
        if before is None:
            del os.environ["HERMES_HOME"]
        else:
            os.environ["HERMES_HOME"] = before


# -- 27


@row(27)
def damaged_transcripts(run: Run) -> Outcome:
    times, wrong, torn = run.size(300, 30), 0, 0
    with home(run.fresh()) as folder, SessionDB() as db:
        db.create_session("s", "telegram", user_id="7")
        db.set_route(
            "k", {"owner": "telegram:7", "session_id": "s", "platform": "telegram", "chat_type": "dm", "active_at": 1.0}
        )
        for number in range(50):
            db.append_message("s", "user", f"message {number} ✨\n" * run.rng.randint(1, 40))
        for _ in range(times):
            file = folder / "sessions" / "s.jsonl"
            _derived(db, folder)
            whole = file.read_bytes()
            damaged, spoilt = _spoilt(whole, run)
            file.write_bytes(damaged)
            good, problems = read(file)
            torn += len(problems)
            wrong += len(good) < 50 - spoilt or not problems or file.read_bytes() != damaged
            _derived(db, folder)
            wrong += file.read_bytes() != whole
    return Outcome(
        f"{times} transcripts torn, overwritten in the middle, or written to by another program",
        f"good lines lost, damage unreported, files cut by a reader, or not made anew: {wrong} ({torn} lines reported)",
        wrong == 0,
    )


def _derived(db: SessionDB, folder: Path) -> None:
    files = Transcripts(db, folder / "sessions")
    files.start()
    files.stop()


def _spoilt(whole: bytes, run: Run) -> tuple[bytes, int]:
    """The file after an accident, and how many of its lines that may have cost."""
    lines = whole.splitlines(keepends=True)
    kind = run.rng.randrange(3)
    if kind == 0:  # torn
        return whole[: -run.rng.randint(2, len(lines[-1]) - 1)], 1
    place = run.rng.randrange(len(lines))
    if kind == 1:  # a line overwritten
        return b"".join([*lines[:place], b"\xff" * (len(lines[place]) - 1) + b"\n", *lines[place + 1 :]]), 1
    return b"".join([*lines[:place], b'{"half of a li', *lines[place:]]), 1  # two writers at once


# -- 34


def _echo(sent: Sent) -> Say:
    return Say(f"I heard {str(sent.messages[-1]['content'])[:60]}")


@row(34)
def other_people(run: Run) -> Outcome:
    """Everybody says something secret, and tries every command that could show somebody else's."""
    people, rounds = [f"user{number}" for number in range(6)], run.size(12, 2)
    commands = [
        "/sessions", "/search secret", "/recall what is the secret of {other}?", "/resume {session}", "/history",
        "/resume Secret of {other}", "/insights", "/status", "/usage", "/branch", "/rewind", "/title Secret of {own}",
        "/new",
    ]  # fmt: skip
    texts = leaks = prompts = 0
    with home(run.fresh()) as folder, Scripted(otherwise=_echo) as model, SessionDB() as db:
        configured(
            folder,
            model,
            gateway={"allow_all_users": True, "messages_per_minute": 0},
            platform_toolsets={"paper": ["memory"]},
        )
        paper = Paper()
        with running(db, paper):
            for _ in range(rounds):
                for own in people:
                    _say(paper, own, f"the secret of {own} is ¶{own}¶")
                for own in people:
                    for command in run.rng.sample(commands, 5):
                        other = run.rng.choice([one for one in people if one != own])
                        theirs = [row["session_id"] for row in db.list_routes() if row["owner"] == f"paper:{other}"]
                        _say(paper, own, command.format(other=other, own=own, session=run.rng.choice(theirs)))
            for own in people:
                heard = paper.heard(own)
                texts += len(heard)
                leaks += sum(f"¶{other}¶" in text for text in heard for other in people if other != own)
        for sent in model.sent:
            said = json.dumps(sent.messages, ensure_ascii=False)
            prompts += sum(f"¶{other}¶" in said for other in people) > 1
    return Outcome(
        f"{len(people)} people, {len(commands)} commands about each other's sessions, {texts} answers, "
        f"{len(model.sent)} prompts",
        f"foreign rows in answers {leaks}, in prompts {prompts}",
        leaks == prompts == 0 and texts > 0,
    )


def _say(paper: Paper, who: str, text: str) -> None:
    before = len(paper.heard(who))
    paper.says(who, text)
    until(lambda: len(paper.heard(who)) > before, 60)


# -- 36


def _api(folder: Path, model: Scripted) -> ApiServer:
    configured(
        folder,
        model,
        gateway={"messages_per_minute": 0},
        platforms={"api-server": {"port": 0, "keys": KEYS}},
        platform_toolsets={"api-server": []},
    )
    return ApiServer(load())


@row(36)
def without_a_token(run: Run) -> Outcome:
    opened: set[str] = set()
    refused = tries = 0
    with home(run.fresh()) as folder, Scripted(otherwise=_echo) as model, SessionDB() as db:
        api = _api(folder, model)
        with running(db, api):
            url = f"http://127.0.0.1:{api.port}"
            paths = [
                *httpx2.get(f"{url}/openapi.json").json()["paths"],
                "/",
                "/docs",
                "/v1/../api/sessions",
                "//api/sessions",
                "/API/sessions",
            ]
            for path in paths:
                for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
                    for key in ({}, {"Authorization": "Bearer nope"}, {"Cookie": f"key={KEYS['alice']}"}):
                        tries += 1
                        answer = httpx2.request(method, url + path.replace("{id}", "x"), headers=key)
                        if answer.status_code < 400:
                            opened.add(path)
                        refused += any(secret in answer.text for secret in KEYS.values())
            good = {"Authorization": f"Bearer {KEYS['alice']}"}
            strangers = [
                {"Host": "evil.example"},
                {"Host": f"evil.example:{api.port}"},
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
            ]
            let_in = sum(httpx2.get(f"{url}/api/sessions", headers=good | one).status_code == 200 for one in strangers)
            upgraded = _websocket(api.port)
            beside = _of_health(paths)
    return Outcome(
        f"{tries} requests without a key to {len(paths)} paths, {len(strangers)} wrong hosts and origins, a WebSocket; "
        "the same paths on the port of /health",
        f"open routes: {', '.join(sorted(opened)) or 'none'} and {', '.join(sorted(beside)) or 'none'}; "
        f"strangers let in {let_in + upgraded}; keys shown {refused}",
        opened == set(OPEN_ROUTES) and beside == set(health.OPEN_ROUTES) and not (let_in or upgraded or refused),
    )


def _of_health(paths: list[str]) -> set[str]:
    """What is open where only `/health` should be."""
    server = health.Health(lambda: "ok", "127.0.0.1", 0)
    server.start()
    try:
        url = f"http://127.0.0.1:{server.port}"
        strangers = [httpx2.get(f"{url}/health", headers={"Host": "evil.example"})]
        return {path for path in paths if httpx2.get(url + path).status_code < 400} | {
            f"{answer.request.url} for strangers" for answer in strangers if answer.status_code < 400
        }
    finally:
        server.stop()


def _websocket(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            b"GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Origin: https://evil.example\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Version: 13\r\n\r\n"
        )
        return b"101" in line.recv(100).split(b"\r\n")[0]


# -- 37


@row(37)
def without_a_secret(run: Run) -> Outcome:
    telegram = {"TELEGRAM_BOT_TOKEN": "1:x", "TELEGRAM_WEBHOOK_URL": "https://x.example/hook"}
    ways: list[tuple[Any, dict[str, Any], dict[str, str]]] = [
        *((ApiServer, {"api-server": {"port": 0, "host": host}}, {}) for host in ("0.0.0.0", "::", "192.0.2.1")),
        (ApiServer, {"api-server": {"port": 0, "host": "0.0.0.0", "keys": {"a": ""}}}, {}),
        (ApiServer, {"api-server": {"port": 0, "host": "0.0.0.0", "keys": {"a": "short"}}}, {}),
        *((Webhook, {"webhook": {"port": 0, "routes": {"a": {"secret": secret}}}}, {}) for secret in ("", "x", None)),
        *((Webhook, {"webhook": {"port": 0, "routes": routes}}, {}) for routes in ({}, {"a": {}})),
        (Webhook, {"webhook": {"port": 0, "routes": {"good": {"secret": "long enough"}, "bad": {}}}}, {}),
        (Telegram, {}, telegram),
        (Telegram, {}, telegram | {"TELEGRAM_WEBHOOK_SECRET": "x"}),
    ]  # fmt: skip
    started = [_starts(run, *way) for way in ways]
    return Outcome(f"{len(ways)} ways to start without a secret", f"fail-open {sum(started)}", not any(started))


def _starts(run: Run, kind: Any, platforms: dict[str, Any], variables: dict[str, str]) -> bool:
    with home(run.fresh()) as folder, SessionDB() as db:
        configured(folder, None, platforms=platforms)
        (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
        try:
            with running(db, kind(load())):
                return True
        except ConfigError:
            return False


# -- 38


@row(38)
def floods(run: Run) -> Outcome:
    seconds, slow_clients = run.size(30, 4), run.size(200, 40)
    with home(run.fresh()) as folder, Scripted(otherwise=_echo) as model, SessionDB() as db:
        api = _api(folder, model)
        with running(db, api):
            quiet = _times(api.port, seconds / 2)
            over = threading.Event()
            crowd = [
                *(threading.Thread(target=_slow, args=(api.port, over), daemon=True) for _ in range(slow_clients)),
                *(threading.Thread(target=_huge, args=(api.port, over), daemon=True) for _ in range(4)),
                *(threading.Thread(target=_flood, args=(api.port, over), daemon=True) for _ in range(4)),
            ]
            for one in crowd:
                one.start()
            busy = _times(api.port, seconds)
            over.set()
            for one in crowd:
                one.join(30)
    return Outcome(
        f"{slow_clients} slow clients, bodies of 100 MB, headers of 1 MB and a flood without a key, for {seconds} s",
        f"others' p99 {_p99(busy) * 1000:.0f} ms (quiet: {_p99(quiet) * 1000:.0f} ms), "
        f"failed {sum(one < 0 for one in busy)} of {len(busy)}",
        _p99(busy) < _LONGEST_P99 and all(one >= 0 for one in busy),
    )


def _p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def _times(port: int, seconds: float) -> list[float]:
    """How long somebody with a key waits; -1: in vain."""
    times, ends = [], time.monotonic() + seconds
    with httpx2.Client(headers={"Authorization": f"Bearer {KEYS['alice']}"}, timeout=20) as client:
        while time.monotonic() < ends:
            began = time.monotonic()
            good = client.get(f"http://127.0.0.1:{port}/api/sessions").status_code == 200
            times.append(time.monotonic() - began if good else -1.0)
            time.sleep(0.01)
    return times


def _slow(port: int, over: threading.Event) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        while not over.wait(0.2):
            try:
                line.sendall(b"x")
            except OSError:
                return


def _huge(port: int, over: threading.Event) -> None:
    header = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: "
    while not over.wait(0.05):
        for begin in (
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n",
            header,
        ):
            with socket.create_connection(("127.0.0.1", port)) as line:
                try:
                    for _ in range(16):
                        line.sendall((begin if _ == 0 else b"") + b"x" * 65536)
                except OSError:
                    continue


def _flood(port: int, over: threading.Event) -> None:
    while not over.is_set():
        try:
            httpx2.get(f"http://127.0.0.1:{port}/api/sessions", timeout=10)
        except httpx2.HTTPError:
            continue
