"""What holds in every wire format, against a server that speaks it."""

import pytest

from hermes.errors import AnswerBroken, ProviderError
from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Finished, ReasoningDelta, Request, TextDelta, ToolCallDelta
from hermes.providers.chat import Chat
from hermes.providers.endpoint import Format
from hermes.providers.responses import Responses
from tests.servers.scripted import Cut, Raw, Say, Scripted
from tests.unit.providers.asking import ask, endpoint

HELLO = Request([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}])
TOOL = {"type": "function", "function": {"name": "echo", "description": "d", "parameters": {"type": "object"}}}
every_format = pytest.mark.parametrize("format", [Chat(), Responses(), Anthropic()], ids=lambda one: one.path[1:])


def answered(format: Format, say: Say, request: Request = HELLO) -> Finished:
    with Scripted(say) as server:
        return ask(endpoint(server, format=format), request)[-1]


@every_format
def test_text_streams_and_is_whole_at_the_end(format: Format) -> None:
    with Scripted(Say("Grüße, 世界 und 🦊!")) as server:
        events = ask(endpoint(server, format=format), HELLO)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Grüße, ", "世界 ", "und ", "🦊!"]
    assert events[-1].message["content"] == "Grüße, 世界 und 🦊!"
    assert events[-1].message["role"] == "assistant"
    assert events[-1].message["finish_reason"] == "stop"


@every_format
def test_calls_are_read_whole(format: Format) -> None:
    with Scripted(Say("Wait.", calls=[("echo", {"text": "x"}), ("list", {})])) as server:
        events = ask(endpoint(server, format=format), Request(HELLO.messages, tools=[TOOL]))
    assert [event.name for event in events if isinstance(event, ToolCallDelta) and event.name] == ["echo", "list"]
    assert events[-1].message["finish_reason"] == "tool_calls"
    assert events[-1].message["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "echo", "arguments": '{"text": "x"}'}},
        {"id": "call_2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
    ]


@every_format
def test_arguments_that_are_no_json_come_as_they_are(format: Format) -> None:
    (call,) = answered(format, Say(calls=[("echo", '{"text": "x')])).message["tool_calls"]
    assert call["function"]["arguments"] == '{"text": "x'


@every_format
def test_reasoning_is_told_and_stored(format: Format) -> None:
    with Scripted(Say("42", reasoning="let me think")) as server:
        events = ask(endpoint(server, format=format), HELLO)
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "let me think"
    assert events[-1].message["reasoning"] == "let me think"


@every_format
def test_tokens_are_counted_the_same_way(format: Format) -> None:
    usage = answered(format, Say("x", input_tokens=70, cache_read_tokens=20, cache_write_tokens=10)).usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (70, 20, 10)
    assert usage.output_tokens == 20


@every_format
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_stopped_says_so(format: Format, reason: str) -> None:
    assert answered(format, Say("half", finish=reason)).message["finish_reason"] == reason


@every_format
def test_a_second_turn_with_calls_and_results_is_accepted_and_complete(format: Format) -> None:
    first = answered(format, Say("On it.", calls=[("echo", {"a": 1})], reasoning="hm"), HELLO).message
    result = {"role": "tool", "tool_call_id": "call_1", "tool_name": "echo", "content": "done"}
    with Scripted(Say("Good.")) as server:
        ask(endpoint(server, format=format), Request([*HELLO.messages, first, result]))
    sent = str(server.sent[0].body)
    for piece in ("Be kind.", "hi", "On it.", "echo", "call_1", "done"):
        assert piece in sent
    for column in ("finish_reason", "tool_name", "codex_", "reasoning_content"):
        assert column not in sent


@every_format
def test_a_whole_answer_is_read_too(format: Format) -> None:
    say = Say("whole", calls=[("echo", {"a": 1})], reasoning="hm")
    with Scripted(say) as server:
        message = ask(endpoint(server, format=format, extra_body={"stream": False}), HELLO)[-1].message
    assert message["content"] == "whole"
    assert message["reasoning"] == "hm"
    assert message["tool_calls"][0]["function"] == {"name": "echo", "arguments": '{"a": 1}'}


@every_format
def test_a_stream_that_is_cut_anywhere_is_an_error_and_never_half_an_answer(format: Format) -> None:
    say = Say("one two", calls=[("echo", {"a": 1})], reasoning="hm")
    with Scripted(otherwise=say) as server:
        provider = endpoint(server, format=format)
        whole = ask(provider, HELLO)[-1]
        for events in range(30):
            server.add(Cut(say, events, then="end" if events % 2 else "cut"))
            try:
                assert ask(provider, HELLO)[-1].message == whole.message
            except ProviderError:
                continue
            break  # from here on nothing that matters is missing
    assert events > 6


@every_format
@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: {not json}\n\n"],
        [b"data: 17\n\n"],
        [b'data: {"choices":[{"delta":{"content":"\xff\xfe"}}]}\n\n'],
        [b"\x00\x01\x02" * 100],
        [],
        [b"data: " + b"[" * 100_000 + b"\n\n"],
    ],
    ids=["not json", "a number", "not utf-8", "noise", "nothing", "deep"],
)
def test_garbage_is_an_error(format: Format, chunks: list[bytes]) -> None:
    with Scripted(Raw(chunks)) as server, pytest.raises(AnswerBroken):
        ask(endpoint(server, format=format), HELLO)


@every_format
def test_characters_cut_in_half_between_chunks_are_put_together(format: Format) -> None:
    from tests.servers.rendering import render

    whole = b"".join(render(format.path, {}, Say("世界🦊")))
    with Scripted(Raw([whole[at : at + 1] for at in range(len(whole))])) as server:
        assert ask(endpoint(server, format=format), HELLO)[-1].message["content"] == "世界🦊"


@every_format
def test_halves_of_a_character_in_two_deltas_are_put_together(format: Format) -> None:
    say = Say(
        "🦊!", pieces=["a\ud83e", "\udd8a", "b\ud83e"], reasoning="\ud83e\udd8a", calls=[("echo", '{"a": "\ud83e"}')]
    )
    with Scripted(say) as server:
        events = ask(endpoint(server, format=format), HELLO)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "a🦊b"
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "🦊"
    str(events).encode()  # nothing in it is half a character


@every_format
def test_an_answer_of_a_schema_is_asked_for(format: Format) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    with Scripted(Say('{"title": "x"}')) as server:
        ask(endpoint(server, format=format), HELLO._replace(schema=schema))
    assert str(schema) in str(server.sent[0].body)


@every_format
def test_images_are_sent(format: Format) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = {"role": "user", "content": [{"type": "text", "text": "what is this?"}, image]}
    result = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "shot"}, image]}
    with Scripted(Say("a cat")) as server:
        ask(endpoint(server, format=format), Request([message, result]))
    assert str(server.sent[0].body).count("AAAA") == 2
