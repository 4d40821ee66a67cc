"""What only Anthropic's format does."""

from typing import Any

import pytest

from hermes.errors import ProviderDown
from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Request
from tests.servers.scripted import Raw, Say, Scripted
from tests.unit.providers.asking import ask, endpoint

HELLO = Request([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}])
TOOL = {"type": "function", "function": {"name": "echo", "description": "d", "parameters": {"type": "object"}}}
MARK = {"type": "ephemeral"}


def call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "echo", "arguments": "{}"}}


def sent(messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    return Anthropic().body("claude-sonnet-4-6", Request(messages, **options))


def test_thinking_is_kept_with_its_signature_and_replayed() -> None:
    with Scripted(Say("ok", reasoning="hm", signature="SIG", calls=[("echo", {})]), Say("fine")) as server:
        provider = endpoint(server, format=Anthropic())
        request = HELLO._replace(effort="high")
        message = ask(provider, request)[-1].message
        result = {"role": "tool", "tool_call_id": "call_1", "content": "r"}
        ask(provider, request._replace(messages=[*HELLO.messages, message, result]))
    thinking = {"type": "thinking", "thinking": "hm", "signature": "SIG"}
    assert message["reasoning_details"] == [thinking]
    turn = server.sent[1].body["messages"][1]["content"]
    assert turn[0] == thinking
    assert [block["type"] for block in turn] == ["thinking", "text", "tool_use"]


def test_reasoning_of_other_formats_is_not_sent() -> None:
    message = {"role": "assistant", "content": "x", "reasoning_details": [{"type": "reasoning.text", "text": "y"}]}
    body = sent([{"role": "user", "content": "q"}, message], effort="high")
    assert body["messages"][1]["content"] == [{"type": "text", "text": "x"}]


def test_marks_stand_on_tools_system_and_the_last_two_turns() -> None:
    turns = [{"role": role, "content": str(n)} for n in range(4) for role in ("user", "assistant")]
    body = sent([{"role": "system", "content": "S"}, *turns, {"role": "user", "content": "last"}], tools=[TOOL])
    assert body["tools"][-1]["cache_control"] == MARK
    assert body["system"][-1]["cache_control"] == MARK
    assert ["cache_control" in one["content"][-1] for one in body["messages"]] == [False] * 6 + [True, False, True]


def test_a_longer_cache_can_be_asked_for() -> None:
    body = Anthropic(cache_ttl="1h").body("claude-sonnet-4-6", HELLO)
    assert body["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_the_results_of_all_calls_of_a_turn_are_one_message() -> None:
    results = [{"role": "tool", "tool_call_id": name, "content": "r"} for name in ("a", "b")]
    asked = {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b")]}
    body = sent([{"role": "user", "content": "q"}, asked, *results, {"role": "user", "content": "and?"}])
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "tool_result", "text"]


def test_nothing_that_the_format_refuses_is_sent() -> None:
    messages = [
        {"role": "assistant", "content": "first", "tool_calls": [call("functions.echo:0")]},
        {"role": "tool", "tool_call_id": "functions.echo:0", "content": ""},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "  "},
    ]
    body = sent(messages)
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"][1]["id"] == body["messages"][2]["content"][0]["tool_use_id"]
    assert ":" not in body["messages"][1]["content"][1]["id"]
    blocks = [block for one in body["messages"] for block in one["content"]]
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "level"),
    [
        ("claude-sonnet-4-6", "xhigh", "adaptive", "high"),
        ("claude-opus-4-7", "xhigh", "adaptive", "xhigh"),
        ("claude-opus-5", "minimal", "adaptive", "low"),
        ("claude-opus-4-5-20251101", "medium", "enabled", None),
        ("claude-sonnet-4-20250514", "low", "enabled", None),
        ("claude-sonnet-4-6", "none", None, None),
        ("claude-sonnet-4-6", "", None, None),
    ],
)
def test_effort_is_said_the_way_the_model_understands(model: str, effort: str, thinking: Any, level: Any) -> None:
    body = Anthropic().body(model, HELLO._replace(effort=effort))
    assert body.get("thinking", {}).get("type") == thinking
    assert body.get("output_config", {}).get("effort") == level


def test_a_budget_leaves_room_for_the_answer() -> None:
    body = Anthropic().body("claude-sonnet-4-5", HELLO._replace(effort="high", max_tokens=4000))
    assert body["thinking"]["budget_tokens"] < 4000 == body["max_tokens"]
    assert "thinking" not in Anthropic().body("claude-sonnet-4-5", HELLO._replace(effort="high", max_tokens=500))


def test_redacted_thinking_is_kept_as_it_is() -> None:
    block = b'{"type":"redacted_thinking","data":"XYZ"}'
    events = [
        b'data: {"type":"content_block_start","index":0,"content_block":' + block + b"}\n\n",
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n',
    ]
    with Scripted(Raw(events)) as server:
        message = ask(endpoint(server, format=Anthropic()), HELLO)[-1].message
    assert message["reasoning_details"] == [{"type": "redacted_thinking", "data": "XYZ"}]


def test_an_error_inside_the_stream_is_typed() -> None:
    event = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    with Scripted(Raw([event])) as server, pytest.raises(ProviderDown, match="Overloaded"):
        ask(endpoint(server, format=Anthropic()), HELLO)


def test_the_key_goes_where_this_format_has_it() -> None:
    with Scripted(Say("x")) as server:
        ask(endpoint(server, format=Anthropic()), HELLO)
    assert server.sent[0].headers["x-api-key"] == "sk-test"
    assert "authorization" not in server.sent[0].headers
