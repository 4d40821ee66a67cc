"""All three wire formats against aimock, a mock of model providers that somebody else wrote."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.providers.asking import ask, endpoint

from hermes.errors import ProviderDown, ProviderError, RateLimited
from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Finished, ReasoningDelta, Request, TextDelta
from hermes.providers.chat import Chat
from hermes.providers.endpoint import Format
from hermes.providers.responses import Responses

pytestmark = pytest.mark.peers
every_format = pytest.mark.parametrize("format", [Chat(), Responses(), Anthropic()], ids=lambda one: one.path[1:])
LONG = "Es war einmal 🦊 eine Füchsin, die 世界 sah. " * 40
TOKENS = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33, "input_tokens": 11, "output_tokens": 22}
CALLS = [{"name": "weather", "arguments": {"city": "Köln"}, "id": "call_w"}, {"name": "time", "arguments": "{}"}]
LIMIT = {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}
DOWN = {"error": {"message": "overloaded", "type": "overloaded_error"}, "status": 529}
FIXTURES = [
    {"match": {"userMessage": "hello"}, "response": {"content": LONG, "usage": TOKENS}},
    {"match": {"userMessage": "think"}, "response": {"content": "42", "reasoning": "Let me think about it."}},
    {"match": {"userMessage": "weather", "hasToolResult": True}, "response": {"content": "It is sunny."}},
    {"match": {"userMessage": "weather"}, "response": {"content": "I look.", "toolCalls": CALLS}},
    {"match": {"userMessage": "limit"}, "response": LIMIT},
    {"match": {"userMessage": "down"}, "response": DOWN},
]
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object"}}}
    for name in ("weather", "time")
]


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = Path(os.environ["HERMES_PEERS"]) / "node_modules" / "@copilotkit" / "aimock"
    node = shutil.which("node")
    assert node and folder.is_dir(), "scripts/test-peers installs aimock"
    fixtures = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [node, str(folder / "dist" / "cli.js"), "-p", str(port), "-f", str(fixtures), "--strict"]
    child = subprocess.Popen([*command, "--log-level", "warn"], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        child.terminate()
        child.wait(60)


def _wait_for(port: int) -> None:
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("aimock did not start")


def said(mock: str, format: Format, *messages: Any, **options: Any) -> list[Any]:
    request = Request([{"role": "system", "content": "S"}, *messages], tools=TOOLS, max_tokens=4000)
    return ask(endpoint(mock, format=format, **options), request)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


@every_format
def test_a_stream_is_read_whole(mock: str, format: Format) -> None:
    events = said(mock, format, user("hello"))
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == LONG
    assert len([event for event in events if isinstance(event, TextDelta)]) > 10
    assert events[-1].message["content"] == LONG
    assert events[-1].message["finish_reason"] == "stop"
    assert (events[-1].usage.input_tokens, events[-1].usage.output_tokens) == (11, 22)


@every_format
def test_reasoning_is_read(mock: str, format: Format) -> None:
    events = said(mock, format, user("think"))
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "Let me think about it."
    assert events[-1].message["reasoning"] == "Let me think about it."
    assert events[-1].message["content"] == "42"


@every_format
def test_calls_and_their_results_make_a_round(mock: str, format: Format) -> None:
    message = said(mock, format, user("weather"))[-1].message
    assert message["finish_reason"] == "tool_calls"
    calls = {call["function"]["name"]: call for call in message["tool_calls"]}
    assert json.loads(calls["weather"]["function"]["arguments"]) == {"city": "Köln"}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "sunny"} for call in message["tool_calls"]]
    assert said(mock, format, user("weather"), message, *results)[-1].message["content"] == "It is sunny."


@every_format
@pytest.mark.parametrize(("text", "error"), [("limit", RateLimited), ("down", ProviderDown)])
def test_failures_are_typed(mock: str, format: Format, text: str, error: type[ProviderError]) -> None:
    with pytest.raises(error):
        said(mock, format, user(text))


@every_format
@pytest.mark.parametrize("kind", ["disconnectRate", "malformedRate", "dropRate"])
def test_chaos_ends_in_an_error_and_then_all_is_well(mock: str, format: Format, kind: str) -> None:
    headers = {"X-Test-Id": f"{format.path}-{kind}"}
    _chaos(mock, headers, {kind: 1.0})
    with pytest.raises(ProviderError):
        said(mock, format, user("hello"), headers=headers, retries=1)
    _chaos(mock, headers, None)
    assert isinstance(said(mock, format, user("hello"), headers=headers)[-1], Finished)


def _chaos(mock: str, headers: dict[str, str], rates: dict[str, float] | None) -> None:
    body = json.dumps(rates).encode() if rates else None
    request = urllib.request.Request(
        mock.removesuffix("/v1") + "/__aimock/chaos",
        body,
        {**headers, "Content-Type": "application/json"},
        method="POST" if rates else "DELETE",
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status < 300
