"""A platform that a plugin brings: served by the gateway, held to the contract, and at arm's length."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.config import load
from hermes.errors import BadInput, ConfigError
from hermes.gateway.base import Adapter, Incoming, Undelivered
from hermes.gateway.contract import AdapterContract
from hermes.gateway.keys import Place
from hermes.gateway.plugged import Plugged
from hermes.gateway.service import adapters
from hermes.plugins.manager import plugins_of
from hermes.plugins.trying import tried
from hermes.store import SessionDB
from tests.servers.platform import Paper, configured, running, until
from tests.servers.scripted import Say, Scripted
from tests.unit.cli.program import Hermes, spawn
from tests.unit.plugins.making import plugin

# Letters: a file in `in/` named EVENT-USER is a message, a file in `out/` an answer.
LETTERS = """
import threading
from pathlib import Path

from hermes.gateway.base import Adapter, Incoming
from hermes.gateway.keys import Place


class Letters(Adapter):
    name = "letters"
    longest = 300

    def __init__(self, settings):
        self.box = Path(settings["box"])
        for name in ("in", "out"):
            (self.box / name).mkdir(parents=True, exist_ok=True)
        self.over, self.lock, self.sent = threading.Event(), threading.Lock(), len(list(self.box.glob("out/*")))

    def connect(self, receive):
        self.thread = threading.Thread(target=self.look, args=(receive,), daemon=True)
        self.thread.start()

    def look(self, receive):
        while not self.over.wait(0.01):
            for file in sorted(self.box.glob("in/*-*")):
                event, user = file.name.split("-")
                receive(Incoming(Place(self.name, "dm", user, user=user), event, file.read_text(), sender=user))
                file.unlink()

    def disconnect(self):
        self.over.set()
        self.thread.join(10)

    def send(self, place, text, *, key):
        with self.lock:
            self.sent += 1
            target = self.box / "out" / f"{self.sent:06}-{place.chat}"
        target.with_suffix(".part").write_text(text)
        target.with_suffix(".part").rename(target)
        return target.name


def register(ctx):
    ctx.register_platform("letters", Letters)
"""


def put(box: Path, user: str, text: str, event: int) -> None:
    (box / "in" / f".{event}").write_text(text)
    (box / "in" / f".{event}").rename(box / "in" / f"{event}-{user}")


def got(box: Path, user: str) -> list[str]:
    return [file.read_text() for file in sorted((box / "out").glob(f"*-{user}"))]


def test_the_gateway_serves_what_a_plugin_brings(
    hermes: Hermes, hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a program: its section in the settings, its key in .env, who may write by a variable of its own."""
    box = tmp_path / "box"
    more = "kind: platform\nrequires_env: [LETTERS_KEY]\n"
    plugin(hermes_home / "plugins" / "platforms", "letterbox", LETTERS, more)
    (hermes_home / ".env").write_text("LETTERS_KEY=k\nLETTERS_ALLOWED_USERS=ann\n")
    with Scripted(otherwise=Say("Dear Ann.")) as model:
        configured(
            hermes_home,
            model,
            platforms={"letters": {"box": str(box)}},
            platform_toolsets={"letters": []},
            gateway={},
        )
        hermes("plugins", "enable", "letterbox")
        assert "letters" in json.loads(hermes("plugins", "show", "letterbox", "--json").out)["registers"]["platforms"]
        started = spawn("gateway", "start", "--json")
        try:
            assert json.loads(started.out)["platforms"] == ["letters"], started.err
            put(box, "ann", "How are you?", 1)
            until(lambda: got(box, "ann"), 60)
            put(box, "eve", "Let me in!", 2)
            until(lambda: got(box, "eve"), 60)
        finally:
            assert spawn("gateway", "stop").code == 0
    assert got(box, "ann") == ["Dear Ann."]
    assert "hermes gateway pair" in got(box, "eve")[0]
    with SessionDB() as db:
        [session] = db.search_sessions()
        assert (session["source"], session["owner"]) == ("letters", "letters:ann")
    assert hermes("tools", "list", "--platform", "letters").code == 0


class TestLetters(AdapterContract):
    """The suite, as the author of this plugin runs it, over what the gateway makes of the adapter."""

    @pytest.fixture(autouse=True)
    def _box(self, tmp_path: Path) -> None:
        self._plugin = tried(plugin(tmp_path / "src", "letterbox", LETTERS, "kind: platform\n"))
        self._place = tmp_path / "box"

    def make(self) -> Adapter:
        return Plugged("letters", self._plugin.platforms["letters"]({"box": str(self._place)}), print)

    def says(self, user: str, text: str, event: int) -> None:
        put(self._place, user, text, event)

    def heard(self, user: str) -> list[str]:
        return got(self._place, user)


class TestPaper(AdapterContract):
    @pytest.fixture(autouse=True)
    def _papers(self) -> None:
        self._all: list[Paper] = []

    def make(self) -> Adapter:
        self._all.append(Paper())
        return self._all[-1]

    def says(self, user: str, text: str, event: int) -> None:
        self._all[-1].says(user, text, event=str(event))

    def heard(self, user: str) -> list[str]:
        return [text for one in self._all for text in one.heard(user)]


def test_an_adapter_that_loses_words_does_not_keep_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(Paper):
        def send(self, place: Place, text: str, *, key: str) -> str:
            return super().send(place, text.replace("word1 ", ""), key=key)

    class Suite(TestPaper):
        def make(self) -> Adapter:
            self._all = [Forgetful()]
            return self._all[-1]

    with pytest.raises(AssertionError):
        Suite().test_a_long_text_arrives_whole_and_in_order(tmp_path, monkeypatch)


# -- at arm's length


class Bad(Paper):
    """Fails at what it is told to fail at."""

    def __init__(self, *fails: str) -> None:
        super().__init__()
        self.fails = fails

    def __getattribute__(self, name: str) -> Any:
        if name != "fails" and name in self.fails:
            raise SystemExit(name)
        return super().__getattribute__(name)


@pytest.fixture
def warned() -> Iterator[list[str]]:
    yield []


def test_a_platform_that_cannot_be_connected_costs_nobody_else_a_message(hermes_home: Path, warned: list[str]) -> None:
    paper = Paper()
    with Scripted(otherwise=Say("Fine.")) as model, SessionDB() as db:
        configured(hermes_home, model)
        bad = Plugged("bad", Bad("connect", "disconnect", "close", "typing"), warned.append)
        with running(db, bad, paper):
            paper.says("7", "hello")
            until(lambda: paper.heard("7"), 60)
            bad.typing(Place("bad", "dm", "7"))
    assert paper.heard("7") == ["Fine."]
    [told] = warned
    assert told.startswith("The platform 'bad' is not served: it failed (SystemExit: connect; ")


def test_what_a_platform_raises_is_a_message_that_may_not_have_arrived() -> None:
    place = Place("bad", "dm", "7")
    with pytest.raises(Undelivered) as failed:
        Plugged("bad", Bad("send"), print).send(place, "hello", key="1")
    assert failed.value.unsure
    inner = Paper()
    inner.refuses.append(Undelivered("busy", seconds=3.0))
    with pytest.raises(Undelivered) as failed:
        Plugged("bad", inner, print).send(place, "hello", key="1")
    assert (failed.value.seconds, failed.value.unsure) == (3.0, False)
    assert Plugged("bad", inner, print).send(place, "hello", key="1") == "0"
    assert Plugged("bad", Bad("chat_info"), print).chat_info(place) == {"name": "7", "kind": "dm"}


def test_a_platform_speaks_for_no_other() -> None:
    inner = Paper()
    Plugged("bad", inner, print).connect(lambda incoming: True)
    with pytest.raises(BadInput, match="speaks for nobody else"):
        inner.says("7", "hello")
    inner.name = "bad"  # type: ignore[misc]
    assert inner.says("7", "hello")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def register(ctx): ctx.register_platform('fax', lambda settings: 1 / 0)\n", "failed (ZeroDivisionError"),
        ("def register(ctx): ctx.register_platform('fax', lambda settings: 7)\n", "gave no adapter"),
        ("def register(ctx): ctx.register_platform('telegram', print)\n", "which there is already"),
        ("1 / 0\n", "Plugin 'fax-box' is left out"),
    ],
)
def test_a_platform_that_cannot_be_made_is_told_and_left_out(
    hermes_home: Path, capsys: pytest.CaptureFixture[str], code: str, told: str
) -> None:
    plugin(hermes_home / "plugins" / "platforms", "fax-box", code, "kind: platform\n")
    configured(hermes_home, None, plugins={"enabled": ["fax-box"]})
    with pytest.raises(ConfigError, match="No platform is set up"):
        adapters(load())
    assert told in capsys.readouterr().err


def test_a_platform_is_switched_off_by_its_section(hermes_home: Path) -> None:
    plugin(hermes_home / "plugins" / "platforms", "letterbox", LETTERS, "kind: platform\n")
    configured(hermes_home, None, plugins={"enabled": ["letterbox"]}, platforms={"letters": {"enabled": False}})
    config = load()
    assert "letters" in plugins_of(config, Path.cwd()).platforms
    with pytest.raises(ConfigError):
        adapters(config)


def test_what_comes_in_is_kept_for_its_platform(hermes_home: Path) -> None:
    taken: list[Incoming] = []
    inner = Paper()
    inner.name = "bad"  # type: ignore[misc]
    Plugged("bad", inner, print).connect(lambda incoming: not taken.append(incoming))
    inner.says("7", "hello")
    assert [(one.place.platform, one.text) for one in taken] == [("bad", "hello")]
