"""Tries, keys, closing, and lines that are used again."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hermes.errors import (
    KeyRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)
from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Finished, Request, Retrying, TextDelta
from hermes.providers.chat import Chat
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Format
from tests.servers.rendering import render
from tests.servers.scripted import Bytes, Cut, Fail, Hang, Raw, Say, Scripted
from tests.unit.providers.asking import ask, endpoint

HELLO = Request([{"role": "user", "content": "hi"}])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Fail(401), KeyRefused),
        (Fail(403), KeyRefused),
        (Fail(402), QuotaSpent),
        (Fail(429, code="insufficient_quota"), QuotaSpent),
        (Fail(429, headers={"Retry-After": "900"}), RateLimited),
        (Fail(400, "This model's maximum context length is 8192 tokens"), PromptTooLong),
        (Fail(400, "prompt is too long: 213462 tokens > 200000 maximum"), PromptTooLong),
        (Fail(413, code="request_too_large"), PromptTooLong),
        (Fail(404, "model not found"), RequestRefused),
        (Fail(422), RequestRefused),
        (Fail(500), ProviderDown),
        (Fail(529, code="overloaded_error"), ProviderDown),
        (Raw([b"<html>hello"], content_type="text/html"), RequestRefused),
        (Raw([b""], status=302, headers={"Location": "https://elsewhere.example/"}), RequestRefused),
    ],
)
def test_each_failure_is_an_error_of_its_own(answer: Fail | Raw, error: type[ProviderError]) -> None:
    with Scripted(answer) as server, pytest.raises(error) as raised:
        ask(endpoint(server), HELLO)
    assert type(raised.value) is error
    assert "\n" not in str(raised.value)
    assert not raised.value.shown


@pytest.mark.parametrize("key", ["sk-proj-" + "a1B2c3D4" * 5, "hunter2"])
def test_a_refusal_never_shows_the_key(key: str) -> None:
    inside = b'data: {"error":{"code":401,"message":"bad ' + key.encode() + b'"}}\n\n'
    with Scripted(Raw([inside])) as server, pytest.raises(KeyRefused) as raised:
        ask(endpoint(server, keys=[key]), HELLO)
    assert key not in str(raised.value)
    with Scripted(Fail(401, f"Incorrect API key provided: {key}.")) as server, pytest.raises(KeyRefused) as raised:
        ask(endpoint(server, keys=[key]), HELLO)
    assert key not in str(raised.value)


@pytest.mark.parametrize("key", ["sk-…1234", "sk-a\nb", "sk-\x00"])
def test_a_key_that_cannot_be_sent_is_told_without_it(key: str) -> None:
    with Scripted(Say("never")) as server, pytest.raises(RequestRefused, match="characters") as raised:
        ask(endpoint(server, keys=[key], retries=3), HELLO)
    assert key not in str(raised.value)
    assert server.sent == []


def test_headers_of_the_settings_take_the_place_of_others() -> None:
    with Scripted(Say("ok")) as server:
        ask(endpoint(server, headers={"authorization": "Basic x", "X-Team": "a"}), HELLO)
    assert server.sent[0].headers["authorization"] == "Basic x"
    assert server.sent[0].headers["x-team"] == "a"


def test_what_passes_is_tried_again_and_told() -> None:
    with Scripted(Fail(500), Fail(429, headers={"Retry-After": "0.01"}), Say("ok")) as server:
        events = ask(endpoint(server, retries=2), HELLO)
    assert [type(event) for event in events] == [Retrying, Retrying, TextDelta, Finished]
    assert events[1].seconds == 0.01


def test_tries_are_bounded() -> None:
    with Scripted(otherwise=Fail(503, headers={"Retry-After": "0"})) as server, pytest.raises(ProviderDown):
        ask(endpoint(server, retries=3), HELLO)
    assert len(server.sent) == 4


def test_what_cannot_pass_is_not_tried_again() -> None:
    with Scripted(Fail(400), Say("never")) as server, pytest.raises(RequestRefused):
        ask(endpoint(server, retries=3), HELLO)
    assert len(server.sent) == 1


def test_nothing_is_repeated_after_the_first_delta() -> None:
    with Scripted(Cut(Say("one two three"), 3), Say("never")) as server:
        stream = endpoint(server, retries=3).stream(HELLO)
        assert next(stream) == TextDelta("one ")
        with pytest.raises(ProviderError) as raised:
            list(stream)
    assert raised.value.shown
    assert len(server.sent) == 1


def test_another_key_is_tried_at_once() -> None:
    with Scripted(Fail(401), Fail(429, headers={"Retry-After": "600"}), Say("ok")) as server:
        events = ask(endpoint(server, keys=["k1", "k2", "k3"]), HELLO)
    assert [sent.headers["authorization"] for sent in server.sent] == ["Bearer k1", "Bearer k2", "Bearer k3"]
    assert isinstance(events[-1], Finished)


def test_a_connection_serves_the_next_call_too() -> None:
    with Scripted(otherwise=Say("ok")) as server:
        provider = endpoint(server)
        for _ in range(3):
            stream = provider.stream(HELLO)
            while not isinstance(next(stream), Finished):
                pass
            assert len(provider._idle) == 1
            stream.close()
        assert len({sent.port for sent in server.sent}) == 1


def test_a_server_that_does_not_end_after_its_end_is_not_waited_for() -> None:
    whole = b"".join(render("/chat/completions", {}, Say("ok")))
    with Scripted(Raw([whole], "hang"), Say("again")) as server:
        provider = endpoint(server, patience=Patience())
        began = time.monotonic()
        assert ask(provider, HELLO)[-1].message["content"] == "ok"
        assert time.monotonic() - began < 30
        assert ask(provider, HELLO)[-1].message["content"] == "again"


@pytest.mark.parametrize(
    "answer",
    [Hang(), Cut(Say("one two three"), 2, then="hang"), Say("a b c d e f g h", pause=10), Raw([b""], delay=90)],
)
def test_closing_from_another_thread_ends_the_request(answer: Hang | Cut | Say | Raw) -> None:
    with Scripted(answer, otherwise=Hang()) as server:
        stream = endpoint(server, patience=Patience()).stream(HELLO)
        ended = threading.Event()

        def read() -> None:
            list(stream)
            ended.set()

        threading.Thread(target=read, daemon=True).start()
        time.sleep(0.3)
        began = time.monotonic()
        stream.close()
        assert ended.wait(30)
        assert time.monotonic() - began < 30
        assert list(stream) == []


def test_closing_at_any_moment_ends_quietly_and_leaves_nothing_behind() -> None:
    dice = random.Random(1)
    before = threading.active_count()
    with Scripted(otherwise=Say("a b c d e f", pause=0.002, delay=0.005)) as server:
        provider = endpoint(server, patience=Patience())
        ends: list[object] = []

        def read(stream: Iterator[object]) -> None:
            try:
                ends.append(len(list(stream)))
            except BaseException as error:  # whatever it is, it should not have come
                ends.append(error)

        for _ in range(100):
            stream = provider.stream(HELLO)
            reader = threading.Thread(target=read, args=(stream,))
            reader.start()
            time.sleep(dice.random() * 0.03)
            stream.close()
            reader.join(30)
            assert not reader.is_alive()
    assert [end for end in ends if not isinstance(end, int)] == []
    assert len(set(ends)) > 3  # it was caught at different moments
    deadline = time.monotonic() + 30
    while threading.active_count() > before + 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_closing_while_it_waits_for_the_next_try_ends_it() -> None:
    with Scripted(otherwise=Fail(503, headers={"Retry-After": "50"})) as server:
        stream = endpoint(server, retries=3, patience=Patience()).stream(HELLO)
        assert isinstance(next(stream), Retrying)
        threading.Timer(0.2, stream.close).start()
        began = time.monotonic()
        assert list(stream) == []
        assert time.monotonic() - began < 30


def test_a_closed_stream_lets_the_server_notice() -> None:
    with Scripted(Cut(Say("one two three"), 2, then="hang")) as server:
        stream = endpoint(server, patience=Patience()).stream(HELLO)
        next(stream)
        stream.close()
        ends = time.monotonic() + 2
        while not server.left and time.monotonic() < ends:
            time.sleep(0.01)
    assert server.left


def test_nobody_there_is_an_error_that_says_where() -> None:
    with pytest.raises(ProviderDown, match=r"127\.0\.0\.1:9"):
        ask(endpoint("http://127.0.0.1:9/v1"), HELLO)


@pytest.mark.parametrize("url", ["nowhere", "ftp://x/v1", "http://[::1/v1", "http://a b/v1"])
def test_an_address_that_is_none_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(ProviderError) as raised:
        ask(endpoint(url), HELLO)
    assert "\n" not in str(raised.value)


def test_silence_ends_and_so_do_signs_of_life_without_an_answer() -> None:
    patience = Patience(connect=1, read=0.3, silence=0.6, total=5)
    with Scripted(Hang()) as server, pytest.raises(ProviderDown):
        ask(endpoint(server, patience=patience), HELLO)
    alive = Raw([b": alive\n\n"] * 100, pause=0.05)
    with Scripted(alive) as server, pytest.raises(ProviderDown, match="signs of life"):
        ask(endpoint(server, patience=patience), HELLO)


def test_the_whole_call_has_an_end_whatever_comes() -> None:
    drip = Raw([b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'] * 100, pause=0.05)
    with Scripted(drip) as server, pytest.raises(ProviderDown, match="come to an end"):
        ask(endpoint(server, patience=Patience(read=1, silence=1, total=0.5)), HELLO)


def test_extra_fields_are_added_and_none_takes_one_out() -> None:
    with Scripted(Say("ok")) as server:
        ask(endpoint(server, extra_body={"top_k": 5, "stream_options": None}), HELLO)
    assert server.sent[0].body["top_k"] == 5
    assert "stream_options" not in server.sent[0].body


@pytest.mark.parametrize(
    ("format", "base_url", "asked"),
    [
        (Chat(), "http://x/v1/", "http://x/v1/chat/completions"),
        (Chat(), "http://x/v1/chat/completions", "http://x/v1/chat/completions"),
        (Chat(), "http://x/openai?api-version=1", "http://x/openai/chat/completions?api-version=1"),
        (Anthropic(), "http://x/v1", "http://x/v1/messages"),
        (Anthropic(), "http://x/anthropic", "http://x/anthropic/v1/messages"),
        (Anthropic(), "http://x/v1/messages", "http://x/v1/messages"),
    ],
)
def test_the_address_that_is_asked(format: Format, base_url: str, asked: str) -> None:
    assert endpoint(base_url, format=format).url() == asked


def test_a_line_that_the_server_closed_meanwhile_is_not_used_again() -> None:
    body = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    with Scripted(Bytes(head + body), Say("again")) as server:
        provider = endpoint(server)
        ask(provider, HELLO)
        assert len(provider._idle) == 1
        time.sleep(0.1)
        assert ask(provider, HELLO)[-1].message["content"] == "again"


def test_many_threads_share_an_endpoint() -> None:
    with Scripted(otherwise=lambda sent: Say(sent.body["messages"][0]["content"], pause=0.005)) as server:
        provider = endpoint(server)
        texts = [f"thread {number} says something" for number in range(12)]
        with ThreadPoolExecutor(6) as threads:
            answers = threads.map(lambda text: ask(provider, Request([{"role": "user", "content": text}]))[-1], texts)
            assert [answer.message["content"] for answer in answers] == texts
        assert len(provider._idle) <= 4


def test_a_line_that_the_server_closes_as_it_is_used_again_is_made_anew() -> None:
    with Scripted(Say("one"), Bytes(b""), Say("two"), Bytes(b"")) as server:
        provider = endpoint(server)
        assert ask(provider, HELLO)[-1].message["content"] == "one"
        assert ask(provider, HELLO)[-1].message["content"] == "two"
        with pytest.raises(ProviderDown):
            ask(endpoint(server), HELLO)  # a new line that fails is a failure
