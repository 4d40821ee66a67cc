"""Chat completions over real HTTP: what is sent, and what is read."""

from typing import Any

import pytest

from hermes.errors import AnswerBroken
from hermes.providers.base import Finished, ReasoningDelta, Request, TextDelta, ToolCallDelta
from hermes.providers.chat import Chat
from tests.servers.scripted import Raw, Say, Scripted
from tests.unit.providers.asking import ask, endpoint

HELLO = Request([{"role": "user", "content": "hi"}])
TOOL = {"type": "function", "function": {"name": "echo", "description": "d", "parameters": {"type": "object"}}}


def data(*chunks: str, done: bool = True) -> list[bytes]:
    return [f"data: {chunk}\n\n".encode() for chunk in (*chunks, *(["[DONE]"] if done else []))]


def delta(inside: str, reason: str = "null") -> str:
    return '{"choices":[{"index":0,"delta":' + inside + ',"finish_reason":' + reason + "}]}"


def answered(*chunks: str, done: bool = True) -> Finished:
    with Scripted(Raw(data(*chunks, done=done))) as server:
        return ask(endpoint(server), HELLO)[-1]


def test_text_arrives_in_pieces_and_whole_at_the_end() -> None:
    with Scripted(Say("Hello there, you.")) as server:
        events = ask(endpoint(server), HELLO)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hello ", "there, ", "you."]
    assert events[-1].message == {"role": "assistant", "content": "Hello there, you.", "finish_reason": "stop"}


def test_a_request_says_what_it_must_and_nothing_of_our_own_columns() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
    ours = {"reasoning": "s", "reasoning_content": "s", "reasoning_details": [{"type": "thinking"}]}
    messages = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call], "finish_reason": "tool_calls", **ours},
        {"role": "tool", "tool_call_id": "c1", "tool_name": "echo", "content": "result"},
    ]
    with Scripted(Say("ok")) as server:
        ask(endpoint(server), Request(messages, tools=[TOOL], max_tokens=77))
    body = server.sent[0].body
    assert body["model"] == "scripted"
    assert body["max_tokens"] == 77
    assert body["tools"] == [TOOL]
    assert body["messages"][2] == {"role": "assistant", "content": "", "tool_calls": [call]}
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "result"}
    assert server.sent[0].headers["authorization"] == "Bearer sk-test"


def test_calls_come_together_from_their_pieces() -> None:
    with Scripted(Say(calls=[("echo", {"text": "héllo"}), ("list", {})])) as server:
        events = ask(endpoint(server), HELLO)
    assert {event.index for event in events if isinstance(event, ToolCallDelta)} == {0, 1}
    first, second = events[-1].message["tool_calls"]
    assert first == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "echo", "arguments": '{"text": "h\\u00e9llo"}'},
    }
    assert second["function"] == {"name": "list", "arguments": "{}"}
    assert events[-1].message["finish_reason"] == "tool_calls"


def test_calls_that_are_all_numbered_0_are_told_apart_by_their_id() -> None:
    def piece(call_id: str, name: str) -> str:
        return delta(
            '{"tool_calls":[{"index":0,"id":"' + call_id + '","function":{"name":"' + name + '","arguments":"{}"}}]}'
        )

    calls = answered(piece("a", "one"), piece("b", "two"), delta("{}", '"tool_calls"')).message["tool_calls"]
    assert [(call["id"], call["function"]["name"]) for call in calls] == [("a", "one"), ("b", "two")]


def test_a_call_without_an_id_gets_one_and_arguments_as_an_object_become_text() -> None:
    (call,) = answered(
        delta('{"tool_calls":[{"function":{"name":"one","arguments":{"a":1}}}]}', '"stop"')
    ).message["tool_calls"]  # fmt: skip
    assert call["id"].startswith("call_")
    assert call["function"]["arguments"] == '{"a": 1}'


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_told_and_stored(field: str) -> None:
    with Scripted(
        Raw(data(delta(f'{{"{field}":"let me "}}'), delta(f'{{"{field}":"see"}}'), delta('{"content":"42"}', '"stop"')))
    ) as server:
        events = ask(endpoint(server), HELLO)
    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["let me ", "see"]
    assert events[-1].message["reasoning"] == "let me see"
    assert events[-1].message.get("reasoning_content") == ("let me see" if field == "reasoning_content" else None)


def test_reasoning_details_come_together_and_go_back_where_they_are_wanted() -> None:
    message = answered(
        delta('{"reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}'),
        delta('{"reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"signature":null}]}'),
        delta('{"reasoning_details":[{"type":"reasoning.text","text":"","index":0,"signature":"S"}]}'),
        delta('{"content":"x"}', '"stop"'),
    ).message
    assert message["reasoning"] == "ab"
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": "ab", "index": 0, "signature": "S"}]
    foreign = {"role": "assistant", "content": "y", "reasoning_details": [{"type": "thinking", "thinking": "z"}]}
    sent = Chat(replays="reasoning_details").body("m", Request([message, foreign]))["messages"]
    assert sent[0]["reasoning_details"] == message["reasoning_details"]
    assert "reasoning_details" not in sent[1]


def test_tokens_are_counted_as_the_ledger_counts_them() -> None:
    said = Say("x", input_tokens=70, cache_read_tokens=20, cache_write_tokens=10, output_tokens=9, reasoning_tokens=4)
    with Scripted(said) as server:
        usage = ask(endpoint(server), HELLO)[-1].usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (70, 20, 10)
    assert (usage.output_tokens, usage.reasoning_tokens, usage.api_call_count) == (9, 4, 1)
    assert (usage.model, usage.billing_provider, usage.cost_status) == ("scripted", "test", "unknown")


def test_a_cost_the_provider_reports_is_the_cost() -> None:
    with Scripted(Say("x", cost=0.0123)) as server:
        usage = ask(endpoint(server), HELLO)[-1].usage
    assert (usage.actual_cost_usd, usage.cost_status, usage.cost_source) == (0.0123, "actual", "provider")


@pytest.mark.parametrize(
    ("reason", "stored"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("function_call", "tool_calls")],
)
def test_how_an_answer_ended_is_kept(reason: str, stored: str) -> None:
    assert answered(delta('{"content":"x"}', f'"{reason}"')).message["finish_reason"] == stored


def test_a_server_that_does_not_stream_is_understood() -> None:
    choice = b'{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}'
    body = b'{"choices":[' + choice + b'],"usage":{"prompt_tokens":3}}'
    with Scripted(Raw([body], content_type="application/json")) as server:
        events = ask(endpoint(server), HELLO)
    assert events[0] == TextDelta("whole")
    assert events[-1].usage.input_tokens == 3


def test_an_end_without_done_is_an_end_when_a_reason_was_given() -> None:
    assert answered(delta('{"content":"x"}', '"stop"'), done=False).message["content"] == "x"


def test_an_end_without_either_is_none() -> None:
    with pytest.raises(AnswerBroken):
        answered(delta('{"content":"x"}'), done=False)


def test_images_of_a_tool_follow_in_a_message_of_their_own() -> None:
    image: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "shot"}, image]},
        {"role": "tool", "tool_call_id": "b", "content": "x"},
    ]
    sent = Chat().body("m", Request(messages))["messages"]
    assert [(one["role"], one["content"]) for one in sent] == [("tool", "shot"), ("tool", "x"), ("user", [image])]


def test_cache_marks_stand_on_the_prompt_and_the_last_two_turns() -> None:
    messages = [{"role": "system", "content": "S"}, *({"role": "user", "content": str(n)} for n in range(4))]
    sent = Chat(marks_cache=True).body("m", Request(messages))["messages"]
    marked = [isinstance(one["content"], list) and "cache_control" in one["content"][-1] for one in sent]
    assert marked == [True, False, False, True, True]


def test_what_gemini_signs_goes_back_to_it_alone() -> None:
    extra = {"google": {"thought_signature": "S"}}
    piece = '{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"{}"},"extra_content":%s}]}'
    message = answered(delta(piece % str(extra).replace("'", '"')), delta("{}", '"tool_calls"')).message
    assert message["tool_calls"][0]["extra_content"] == extra
    (sent,) = Chat(replays="extra_content").body("m", Request([message]))["messages"]
    assert sent["tool_calls"][0]["extra_content"] == extra
    (sent,) = Chat().body("m", Request([message]))["messages"]
    assert "extra_content" not in sent["tool_calls"][0]
