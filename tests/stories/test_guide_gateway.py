"""The pages on the gateway: whatever is typed and said there happens, and every setting exists."""

import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import pytest
import yaml

from hermes.commands import gateway
from tests.servers.platform import configured, until
from tests.servers.scripted import Say, Scripted
from tests.servers.synapse import Synapse
from tests.servers.telegram import TOKEN, FakeTelegram
from tests.stories.test_guide_sessions import GUIDES
from tests.unit.cli.program import PROGRAM

OVERVIEW = GUIDES / "gateway.md"
PAGES = (OVERVIEW, *sorted((GUIDES / "gateway").glob("*.md")))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<=pair )[A-Z2-9]{8}")
DIFFERS = re.compile(
    r"process \d+|port \d+|(?<=[Jj]ob )[0-9a-f]{6}|\d{4}-\d\d-\d\d|(?<=pair )[A-Z2-9]{8}|@alice\d*:[\w.]+"
)


class Person(NamedTuple):
    """Who writes on a page, and what they were told."""

    says: Callable[[str], object]
    heard: Callable[[], list[str]]


class Reader:
    """Does what a page says, from top to bottom."""

    def __init__(self, ports: dict[str, str], person: Person | None = None) -> None:
        self._ports, self._person = ports, person
        self._code = ""
        self._read = 0  # how much the person was told so far

    def reads(self, page: Path) -> int:
        """How many things were typed and said."""
        done = 0
        for kind, text in BLOCK.findall(page.read_text()):
            if kind == "console":
                for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                    command, *lines = piece.splitlines()
                    self._types(command, lines)
                    done += 1
            elif kind == "chat":
                for line in text.splitlines():
                    self._chats(*line.split(": ", 1))
                    done += 1
        return done

    def _types(self, command: str, prints: list[str]) -> None:
        if "sessions list" in command:  # a turn is in its session soon after it is taken in
            until(lambda: _begins_alike(self._run(command), prints))
        else:
            assert plain(self._run(command)) == plain(prints), command

    def _run(self, command: str) -> list[str]:
        for written, port in self._ports.items():
            command = command.replace(written, port)
        command = CODE.sub(self._code or "ABCD2345", command)
        typed = re.sub(r"^hermes ", lambda _: f"{' '.join(map(quote, PROGRAM))} ", command)
        done = subprocess.run(
            ["sh", "-c", typed],
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            env={**os.environ},
        )
        return (done.stdout + done.stderr).splitlines()

    def _chats(self, who: str, text: str) -> None:
        assert self._person is not None
        if who == "you":
            self._person.says(text)
            return
        heard = self._person.heard
        until(lambda: len(heard()) > self._read)
        told = heard()[self._read]
        self._read += 1
        self._code = (CODE.findall(told) or [self._code])[0]
        assert plain([" ".join(told.split())]) == plain([text])


def plain(lines: list[str]) -> list[str]:
    """Without what differs: processes, ports, ids, dates, codes, accounts."""
    return [re.sub(r"\s+", " ", DIFFERS.sub("#", line)).strip() for line in lines]


def _begins_alike(shown: list[str], page: list[str]) -> bool:
    """A table with the same columns, and a row that begins as the one on the page."""
    cells = re.split(r"\s{2,}", page[2])
    return (
        len(shown) > 2
        and shown[0].split() == page[0].split()
        and all(cell.rstrip("…").strip() in shown[2] for cell in cells[:2])
    )


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    with Scripted(otherwise=Say("Eight.")) as server:
        yield server
    if gateway.running() is not None:  # a page that went wrong leaves one
        gateway.stop()


def set_up(home: Path, model: Scripted, **platforms: Any) -> None:
    toolsets: dict[str, list[str]] = {name: [] for name in ("cron", "api-server", "webhook", "telegram", "matrix")}
    given = {name.replace("_", "-"): value for name, value in platforms.items()}
    configured(home, model, platforms=given, platform_toolsets=toolsets, gateway={"pairing": True})


def free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


def test_the_overview_is_true(hermes_home: Path, model: Scripted) -> None:
    set_up(hermes_home, model, api_server={"port": 0})
    assert Reader({}).reads(OVERVIEW) == 6


def test_the_page_on_the_api_server_is_true(hermes_home: Path, model: Scripted) -> None:
    port = free_port()
    set_up(hermes_home, model, api_server={"port": int(port)})
    assert Reader({"8642": port}).reads(GUIDES / "gateway" / "api-server.md") == 5


def test_the_page_on_webhooks_is_true(hermes_home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    port, secret = free_port(), "a secret of ours"
    monkeypatch.setenv("CI_SECRET", secret)
    routes = {"ci": {"secret": "${CI_SECRET}", "prompt": "Look at this build."}}
    set_up(hermes_home, model, webhook={"port": int(port), "routes": routes})
    assert Reader({"8644": port}).reads(GUIDES / "gateway" / "webhook.md") == 6


def test_the_page_on_telegram_is_true(hermes_home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
    with FakeTelegram() as telegram:
        set_up(hermes_home, model, telegram={"base_url": telegram.url, "poll_seconds": 1})
        person = Person(lambda text: telegram.says(7, text), lambda: telegram.heard(7))
        assert Reader({}, person).reads(GUIDES / "gateway" / "telegram.md") == 10


def test_the_page_on_matrix_is_true(
    hermes_home: Path, model: Scripted, synapse: Synapse, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, alice = synapse.person("Hermes"), synapse.person("Alice")
    monkeypatch.setenv("MATRIX_HOMESERVER", synapse.url)
    monkeypatch.setenv("MATRIX_ACCESS_TOKEN", agent.token)
    set_up(hermes_home, model, matrix={})
    room = alice.room(agent, direct=True)
    person = Person(lambda text: alice.says(room, text), lambda: alice.heard(room))
    assert Reader({}, person).reads(GUIDES / "gateway" / "matrix.md") == 10
    agent.close()
    alice.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_setting_and_every_link_of_a_page_exists(page: Path, hermes_home: Path) -> None:
    from hermes.config import load

    hermes_home.mkdir(parents=True)
    (hermes_home / ".env").write_text("ALICE_KEY=a\nBOB_KEY=b\nCI_SECRET=c\n")
    blocks = [text for kind, text in BLOCK.findall(page.read_text()) if kind == "yaml"]
    for block in blocks:
        (hermes_home / "config.yaml").write_text(block)
        assert yaml.safe_load(block) and load().warnings == []
    links = re.findall(r"\]\(([^)#]+\.md)", page.read_text())
    assert blocks and all((page.parent / link).is_file() for link in links)
