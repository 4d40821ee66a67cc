"""What only the responses format does."""

from hermes.providers.base import Request
from hermes.providers.responses import Responses
from tests.servers.scripted import Raw, Say, Scripted
from tests.unit.providers.asking import ask, endpoint

HELLO = Request([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}])


def test_reasoning_and_message_items_are_stored_and_replayed() -> None:
    with Scripted(Say("ok", reasoning="hm", signature="ENC", calls=[("echo", {})]), Say("fine")) as server:
        provider = endpoint(server, format=Responses())
        message = ask(provider, HELLO)[-1].message
        result = {"role": "tool", "tool_call_id": "call_1", "content": "r"}
        ask(provider, Request([*HELLO.messages, message, result]))
    assert message["codex_reasoning_items"][0]["encrypted_content"] == "ENC"
    assert message["codex_message_items"][0]["content"][0]["text"] == "ok"
    body = server.sent[1].body
    assert body["instructions"] == "Be kind."
    assert [item.get("type", item.get("role")) for item in body["input"]] == [
        "user",
        "reasoning",
        "message",
        "function_call",
        "function_call_output",
    ]
    assert body["input"][1]["encrypted_content"] == "ENC"
    assert body["input"][2] == message["codex_message_items"][0]


def test_reasoning_that_cannot_be_replayed_is_left_out() -> None:
    message = {"role": "assistant", "content": "x", "codex_reasoning_items": [{"type": "reasoning", "id": "rs_1"}]}
    assert [item["role"] for item in Responses().body("gpt-5", Request([message]))["input"]] == ["assistant"]


def test_nothing_is_kept_on_the_other_side() -> None:
    body = Responses().body("gpt-5.2", HELLO._replace(cache_key="lineage", effort="high"))
    assert body["store"] is False
    assert body["include"] == ["reasoning.encrypted_content"]
    assert body["prompt_cache_key"] == "lineage"
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}


def test_a_model_that_does_not_reason_is_not_asked_to() -> None:
    assert not {"include", "reasoning"} & set(Responses().body("gpt-4.1", HELLO._replace(effort="high")))


def test_items_of_the_stream_count_when_the_end_has_none() -> None:
    events = [
        b'data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant",'
        b'"content":[{"type":"output_text","text":"hello"}]}}\n\n',
        b'data: {"type":"response.completed","response":{"output":[]}}\n\n',
    ]
    with Scripted(Raw(events)) as server:
        assert ask(endpoint(server, format=Responses()), HELLO)[-1].message["content"] == "hello"
