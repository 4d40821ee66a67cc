"""Telegram: the real SDK against a small Telegram on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.config import load
from hermes.errors import ConfigError
from hermes.gateway.adapters.telegram import Telegram
from hermes.store import SessionDB
from tests.servers.platform import configured, running, until
from tests.servers.scripted import Say, Scripted, Sent
from tests.servers.telegram import ME, TOKEN, FakeTelegram


def echo(sent: Sent) -> Say:
    content = sent.messages[-1]["content"]
    return Say(f"You said: {content if isinstance(content, str) else content[0]['text']}")


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


@pytest.fixture
def db(hermes_home: Path) -> Iterator[SessionDB]:
    hermes_home.mkdir(parents=True, exist_ok=True)
    with SessionDB() as store:
        yield store


@pytest.fixture
def fake(hermes_home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTelegram]:
    with FakeTelegram() as server:
        set_up(hermes_home, model, server)
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
        yield server


def set_up(home: Path, model: Scripted, fake: FakeTelegram, **settings: object) -> None:
    platforms = {"telegram": {"base_url": fake.url, "poll_seconds": 1, "port": 0}}
    configured(home, model, platforms=platforms, platform_toolsets={"telegram": []}, **settings)


def test_two_people_and_a_group_with_its_topics(fake: FakeTelegram, db: SessionDB) -> None:
    with running(db, Telegram(load())):
        fake.says(7, "hello **you**")
        fake.says(8, "hi")
        fake.says(7, "not for the bot", chat=-100)
        fake.says(7, "@hermes_bot for the bot", chat=-100)
        fake.says(8, "/title@hermes_bot Our plans", chat=-100, thread=5)
        fake.says(
            8,
            "as I said",
            chat=-100,
            reply_to_message={"message_id": 1, "date": 0, "chat": {"id": -100, "type": "supergroup"}, "from": ME},
        )
        until(lambda: fake.heard(7) and fake.heard(8) and len(fake.heard(-100)) == 3)
    assert fake.heard(7) == ["You said: hello <b>you</b>"]
    assert sorted(fake.heard(-100)) == [
        "Title queued: Our plans. It is set with your first message.", "You said: as I said", "You said: for the bot",
    ]  # fmt: skip
    assert next(one for one in fake.sent if one["text"].startswith("Title"))["message_thread_id"] == "5"
    keys = {row["key"].removeprefix("agent:main:telegram:") for row in db.list_routes()}
    assert keys == {"dm:7", "dm:8", "group:-100:7", "group:-100:8"}
    assert fake.actions


def test_a_picture_comes_along(fake: FakeTelegram, db: SessionDB, model: Scripted) -> None:
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 10}]
    with running(db, Telegram(load())):
        fake.says(7, "", caption="what is this?", photo=photo)
        until(lambda: fake.heard(7))
    parts = model.sent[0].messages[-1]["content"]
    assert parts[0]["text"] == "what is this?" and parts[1]["image_url"]["url"].startswith("data:image/jpeg;base64,")


def test_a_busy_telegram_is_waited_for_and_a_refusal_is_final(fake: FakeTelegram, db: SessionDB) -> None:
    fake.failures = [
        (429, "Too Many Requests: retry after 1", {"retry_after": 1}),
        (400, "Bad Request: can't parse entities", {}),
    ]
    with running(db, Telegram(load())):
        fake.says(7, "one **bold")
        until(lambda: fake.heard(7))
        fake.failures = [(403, "Forbidden: bot was blocked by the user", {})]
        fake.says(7, "two")
        [row] = until(lambda: db.posts("undelivered"))
    assert fake.heard(7) == ["You said: one **bold"] and "parse_mode" not in fake.sent[0]
    assert "blocked" in row["error"]


def test_an_answer_grows_by_edits(fake: FakeTelegram, db: SessionDB, hermes_home: Path, model: Scripted) -> None:
    set_up(hermes_home, model, fake, streaming={"enabled": True, "edit_interval": 0.1, "buffer_threshold": 5})
    model.add(Say("one two three four five six", pause=0.12))
    with running(db, Telegram(load())):
        fake.says(7, "count")
        until(lambda: db.posts("sent"))
    assert fake.heard(7) == ["one two three four five six"]
    assert len(fake.edits) >= 2


def test_what_was_not_acknowledged_comes_again_and_counts_once(fake: FakeTelegram, db: SessionDB) -> None:
    with running(db, Telegram(load())):
        update = fake.says(7, "hello")
        until(lambda: fake.heard(7))
    fake.deliver(update)
    with running(db, Telegram(load())):
        fake.says(7, "again")
        until(lambda: len(fake.heard(7)) == 2)
    assert fake.heard(7) == ["You said: hello", "You said: again"]


def test_a_webhook_takes_what_carries_the_secret(
    fake: FakeTelegram, db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_WEBHOOK_URL", "http://127.0.0.1:1/hook")
    with pytest.raises(ConfigError, match="TELEGRAM_WEBHOOK_SECRET"), running(db, Telegram(load())):
        pass
    monkeypatch.setenv("TELEGRAM_WEBHOOK_SECRET", "a-secret-of-ours")
    adapter = Telegram(load())
    with running(db, adapter):
        assert fake.webhook["secret_token"] == "a-secret-of-ours"
        fake.webhook["url"] = f"http://127.0.0.1:{adapter.port}/hook"
        fake.says(7, "hello")
        until(lambda: fake.heard(7))
        assert fake.call({"update_id": 1}, "wrong") == 401
        assert fake.call([1], "a-secret-of-ours") == 400
    assert fake.heard(7) == ["You said: hello"]


def test_without_a_token_or_with_nobody_there_it_says_what_to_do(
    fake: FakeTelegram, db: SessionDB, monkeypatch: pytest.MonkeyPatch, hermes_home: Path, model: Scripted
) -> None:
    monkeypatch.delenv("TELEGRAM_BOT_TOKEN")
    with pytest.raises(ConfigError, match="BotFather"), running(db, Telegram(load())):
        pass
