"""Telegram: the real SDK against a small Telegram on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.config import load
from hermes.errors import ConfigError, StoreBusy
from hermes.gateway.adapters.telegram import Telegram
from hermes.gateway.base import Incoming
from hermes.gateway.schedule import Scheduler
from hermes.store import SessionDB
from tests.servers.platform import configured, running, until
from tests.servers.scripted import Fail, Say, Scripted, Sent
from tests.servers.telegram import ME, TOKEN, FakeTelegram


def echo(sent: Sent) -> Say:
    content = sent.messages[-1]["content"]
    return Say(f"You said: {content if isinstance(content, str) else content[0]['text']}")


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


@pytest.fixture
def fake(hermes_home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTelegram]:
    with FakeTelegram() as server:
        set_up(hermes_home, model, server)
        monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
        yield server


def set_up(home: Path, model: Scripted, fake: FakeTelegram, **settings: object) -> None:
    platforms = {"telegram": {"base_url": fake.url, "poll_seconds": 1, "port": 0}}
    configured(home, model, **{"platforms": platforms, "platform_toolsets": {"telegram": []}, **settings})


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
        fake.says(7, "", photo=[photo[0] | {"file_size": 20_000_000}])
        until(lambda: len(fake.heard(7)) == 2)
    parts = model.sent[0].messages[-1]["content"]
    assert parts[0]["text"] == "what is this?" and parts[1]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert fake.heard(7)[1] == "You said: [The picture could not be fetched.]"


def test_a_file_comes_along_and_a_strangers_does_not(
    fake: FakeTelegram, db: SessionDB, model: Scripted, hermes_home: Path
) -> None:
    set_up(hermes_home, model, fake, gateway={"allowed_users": ["telegram:7"]})
    document = {"file_id": "f", "file_unique_id": "u", "file_name": "../../re port.pdf", "file_size": 10}
    with running(db, Telegram(load())):
        fake.says(8, "", document=document)
        until(lambda: fake.heard(8))
        fake.says(7, "", caption="read this", document=document | {"mime_type": "application/pdf"})
        until(lambda: fake.heard(7))
        fake.says(7, "", document=document | {"mime_type": "image/png"})
        until(lambda: len(fake.heard(7)) == 2)
        fake.says(7, "", document=document | {"file_size": 30_000_000})
        until(lambda: len(fake.heard(7)) == 3)
    [kept] = (hermes_home / "received" / "telegram").iterdir()
    assert kept.name.endswith("-re_port.pdf") and kept.stat().st_mode & 0o777 == 0o600
    assert model.sent[0].messages[-1]["content"] == f"read this\n\n[The file re_port.pdf is at {kept}]"
    assert model.sent[1].messages[-1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "too large" in model.sent[2].messages[-1]["content"]


def test_a_file_whose_name_is_too_long_or_that_cannot_be_kept_keeps_nobody_from_being_heard(
    fake: FakeTelegram, db: SessionDB, hermes_home: Path
) -> None:
    document = {"file_id": "f", "file_unique_id": "u", "file_name": "\U00020000" * 120 + ".pdf", "file_size": 10}
    folder = hermes_home / "received" / "telegram"
    with running(db, Telegram(load())):
        fake.says(7, "", document=document)
        until(lambda: fake.heard(7))
        [kept] = folder.iterdir()
        kept.unlink()
        folder.rmdir()
        folder.write_text("in the way")
        fake.says(7, "", document=document | {"file_name": "a.pdf"})
        until(lambda: len(fake.heard(7)) == 2)
    assert kept.name.endswith("\U00020000.pdf") and len(kept.name.encode()) < 255
    assert "[The file a.pdf could not be kept: " in fake.heard(7)[1]


def test_the_agent_sends_a_picture_and_a_file(
    fake: FakeTelegram, db: SessionDB, model: Scripted, hermes_home: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "chart.png").write_bytes(b"a picture")
    (work / "data.csv").write_bytes(b"a,b")
    set_up(hermes_home, model, fake, terminal={"cwd": str(work)}, platform_toolsets={"telegram": ["messaging"]})
    model.add(
        Say(
            calls=[
                ("send_message", {"message": "as asked", "file": "chart.png"}),
                ("send_message", {"message": "", "file": "data.csv", "target": "telegram:7"}),
                ("send_message", {"message": "x", "file": "none.txt"}),
                ("send_message", {"message": "x", "file": "data.csv", "target": "telegram:8"}),
            ]
        ),
        Say("Sent."),
    )
    with running(db, Telegram(load())) as gateway:
        gateway.tasks.append(Scheduler(gateway).tick)
        fake.says(7, "send me the chart")
        until(lambda: len(fake.files) == 2)
    assert sorted(fake.files) == [
        ("7", "document", "data.csv", b"a,b", ""), ("7", "photo", "chart.png", b"a picture", "as asked"),
    ]  # fmt: skip
    [session] = db.search_sessions()
    results = [row["content"] for row in db.get_messages(session["id"]) if row["role"] == "tool"]
    assert "no file" in results[2] and "own accounts" in results[3]


def test_a_link_put_in_the_place_of_a_file_to_be_sent_is_not_followed(
    fake: FakeTelegram, db: SessionDB, model: Scripted, hermes_home: Path, tmp_path: Path
) -> None:
    work, file = tmp_path / "work", tmp_path / "work" / "data.csv"
    work.mkdir()
    file.write_bytes(b"a,b")
    (hermes_home / ".env").write_text("KEY=hunter2")
    set_up(hermes_home, model, fake, terminal={"cwd": str(work)}, platform_toolsets={"telegram": ["messaging"]})
    model.add(Say(calls=[("send_message", {"message": "", "file": "data.csv"})]), Say("Sent."))
    with running(db, Telegram(load())) as gateway:
        fake.says(7, "send me the data")
        until(lambda: fake.heard(7))
        file.unlink()
        file.symlink_to(hermes_home / ".env")
        Scheduler(gateway).send_posted()
        [row] = db.posts("undelivered")
    assert "is gone" in row["error"] and not fake.files


def test_it_shows_by_reactions_that_it_works_and_knows_what_a_chat_is_about(
    fake: FakeTelegram, db: SessionDB, model: Scripted, hermes_home: Path
) -> None:
    prompts = {"7": "Here we speak of bread.", "5": "Here of cheese."}
    set_up(hermes_home, model, fake, telegram={"reactions": True, "channel_prompts": prompts})
    with running(db, Telegram(load())):
        first = fake.says(7, "hello")["message"]["message_id"]
        until(lambda: len(fake.reactions) == 2)
        model.add(Fail(401))
        fake.says(7, "again")
        until(lambda: len(fake.reactions) == 4)
        fake.says(8, "/x@hermes_bot", chat=-100)
        fake.says(8, "@hermes_bot hi", chat=-100, thread=5)
        until(lambda: len(model.sent) == 3)
    assert fake.reactions[:2] == [(str(first), "👀"), (str(first), "👍")] and fake.reactions[3][1] == "👎"
    told = [sent.messages[0]["content"] for sent in model.sent]
    assert told[0].endswith("Here we speak of bread.") and told[2].endswith("Here of cheese.")


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


def test_what_the_store_could_not_take_comes_again(fake: FakeTelegram) -> None:
    heard: list[str] = []

    def receive(incoming: Incoming) -> bool:
        heard.append(incoming.text)
        if len(heard) == 1:
            raise StoreBusy("another program holds the store")
        return True

    adapter = Telegram(load())
    adapter.connect(receive)
    try:
        fake.says(7, "hello")
        until(lambda: len(heard) == 2)
    finally:
        adapter.disconnect()
        adapter.close()
    assert heard == ["hello", "hello"]


def test_what_nobody_can_read_does_not_keep_others_from_being_heard(fake: FakeTelegram) -> None:
    heard: list[str] = []

    def receive(incoming: Incoming) -> bool:
        heard.append(incoming.text)
        if len(heard) == 1:
            raise ValueError("a bug")
        return True

    adapter = Telegram(load())
    adapter.connect(receive)
    try:
        fake.says(7, "odd")
        fake.says(8, "hello")
        until(lambda: len(heard) == 2)
    finally:
        adapter.disconnect()
        adapter.close()
    assert heard == ["odd", "hello"]


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
