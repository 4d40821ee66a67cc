"""The official SDKs read what the scripted provider serves, so that it is what the real ones would serve; and what our
formats send is what the SDKs' own types allow."""

import warnings
from collections.abc import Iterator

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import anthropic
    import openai
    from anthropic.types.message_create_params import MessageCreateParamsStreaming
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
    from pydantic import TypeAdapter

from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Request
from hermes.providers.chat import Chat
from hermes.providers.responses import Responses
from tests.servers.scripted import Fail, Say, Scripted

SAY = Say("Hello there.", calls=[("echo", {"a": 1})], reasoning="hm", input_tokens=70, cache_read_tokens=30)


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted(otherwise=SAY) as server:
        yield server


@pytest.fixture
def client(server: Scripted) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture
def claude(server: Scripted) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=server.root, api_key="k", max_retries=0) as client:
        yield client


def test_chat_completions_stream(client: openai.OpenAI) -> None:
    with client.chat.completions.stream(model="m", messages=[], stream_options={"include_usage": True}) as stream:
        answer = stream.get_final_completion()
    assert answer.choices[0].message.content == "Hello there."
    assert answer.choices[0].message.tool_calls[0].function.arguments == '{"a": 1}'
    assert answer.usage.prompt_tokens == 100
    assert answer.choices[0].finish_reason == "tool_calls"


def test_chat_completions_whole(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="m", messages=[])
    assert answer.choices[0].message.content == "Hello there."


def test_responses_stream(client: openai.OpenAI) -> None:
    with client.responses.stream(model="m", input="hi") as stream:
        answer = stream.get_final_response()
    assert answer.output_text == "Hello there."
    assert [item.type for item in answer.output] == ["reasoning", "message", "function_call"]
    assert answer.usage.input_tokens_details.cached_tokens == 30


def test_anthropic_messages_stream(claude: anthropic.Anthropic) -> None:
    with claude.messages.stream(model="m", max_tokens=10, messages=[{"role": "user", "content": "x"}]) as stream:
        answer = stream.get_final_message()
    assert [block.type for block in answer.content] == ["thinking", "text", "tool_use"]
    assert answer.content[0].signature == "sig-1"
    assert answer.content[2].input == {"a": 1}
    assert (answer.usage.input_tokens, answer.usage.cache_read_input_tokens) == (70, 30)
    assert answer.stop_reason == "tool_use"


def test_failures_are_failures_to_them_too(
    server: Scripted, client: openai.OpenAI, claude: anthropic.Anthropic
) -> None:
    server.add(Fail(429), Fail(529))
    with pytest.raises(openai.RateLimitError):
        client.chat.completions.create(model="m", messages=[])
    with pytest.raises(anthropic.InternalServerError):
        claude.messages.create(model="m", max_tokens=10, messages=[])


CALL = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": '{"a": 1}'}}
MESSAGE = {
    "type": "message",
    "id": "msg",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "so", "annotations": []}],
    "phase": None,
}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CONVERSATION = Request(
    [
        {"role": "system", "content": "S"},
        {"role": "user", "content": [{"type": "text", "text": "look"}, IMAGE]},
        {
            "role": "assistant",
            "content": "hm",
            "tool_calls": [CALL],
            "finish_reason": "tool_calls",
            "reasoning_details": [{"type": "thinking", "thinking": "t", "signature": "s"}],
            "codex_reasoning_items": [{"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "assistant", "content": "so", "codex_message_items": [MESSAGE]},
        {"role": "user", "content": "go on"},
    ],
    tools=[{"type": "function", "function": {"name": "echo", "description": "d", "parameters": {"type": "object"}}}],
    max_tokens=2000,
    effort="high",
    schema={"type": "object"},
    cache_key="k",
)


@pytest.mark.parametrize(
    ("format", "model", "types"),
    [
        (
            Chat(max_tokens_name="max_completion_tokens", effort_name="reasoning_effort", takes_cache_key=True),
            "gpt-5.2",
            CompletionCreateParamsStreaming,
        ),
        (Responses(), "gpt-5.2", ResponseCreateParamsStreaming),
        (Anthropic(cache_ttl="1h"), "claude-sonnet-4-6", MessageCreateParamsStreaming),
        (Anthropic(), "claude-sonnet-4-5", MessageCreateParamsStreaming),
    ],
)
def test_what_is_sent_is_what_their_types_allow(format: Chat | Responses | Anthropic, model: str, types: type) -> None:
    body = format.body(model, CONVERSATION)
    checked = TypeAdapter(types).validate_python(body)
    assert set(body) <= set(checked)
