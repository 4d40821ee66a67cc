"""What every adapter does, whatever its platform. One more platform is one more class here."""

import contextlib
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hermes.config import load
from hermes.gateway.adapters.matrix import Matrix
from hermes.gateway.adapters.telegram import Telegram
from hermes.gateway.adapters.webhook import Webhook
from hermes.gateway.base import Adapter, Undelivered
from hermes.store import SessionDB
from tests.servers.matrix import Line
from tests.servers.platform import Paper, configured, running, until
from tests.servers.scripted import Say, Scripted, Sent
from tests.servers.telegram import TOKEN, FakeTelegram

SECRET = "a secret of ours"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108020000009077")


class OnPaper:
    name = "paper"
    many = 1500  # words that no message of the platform holds

    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paper = Paper()

    def settings(self) -> dict[str, Any]:
        return {}

    def adapters(self) -> list[Adapter]:
        return [self.paper]

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        self.paper.says(str(user), text, event=str(event))

    def heard(self, user: int = 7) -> list[str]:
        return self.paper.heard(str(user))

    def chat(self) -> str:
        """What the platform calls the chat, as a key has it."""
        return "7"

    def is_busy_once(self) -> None:
        self.paper.refuses.append(Undelivered("busy", seconds=0.05))

    def close(self) -> None:
        pass


class OnTelegram(OnPaper):
    """By polling."""

    name = "telegram"

    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fake = FakeTelegram().__enter__()
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)

    def settings(self) -> dict[str, Any]:
        return {"platforms": {"telegram": {"base_url": self.fake.url, "poll_seconds": 1, "port": 0}}}

    def adapters(self) -> list[Adapter]:
        self.adapter = Telegram(load())
        return [self.adapter]

    def says(self, text: str, event: int, *, user: int = 7, **more: Any) -> None:
        self.fake.says(user, text, message_id=event, **more)

    def heard(self, user: int = 7) -> list[str]:
        return self.fake.heard(user)

    def shows(self, text: str, event: int) -> None:
        """A picture, with a text under it."""
        photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 10}]
        self.says("", event, caption=text, photo=photo)

    def says_in_a_group(self, text: str, event: int, *, named: bool = True, threaded: bool = False) -> None:
        where = {"chat": -100, **({"thread": 5} if threaded else {})}
        self.says(f"@hermes_bot {text}" if named else text, event, **where)

    def heard_in_the_group(self) -> list[str]:
        return self.fake.heard(-100)

    def group(self, *, threaded: bool = False) -> str:
        """The end of a key."""
        return "group:-100:5" if threaded else "group:-100:7"

    def was_edited(self) -> bool:
        return bool(self.fake.edits)

    def goes_away(self) -> None:
        self.fake.away = True
        until(lambda: self.fake.refused)

    def comes_back(self) -> None:
        self.fake.away = False

    def is_busy_once(self) -> None:
        self.fake.failures.append((429, "Too Many Requests: retry after 1", {"retry_after": 1}))

    def close(self) -> None:
        self.fake.__exit__()


class OnTelegramByWebhook(OnTelegram):
    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(request, monkeypatch)
        monkeypatch.setenv("TELEGRAM_WEBHOOK_URL", "http://127.0.0.1:1/hook")
        monkeypatch.setenv("TELEGRAM_WEBHOOK_SECRET", SECRET)

    def says(self, text: str, event: int, *, user: int = 7, **more: Any) -> None:
        self.fake.webhook["url"] = f"http://127.0.0.1:{self.adapter.port}/hook"
        super().says(text, event, user=user, **more)


class ByWebhook(OnPaper):
    """A program calls, and the answer is delivered on paper."""

    name = "webhook"

    def settings(self) -> dict[str, Any]:
        routes = {"7": {"secret": SECRET, "deliver": "paper:7"}}
        return {"platforms": {"webhook": {"port": 0, "routes": routes}}}

    def adapters(self) -> list[Adapter]:
        self.adapter = Webhook(load())
        return [self.paper, self.adapter]

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        body = text.encode()
        signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-Hub-Signature-256": signature, "X-Request-Id": str(event)}
        httpx2.post(f"http://127.0.0.1:{self.adapter.port}/webhooks/{user}", content=body, headers=headers, timeout=20)


class OnMatrix(OnPaper):
    """A real homeserver."""

    name = "matrix"
    many = 9000

    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        synapse = request.getfixturevalue("synapse")
        self.line = Line(synapse.url).__enter__()
        self.agent, self.user, self.other = (synapse.person(name) for name in ("Hermes", "Alice", "Bob"))
        self.room = self.shared = self.root = ""
        monkeypatch.setenv("MATRIX_HOMESERVER", self.line.url)
        monkeypatch.setenv("MATRIX_ACCESS_TOKEN", self.agent.token)

    def settings(self) -> dict[str, Any]:
        return {"platforms": {"matrix": {"poll_seconds": 1}}}

    def adapters(self) -> list[Adapter]:
        return [Matrix(load())]

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        self.room = self.room or self.user.room(self.agent, direct=True)
        self.user.says(self.room, text, name=str(event))

    def heard(self, user: int = 7) -> list[str]:
        return self.user.heard(self.room)

    def chat(self) -> str:
        return self.room.replace(":", "%3A")

    def shows(self, text: str, event: int) -> None:
        self.room = self.room or self.user.room(self.agent, direct=True)
        address = self.user.uploads(PNG, "image/png")
        info = {"mimetype": "image/png", "size": len(PNG)}
        self.user.says(self.room, text, msgtype="m.image", url=address, filename="a.png", info=info)

    def says_in_a_group(self, text: str, event: int, *, named: bool = True, threaded: bool = False) -> None:
        if not self.shared:
            self.shared = self.user.room(self.other, self.agent, name="Our room")
            self.other.joins(self.shared)
            until(lambda: self.user.members(self.shared)[self.agent.user] == "join")
            self.root = self.user.says(self.shared, "let us plan")
        self.user.says(self.shared, f"Hermes: {text}" if named else text, thread=self.root if threaded else "")

    def heard_in_the_group(self) -> list[str]:
        return self.user.heard(self.shared, of=self.agent)

    def group(self, *, threaded: bool = False) -> str:
        room, person = self.shared.replace(":", "%3A"), self.user.user.replace(":", "%3A")
        return f"group:{room}:{self.root if threaded else person}"

    def was_edited(self) -> bool:
        return any("m.new_content" in event["content"] for event in self.user.events(self.room))

    def goes_away(self) -> None:
        self.line.cut = True
        until(lambda: self.line.refused)

    def comes_back(self) -> None:
        self.line.cut = False

    def is_busy_once(self) -> None:
        busy = {"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests", "retry_after_ms": 300}
        self.line.answers.append((429, json.dumps(busy).encode()))

    def close(self) -> None:
        for person in (self.user, self.other, self.agent):
            person.close()
        self.line.__exit__()


KINDS = (OnPaper, OnTelegram, OnTelegramByWebhook, ByWebhook, OnMatrix)
TALKING = pytest.mark.parametrize("play", (OnTelegram, OnTelegramByWebhook, OnMatrix), indirect=True)  # with rooms


def echo(sent: Sent) -> Say:
    return Say(f"Answer to {str(sent.messages[-1]['content']).count('x')}")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def play(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    made = request.param(request, monkeypatch)
    yield made
    made.close()


@pytest.fixture
def on_stage(play: Any, hermes_home: Path) -> Iterator[Callable[..., Any]]:
    """Opens the gateway with this platform, and settings on top."""
    with Scripted(otherwise=echo) as model, SessionDB() as db:

        @contextlib.contextmanager
        def stage(**settings: Any) -> Iterator[tuple[SessionDB, Scripted]]:
            configured(hermes_home, model, platform_toolsets={play.name: []}, **play.settings(), **settings)
            with running(db, *play.adapters()):
                yield db, model

        yield stage


def test_a_text_is_received_and_answered(play: Any, on_stage: Any) -> None:
    with on_stage() as (db, _):
        play.says("x", 1)
        until(lambda: play.heard())
        assert play.heard() == ["Answer to 1"]
        [route] = db.list_routes()
        assert route["platform"] == play.name and route["key"].startswith(f"agent:main:{play.name}:dm:{play.chat()}")
        assert until(lambda: [row["state"] for row in db.arrivals()] == ["done"] and not db.posts("pending", "sending"))


def test_a_long_answer_arrives_whole_and_in_order(play: Any, on_stage: Any) -> None:
    words = " ".join(f"word{number}" for number in range(play.many))
    with on_stage() as (db, model):
        model.add(Say(words, pieces=[words]))
        play.says("x", 1)
        until(lambda: "".join(play.heard()).endswith(f"word{play.many - 1}"))
        assert " ".join(play.heard()).split() == words.split()
        assert len(play.heard()) > 1
        until(lambda: not db.posts("pending", "sending"))


def test_what_comes_twice_counts_once_and_a_restart_changes_nothing_about_it(play: Any, on_stage: Any) -> None:
    with on_stage():
        play.says("x", 1)
        play.says("x", 1)
        until(lambda: play.heard())
    with on_stage() as (db, model):
        play.says("x", 1)
        play.says("xx", 2)
        until(lambda: len(play.heard()) == 2)
        assert play.heard() == ["Answer to 1", "Answer to 2"] and len(model.sent) == 2
        assert len(db.search_sessions()) == 1


def test_a_platform_that_is_busy_is_asked_again(play: Any, on_stage: Any) -> None:
    with on_stage() as (db, _):
        play.is_busy_once()
        play.says("x", 1)
        until(lambda: db.posts("sent"))
        assert play.heard() == ["Answer to 1"] and db.posts("sent")[0]["tries"] == 2


def test_an_unknown_person_reaches_no_model(play: Any, on_stage: Any) -> None:
    """On a platform whose adapter does not know itself who may talk."""
    with on_stage(gateway={"allowed_users": []}) as (db, model):
        if play.name == Webhook.name:
            play.says("x", 1, user=8)
        else:
            play.says("x", 1)
            until(lambda: play.heard())
            assert "hermes gateway pair" in play.heard()[0]
        assert model.sent == [] and db.search_sessions() == []


@TALKING
def test_a_picture_comes_along(play: Any, on_stage: Any) -> None:
    with on_stage() as (_, model):
        play.shows("what is this?", 1)
        until(lambda: play.heard())
    text, picture = model.sent[0].messages[-1]["content"]
    assert text["text"] == "what is this?" and picture["image_url"]["url"].startswith("data:image/")


@TALKING
def test_an_answer_grows_in_one_message(play: Any, on_stage: Any) -> None:
    with on_stage(streaming={"enabled": True, "buffer_threshold": 1, "edit_interval": 0.1}) as (db, model):
        model.add(Say("one two three four"))
        play.says("x", 1)
        until(lambda: play.heard() == ["one two three four"])
        until(lambda: db.posts("sent"))
        assert play.was_edited()


@TALKING
def test_in_a_group_it_answers_those_who_name_it(play: Any, on_stage: Any) -> None:
    with on_stage() as (db, model):
        play.says_in_a_group("x", 1, named=False)
        play.says_in_a_group("xx", 2)
        until(lambda: play.heard_in_the_group())
        assert play.heard_in_the_group() == ["Answer to 2"] and len(model.sent) == 1
        [route] = db.list_routes()
        assert route["key"] == f"agent:main:{play.name}:{play.group()}"


@TALKING
def test_a_thread_is_a_conversation_of_its_own(play: Any, on_stage: Any) -> None:
    with on_stage() as (db, _):
        play.says_in_a_group("x", 1)
        until(lambda: len(play.heard_in_the_group()) == 1)
        play.says_in_a_group("xx", 2, threaded=True)
        until(lambda: len(play.heard_in_the_group()) == 2)
        ends = {row["key"].removeprefix(f"agent:main:{play.name}:"): row["owner"] for row in db.list_routes()}
        assert set(ends) == {play.group(), play.group(threaded=True)}
        assert ends[play.group(threaded=True)].startswith(f"{play.name}:chat:")


@pytest.mark.parametrize("play", (OnTelegram, OnMatrix), indirect=True)
def test_a_platform_that_was_away_is_found_again(play: Any, on_stage: Any) -> None:
    with on_stage():
        play.says("x", 1)
        until(lambda: play.heard())
        play.goes_away()
        play.says("xx", 2)
        play.comes_back()
        until(lambda: play.heard() == ["Answer to 1", "Answer to 2"], 60)
