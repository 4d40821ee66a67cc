"""The API server, asked by the real client, and by people who should not."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from hermes.config import load
from hermes.errors import ConfigError
from hermes.gateway.adapters.api_routes import Api
from hermes.gateway.adapters.api_server import OPEN_ROUTES, ApiServer
from hermes.gateway.core import Gateway
from hermes.gateway.keys import Place
from hermes.store import SessionDB
from tests.servers.platform import configured, running, until
from tests.servers.scripted import Fail, Hang, Scripted
from tests.stories.api import KEYS, api_configured, client, echo, get, post, url


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


@pytest.fixture
def gateway(hermes_home: Path, model: Scripted, db: SessionDB) -> Iterator[Gateway]:
    api_configured(hermes_home, model)
    with running(db, ApiServer(load())) as gateway:
        yield gateway


def test_the_real_client_talks_and_the_conversation_is_one_session(gateway: Gateway, model: Scripted) -> None:
    with client(gateway) as api:
        said: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "one"}]
        first = api.chat.completions.create(model="hermes", messages=said)
        assert first.choices[0].message.content == "You said: one"
        assert first.choices[0].finish_reason == "stop" and first.usage and first.usage.total_tokens == 120
        said += [{"role": "assistant", "content": "You said: one"}, {"role": "user", "content": "two"}]
        assert api.chat.completions.create(model="hermes", messages=said).choices[0].message.content == "You said: two"
        assert [one.id for one in api.models.list()] == ["hermes", "scripted"]
    [session] = get(gateway, "/api/sessions").json()["sessions"]
    messages = get(gateway, f"/api/sessions/{session['id']}/messages").json()["messages"]
    assert [row["content"] for row in messages] == ["one", "You said: one", "two", "You said: two"]
    assert model.sent[0].messages[0] == {"role": "system", "content": "Be brief."}
    assert session["owner"] == "api-server:alice" and session["source"] == "api-server"


def test_an_answer_comes_in_pieces(gateway: Gateway) -> None:
    with client(gateway) as api:
        stream = api.chat.completions.create(
            model="hermes",
            messages=[{"role": "user", "content": "a b c"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == "You said: a b c" and len(texts) > 4
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage and chunks[-1].usage.completion_tokens == 20


def test_a_conversation_is_named_by_a_header_and_a_session_by_its_id(gateway: Gateway, db: SessionDB) -> None:
    with client(gateway) as api, client(gateway, "bob") as bobs:
        for text, who in (("one", api), ("his", bobs), ("two", api)):
            who.chat.completions.create(
                model="hermes",
                messages=[{"role": "user", "content": text}],
                extra_headers={"X-Hermes-Conversation": "work"},
            )
        mine = get(gateway, "/api/sessions").json()["sessions"]
        assert [row["message_count"] for row in mine] == [4]
        theirs = {"X-Hermes-Session-Id": mine[0]["id"]}
        with pytest.raises(openai.NotFoundError):
            bobs.chat.completions.create(
                model="hermes", messages=[{"role": "user", "content": "x"}], extra_headers=theirs
            )
        api.chat.completions.create(
            model="hermes", messages=[{"role": "user", "content": "three"}], extra_headers=theirs
        )
    assert db.message_count(mine[0]["id"]) == 6
    assert get(gateway, f"/api/sessions/{mine[0]['id']}", "bob").status_code == 404
    assert get(gateway, "/api/search?q=one", "bob").json() == {"results": []}
    assert len(get(gateway, "/api/search?q=one").json()["results"]) == 2
    assert get(gateway, "/api/recall?q=what+was+three").json()["results"][0]["session_id"] == mine[0]["id"]


def test_nothing_is_said_into_the_trash(gateway: Gateway, db: SessionDB) -> None:
    def say(text: str, **headers: str) -> httpx2.Response:
        said = {"messages": [{"role": "user", "content": text}]}
        return sent(gateway, "/v1/chat/completions", json.dumps(said), **headers)

    first = say("one", **{"X-Hermes-Conversation": "work"}).headers["x-hermes-session-id"]
    key = {"Authorization": f"Bearer {KEYS['alice']}"}
    assert httpx2.delete(f"{url(gateway)}/api/sessions/{first}", headers=key, timeout=60).status_code == 200
    assert say("two", **{"X-Hermes-Session-Id": first}).status_code == 404
    second = say("two", **{"X-Hermes-Conversation": "work"}).headers["x-hermes-session-id"]
    assert second != first and [row["content"] for row in db.get_messages(second)] == ["two", "You said: two"]
    db.trash_session(second)
    said = [{"role": "user", "content": "two"}, {"role": "assistant", "content": "You said: two"}]
    body = json.dumps({"messages": [*said, {"role": "user", "content": "three"}]})
    third = sent(gateway, "/v1/chat/completions", body).headers["x-hermes-session-id"]
    assert [row["content"] for row in db.get_messages(third)] == ["two", "You said: two", "three", "You said: three"]
    assert [one["id"] for one in db.search_sessions()] == [third]


def test_two_sessions_of_one_conversation_asked_at_once_stay_apart(
    gateway: Gateway, db: SessionDB, model: Scripted
) -> None:
    def say(text: str, **headers: str) -> str:
        said = json.dumps({"messages": [{"role": "user", "content": text}]})
        return str(sent(gateway, "/v1/chat/completions", said, **headers).headers["x-hermes-session-id"])

    first = say("of one", **{"X-Hermes-Conversation": "work"})
    [route] = db.list_routes()
    db.set_route(route["key"], {"session_id": "20260101_000000_ffffffff"})  # as a reset does
    gateway.lane(Place("api-server", "dm", "alice", "work", "alice")).release()
    second = say("of two", **{"X-Hermes-Conversation": "work"})
    threads = [
        threading.Thread(target=say, args=(f"of {name}",), kwargs={"X-Hermes-Session-Id": session})
        for _ in range(6)
        for name, session in (("one", first), ("two", second))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for name, session in (("one", first), ("two", second)):
        said = {row["content"] for row in db.get_messages(session) if row["role"] == "user"}
        assert said == {f"of {name}"} and db.message_count(session) == 14


def test_what_was_said_elsewhere_before_comes_along(gateway: Gateway, model: Scripted) -> None:
    before: list[Any] = [{"role": "user", "content": "long ago"}, {"role": "assistant", "content": "yes?"}]
    with client(gateway) as api:
        api.chat.completions.create(model="hermes", messages=[*before, {"role": "user", "content": "now"}])
    assert [one["content"] for one in model.sent[0].messages[-3:]] == ["long ago", "yes?", "now"]


def test_mistakes_and_failures_are_told_as_the_client_knows_them(gateway: Gateway, model: Scripted) -> None:
    with client(gateway) as api:
        for messages in ([], [{"role": "assistant", "content": "x"}], [{"role": "user", "content": " "}]):
            with pytest.raises(openai.BadRequestError):
                api.chat.completions.create(model="hermes", messages=messages)  # type: ignore[arg-type]
        model.add(Fail(401))
        with pytest.raises(openai.InternalServerError, match="key"):
            api.chat.completions.create(model="hermes", messages=[{"role": "user", "content": "x"}])
    headers = {"Authorization": f"Bearer {KEYS['alice']}"}
    for body in (b"", b"{", b"[]", b"[" * 100_000, b'{"messages": 7}', b'{"messages": [7]}', b"\xff"):
        answer = httpx2.post(f"{url(gateway)}/v1/chat/completions", content=body, headers=headers)
        assert answer.status_code == 400, body[:20]


def sent(gateway: Gateway, path: str, body: str, **headers: str) -> httpx2.Response:
    """As it is, which a client would not send."""
    key = {"Authorization": f"Bearer {KEYS['alice']}"}
    return httpx2.post(url(gateway) + path, content=body, headers={**key, **headers}, timeout=60)


HALF = "\ud83d"  # of an emoji, as programs send it that cut texts by their length


def test_half_a_character_breaks_no_answer_and_no_list(gateway: Gateway) -> None:
    said = {"model": HALF, "messages": [{"role": "user", "content": f"cut {HALF}"}]}
    chat = sent(gateway, "/v1/chat/completions", json.dumps(said))
    given = {"input": HALF, "model": HALF, "metadata": {HALF: HALF}, "instructions": HALF}
    response = sent(gateway, "/v1/responses", json.dumps(given))
    assert (chat.status_code, response.status_code) == (200, 200)
    assert chat.json()["model"] == HALF and response.json()["metadata"] == {HALF: HALF}
    sessions = get(gateway, "/api/sessions").json()["sessions"]
    kept = [get(gateway, f"/api/sessions/{one['id']}/messages").json()["messages"][0]["content"] for one in sessions]
    assert sorted(kept) == [f"cut {HALF}", HALF]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused_before_anybody_is_asked(gateway: Gateway, model: Scripted, number: str) -> None:
    tool = '{"type": "function", "name": "t", "parameters": {"a": NUMBER}}'.replace("NUMBER", number)
    body = '{"input": "x", "tools": [TOOL]}'.replace("TOOL", tool)
    got = sent(gateway, "/v1/responses", body)
    assert got.status_code == 400 and "no JSON" in got.json()["error"]["message"]
    assert not model.sent


def test_whoever_asks_too_often_is_told_when_to_come_back(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    api_configured(hermes_home, model, gateway={"messages_per_minute": 1})
    with running(db, ApiServer(load())) as gateway, client(gateway) as api, client(gateway, "bob") as bobs:
        messages: list[Any] = [{"role": "user", "content": "x"}]
        api.chat.completions.create(model="hermes", messages=messages)
        with pytest.raises(openai.RateLimitError) as refused:
            api.responses.create(model="hermes", input="x")
        assert int(refused.value.response.headers["retry-after"]) > 0
        bobs.chat.completions.create(model="hermes", messages=messages)


def test_whoever_leaves_stops_the_turn(gateway: Gateway, model: Scripted) -> None:
    model.add(Hang())
    headers = {"Authorization": f"Bearer {KEYS['alice']}"}
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    with httpx2.stream("POST", f"{url(gateway)}/v1/chat/completions", json=body, headers=headers) as answer:
        lines = answer.iter_lines()
        assert next(lines).startswith("data:")
        until(lambda: len(model.sent) == 1)
    until(lambda: model.left)


def test_a_model_is_listed_and_found_by_its_name(
    hermes_home: Path, model: Scripted, db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    api_configured(hermes_home, model)
    monkeypatch.setenv("HERMES_INFERENCE_MODEL", "maker/large")
    with running(db, ApiServer(load())) as gateway, client(gateway) as api:
        assert [one.id for one in api.models.list()] == ["hermes", "maker/large"]
        assert [api.models.retrieve(one).id for one in ("hermes", "maker/large")] == ["hermes", "maker/large"]
        with pytest.raises(openai.NotFoundError, match="/v1/models lists them"):
            api.models.retrieve("other")


def test_every_route_but_the_declared_ones_wants_a_key(gateway: Gateway) -> None:
    document = get(gateway, "/openapi.json", None).json()
    open_ones = []
    for path, methods in document["paths"].items():
        for method in methods:
            answer = httpx2.request(method, url(gateway) + path.replace("{id}", "x"))
            if answer.status_code != 401:
                open_ones.append(path)
    assert tuple(open_ones) == OPEN_ROUTES
    for wrong in ("Bearer", "Bearer x", KEYS["alice"], f"Bearer {KEYS['alice'][:-1]}", "Basic YTpi"):
        assert get(gateway, "/api/sessions", None, Authorization=wrong).status_code == 401


def test_the_document_lists_the_routes_there_are(gateway: Gateway) -> None:
    document = get(gateway, "/openapi.json", None).json()
    listed = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    there = Api(gateway.adapters["api-server"], gateway).table()  # type: ignore[arg-type]
    assert listed == {(path, method) for path, method, _ in there}


def test_other_names_and_other_sites_are_refused(gateway: Gateway) -> None:
    assert get(gateway, "/api/sessions", Host="evil.example").status_code == 421
    assert get(gateway, "/health", None, Host="evil.example:80").status_code == 421
    assert get(gateway, "/api/sessions", Origin="https://evil.example").status_code == 403
    assert get(gateway, "/api/sessions", Host="localhost").status_code == 200
    for site, dest, status in (
        ("cross-site", "image", 403), ("same-site", "script", 403), ("cross-site", "iframe", 403),
        ("cross-site", "document", 200), ("same-origin", "empty", 200), ("none", "document", 200),
    ):  # fmt: skip
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest}
        assert get(gateway, "/api/sessions", **headers).status_code == status
    with socket.create_connection(url(gateway).removeprefix("http://").split(":")) as line:  # type: ignore[arg-type]
        line.sendall(
            b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert line.recv(100).split()[1] in (b"401", b"403", b"400", b"500")


def test_large_and_slow_requests_do_not_keep_others_waiting(gateway: Gateway) -> None:
    headers = {"Authorization": f"Bearer {KEYS['alice']}"}
    address = url(gateway).removeprefix("http://").split(":")
    slow = [socket.create_connection((address[0], int(address[1]))) for _ in range(50)]
    for line in slow:
        line.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    large = httpx2.post(f"{url(gateway)}/v1/chat/completions", content=b"x" * 10_000_001, headers=headers)
    assert large.status_code == 413
    began = time.monotonic()
    assert get(gateway, "/api/sessions").status_code == 200
    assert time.monotonic() - began < 5
    for line in slow:
        line.close()


def test_it_does_not_start_without_a_key_where_others_can_reach_it(
    hermes_home: Path, model: Scripted, db: SessionDB
) -> None:
    for settings, problem in (
        ({"host": "0.0.0.0"}, "without a key"),
        ({"host": "0.0.0.0", "keys": {"a": "x"}}, "short"),
        ({"keys": {"alice": "${A_KEY_OF_ALICE}"}}, "hermes config set A_KEY_OF_ALICE"),
        ({"port": "eight"}, "whole number"),
    ):
        configured(hermes_home, model, platforms={"api-server": {"port": 0, **settings}})
        with pytest.raises(ConfigError, match=problem), running(db, ApiServer(load())):
            pass


def test_on_loopback_a_key_is_made(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    configured(hermes_home, model, platforms={"api-server": {"port": 0}})
    with running(db, ApiServer(load())) as gateway:
        assert httpx2.get(url(gateway) + "/v1/models").status_code == 401
        key = (hermes_home / "api-server.key").read_text().strip()
        assert httpx2.get(url(gateway) + "/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200
    assert (hermes_home / "api-server.key").stat().st_mode & 0o777 == 0o600


def test_many_ask_at_once_and_each_gets_an_answer_of_their_own(gateway: Gateway) -> None:
    answers: dict[int, str] = {}

    def ask(number: int) -> None:
        body = {"messages": [{"role": "user", "content": f"number {number}"}]}
        headers = {"Authorization": f"Bearer {KEYS['alice' if number % 2 else 'bob']}"}
        got = httpx2.post(f"{url(gateway)}/v1/chat/completions", json=body, headers=headers, timeout=60)
        answers[number] = json.loads(got.content)["choices"][0]["message"]["content"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {number: f"You said: number {number}" for number in range(12)}


def test_the_prompt_of_the_operator_is_not_shown_to_callers(gateway: Gateway, db: SessionDB) -> None:
    hello = {"messages": [{"role": "user", "content": "hello"}]}
    assert post(gateway, "/v1/chat/completions", hello).status_code == 200
    [row] = get(gateway, "/api/sessions").json()["sessions"]
    assert (db.get_session(row["id"]) or {})["system_prompt"]
    for shown in (row, get(gateway, f"/api/sessions/{row['id']}").json()):
        assert shown["id"] == row["id"] and "system_prompt" not in shown
