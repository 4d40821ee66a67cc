"""An answer of a script in the three wire formats: as server-sent events, or in one piece."""

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def render(path: str, body: Json, say: Any, *, whole: bool = False) -> Any:
    """The events of a stream as bytes, or the JSON of a whole answer."""
    path = path.partition("?")[0].rstrip("/")
    for ending, streamed, complete in (
        ("/chat/completions", _chat, _whole_chat),
        ("/responses", _responses, _whole_responses),
        ("/messages", _anthropic, _whole_anthropic),
    ):
        if path.endswith(ending):
            return complete(body, say) if whole else list(streamed(body, say))
    raise ValueError(f"nothing is served at {path}")


def calls_of(say: Any) -> list[tuple[str, str, str]]:
    """(id, name, arguments as text) of each call."""
    made = []
    for at, call in enumerate(say.calls):
        name, arguments, *rest = call
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        made.append((rest[0] if rest else f"call_{at + 1}", name, text))
    return made


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def _data(value: Any) -> bytes:
    """Half a character can only be sent as an escape."""
    text = json.dumps(value, ensure_ascii=False)
    return b"data: " + (text if text.isprintable() else json.dumps(value)).encode() + b"\n\n"


def _named(value: Json) -> bytes:
    return b"event: " + value["type"].encode() + b"\n" + _data(value)


# -- chat completions


def _chat_usage(say: Any) -> Json:
    usage = {
        "prompt_tokens": say.input_tokens + say.cache_read_tokens + say.cache_write_tokens,
        "completion_tokens": say.output_tokens,
        "total_tokens": say.input_tokens + say.cache_read_tokens + say.cache_write_tokens + say.output_tokens,
        "prompt_tokens_details": {"cached_tokens": say.cache_read_tokens, "cache_write_tokens": say.cache_write_tokens},
        "completion_tokens_details": {"reasoning_tokens": say.reasoning_tokens},
    }
    return usage if say.cost is None else {**usage, "cost": say.cost}


def _chat_reason(say: Any) -> str:
    return say.finish or ("tool_calls" if say.calls else "stop")


def _chat(body: Json, say: Any) -> Iterator[bytes]:
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": say.model}

    def chunk(delta: Json, reason: str | None = None) -> bytes:
        return _data({**common, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    yield chunk({"role": "assistant", "content": ""})
    if say.reasoning:
        yield from (chunk({"reasoning_content": half}) for half in halves(say.reasoning))
    yield from (chunk({"content": word}) for word in say.words())
    for at, (call_id, name, arguments) in enumerate(calls_of(say)):
        first, second = halves(arguments)
        function = {"name": name, "arguments": first}
        yield chunk({"tool_calls": [{"index": at, "id": call_id, "type": "function", "function": function}]})
        yield chunk({"tool_calls": [{"index": at, "function": {"arguments": second}}]})
    yield chunk({}, _chat_reason(say))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _data({**common, "choices": [], "usage": _chat_usage(say)})
    yield b"data: [DONE]\n\n"


def _whole_chat(_body: Json, say: Any) -> Json:
    message: Json = {"role": "assistant", "content": say.text}
    if say.reasoning:
        message["reasoning_content"] = say.reasoning
    if say.calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls_of(say)
        ]
    choice = {"index": 0, "message": message, "finish_reason": _chat_reason(say)}
    common = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": say.model}
    return {**common, "choices": [choice], "usage": _chat_usage(say)}


# -- responses


def _items(say: Any) -> list[Json]:
    items: list[Json] = []
    if say.reasoning:
        summary = [{"type": "summary_text", "text": say.reasoning}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": say.signature})
    if say.text:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
    for call_id, name, arguments in calls_of(say):
        call = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
        items.append({**call, "arguments": arguments, "status": "completed"})
    return items


def _whole_responses(body: Json, say: Any) -> Json:
    cut = say.finish in ("length", "content_filter")
    reason = {"length": "max_output_tokens"}.get(say.finish, say.finish)
    usage = {
        "input_tokens": say.input_tokens + say.cache_read_tokens + say.cache_write_tokens,
        "input_tokens_details": {"cached_tokens": say.cache_read_tokens, "cache_write_tokens": say.cache_write_tokens},
        "output_tokens": say.output_tokens,
        "output_tokens_details": {"reasoning_tokens": say.reasoning_tokens},
        "total_tokens": say.input_tokens + say.cache_read_tokens + say.output_tokens,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": say.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": reason} if cut else None,
        "output": _items(say),
        "usage": usage,
        "error": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools") or [],
        "temperature": 1.0,
        "top_p": 1.0,
    }


def _responses(body: Json, say: Any) -> Iterator[bytes]:
    complete = _whole_responses(body, say)
    number = iter(range(10_000_000))

    def event(kind: str, **fields: Any) -> bytes:
        return _named({"type": f"response.{kind}", "sequence_number": next(number), **fields})

    begun = {**complete, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield event("created", response=begun)
    for at, item in enumerate(_items(say)):
        place = {"output_index": at, "item_id": item["id"]}
        yield event("output_item.added", output_index=at, item={**item, **_emptied(item)})
        if item["type"] == "reasoning":
            for half in halves(say.reasoning):
                yield event("reasoning_summary_text.delta", **place, summary_index=0, delta=half)
        elif item["type"] == "message":
            part = {"type": "output_text", "text": "", "annotations": []}
            yield event("content_part.added", **place, content_index=0, part=part)
            for word in say.words():
                yield event("output_text.delta", **place, content_index=0, delta=word, logprobs=[])
            yield event("output_text.done", **place, content_index=0, text=say.text, logprobs=[])
            yield event("content_part.done", **place, content_index=0, part=item["content"][0])
        else:
            for half in halves(item["arguments"]):
                yield event("function_call_arguments.delta", **place, delta=half)
            yield event("function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"])
        yield event("output_item.done", output_index=at, item=item)
    yield event("incomplete" if complete["status"] == "incomplete" else "completed", response=complete)


def _emptied(item: Json) -> Json:
    empty = {"reasoning": {"summary": []}, "message": {"content": [], "status": "in_progress"}}
    return empty.get(item["type"], {"arguments": "", "status": "in_progress"})


# -- Anthropic messages

_STOPS = {"length": "max_tokens", "content_filter": "refusal", "stop": "end_turn", "tool_calls": "tool_use"}


def _blocks(say: Any) -> list[Json]:
    blocks: list[Json] = []
    if say.reasoning:
        blocks.append({"type": "thinking", "thinking": say.reasoning, "signature": say.signature})
    if say.text:
        blocks.append({"type": "text", "text": say.text})
    for call_id, name, arguments in calls_of(say):
        blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
    return blocks


def _anthropic_usage(say: Any) -> Json:
    return {
        "input_tokens": say.input_tokens,
        "output_tokens": say.output_tokens,
        "cache_read_input_tokens": say.cache_read_tokens,
        "cache_creation_input_tokens": say.cache_write_tokens,
    }


def _whole_anthropic(_body: Json, say: Any) -> Json:
    blocks = [
        {**block, "input": json.loads(block["input"])} if block["type"] == "tool_use" else block
        for block in _blocks(say)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": say.model,
        "content": blocks,
        "stop_reason": _STOPS.get(say.finish, say.finish) or ("tool_use" if say.calls else "end_turn"),
        "stop_sequence": None,
        "usage": _anthropic_usage(say),
    }


def _anthropic(_body: Json, say: Any) -> Iterator[bytes]:
    stop = _STOPS.get(say.finish, say.finish) or ("tool_use" if say.calls else "end_turn")
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": say.model, "content": []}
    usage = {**_anthropic_usage(say), "output_tokens": 1}
    yield _named(
        {"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    )
    yield _named({"type": "ping"})
    for at, block in enumerate(_blocks(say)):
        yield _named({"type": "content_block_start", "index": at, "content_block": _begun(block)})
        for delta in _deltas(block, say):
            yield _named({"type": "content_block_delta", "index": at, "delta": delta})
        yield _named({"type": "content_block_stop", "index": at})
    end = {"stop_reason": stop, "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": end, "usage": {"output_tokens": say.output_tokens}})
    yield _named({"type": "message_stop"})


def _begun(block: Json) -> Json:
    empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {"input": {}}}
    return {**block, **empty[block["type"]]}


def _deltas(block: Json, say: Any) -> Iterator[Json]:
    if block["type"] == "thinking":
        yield from ({"type": "thinking_delta", "thinking": half} for half in halves(block["thinking"]))
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        yield from ({"type": "text_delta", "text": word} for word in say.words())
    else:
        yield from ({"type": "input_json_delta", "partial_json": half} for half in halves(block["input"]))
