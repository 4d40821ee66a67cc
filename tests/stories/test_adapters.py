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

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        self.fake.says(user, text, message_id=event)

    def heard(self, user: int = 7) -> list[str]:
        return self.fake.heard(user)

    def is_busy_once(self) -> None:
        self.fake.failures.append((429, "Too Many Requests: retry after 1", {"retry_after": 1}))

    def close(self) -> None:
        self.fake.__exit__()


class OnTelegramByWebhook(OnTelegram):
    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(request, monkeypatch)
        monkeypatch.setenv("TELEGRAM_WEBHOOK_URL", "http://127.0.0.1:1/hook")
        monkeypatch.setenv("TELEGRAM_WEBHOOK_SECRET", SECRET)

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        self.fake.webhook["url"] = f"http://127.0.0.1:{self.adapter.port}/hook"
        super().says(text, event, user=user)


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
        self.agent, self.user, self.room = synapse.person("Hermes"), synapse.person("Alice"), ""
        monkeypatch.setenv("MATRIX_HOMESERVER", self.line.url)
        monkeypatch.setenv("MATRIX_ACCESS_TOKEN", self.agent.token)

    def adapters(self) -> list[Adapter]:
        return [Matrix(load())]

    def says(self, text: str, event: int, *, user: int = 7) -> None:
        self.room = self.room or self.user.room(self.agent, direct=True)
        self.user.says(self.room, text, name=str(event))

    def heard(self, user: int = 7) -> list[str]:
        return self.user.heard(self.room)

    def chat(self) -> str:
        return self.room.replace(":", "%3A")

    def is_busy_once(self) -> None:
        busy = {"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests", "retry_after_ms": 300}
        self.line.answers.append((429, json.dumps(busy).encode()))

    def close(self) -> None:
        self.user.close()
        self.agent.close()
        self.line.__exit__()


KINDS = (OnPaper, OnTelegram, OnTelegramByWebhook, ByWebhook, OnMatrix)


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
