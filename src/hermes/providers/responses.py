"""OpenAI responses. Nothing is kept on their side: what the format wants to see again (reasoning, encrypted, and
messages with their phase) is stored with our message and sent back as it came."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hermes.errors import AnswerBroken
from hermes.model.usage import Usage
from hermes.providers.base import Event, Finished, Message, ReasoningDelta, Request, TextDelta, ToolCallDelta
from hermes.providers.failures import failure_inside
from hermes.providers.parts import call, calls_of, image_url, number, parsed, parts, section, text, texts
from hermes.providers.sse import ServerEvent

_WITHOUT_REASONING = ("gpt-4", "gpt-3", "chatgpt-", "gpt-5-chat")


class Responses(NamedTuple):
    path: str = "/responses"
    root: str = ""

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, model: str, request: Request) -> dict[str, Any]:
        instructions, rest = _instructions(request.messages)
        body: dict[str, Any] = {"model": model, "input": list(_items(rest)), "stream": True, "store": False}
        if instructions:
            body["instructions"] = instructions
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if request.max_tokens:
            body["max_output_tokens"] = max(16, request.max_tokens)  # the least the endpoint accepts
        if request.schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": request.schema}}
        if request.cache_key:
            body["prompt_cache_key"] = request.cache_key
        return {**body, **_reasoning(model, request.effort)}

    def read(self, name: str, events: Iterator[ServerEvent]) -> Iterator[Event]:
        reading = _Reading(name)
        for event in events:
            if event.data.strip() == "[DONE]":
                continue
            value = parsed(name, event.data)
            yield from reading.event(value, text(value.get("type")) or event.name)
            if reading.response is not None:
                yield reading.finished()
                return
        raise AnswerBroken(f"{name}: the answer was cut off before its end.")

    def whole(self, name: str, body: Any) -> Iterator[Event]:
        reading = _Reading(name)
        answer = section(body)
        yield from reading.event({"response": answer}, "response." + (text(answer.get("status")) or "failed"))
        finished = reading.finished()
        if finished.message["content"]:
            yield TextDelta(finished.message["content"])
        yield finished


# -- what is asked


def _instructions(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    first = next((at for at, message in enumerate(messages) if message["role"] != "system"), len(messages))
    return "\n\n".join(texts(message.get("content")) for message in messages[:first]), messages[first:]


def _items(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            output = _parts(content) if any(image_url(part) for part in parts(content)) else texts(content)
            yield {"type": "function_call_output", "call_id": message.get("tool_call_id") or "", "output": output}
        elif role == "assistant":
            yield from _said(message)
        else:
            yield {"role": "developer" if role == "system" else "user", "content": _parts(content)}


def _said(message: Message) -> Iterator[dict[str, Any]]:
    """Reasoning goes before what followed from it."""
    for item in message.get("codex_reasoning_items") or ():
        if item.get("encrypted_content"):  # without it the endpoint would look for an item that it did not keep
            yield _as_it_came(item)
    kept = message.get("codex_message_items")
    if kept:
        yield from map(_as_it_came, kept)
    elif texts(message.get("content")):
        yield {"role": "assistant", "content": texts(message.get("content"))}
    for call_id, name, arguments in calls_of(message):
        yield {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def _as_it_came(item: Mapping[str, Any]) -> dict[str, Any]:
    """What is empty in an answer is refused in a question."""
    return {key: value for key, value in item.items() if value is not None}


def _parts(content: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for part in parts(content):
        url = image_url(part)
        image = {"type": "input_image", "image_url": url, "detail": "auto"}
        made.append(image if url else {"type": "input_text", "text": texts([part])})
    return made or [{"type": "input_text", "text": ""}]


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "strict": False, **section(tool.get("function"))}


def _reasoning(model: str, effort: str) -> dict[str, Any]:
    if model.rpartition("/")[2].startswith(_WITHOUT_REASONING):
        return {}
    asked: dict[str, Any] = {"include": ["reasoning.encrypted_content"]}
    return {**asked, "reasoning": {"effort": effort, "summary": "auto"}} if effort else asked


# -- what is read


class _Reading:
    def __init__(self, name: str) -> None:
        self._name = name
        self._items: dict[int, Mapping[str, Any]] = {}
        self.response: Mapping[str, Any] | None = None
        self._status = ""

    def event(self, value: Mapping[str, Any], kind: str) -> Iterator[Event]:
        index = value.get("output_index")
        index = index if isinstance(index, int) else len(self._items)
        delta = text(value.get("delta"))
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            yield TextDelta(delta)
        elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            yield ReasoningDelta(delta)
        elif kind == "response.reasoning_summary_part.added" and value.get("summary_index"):
            yield ReasoningDelta("\n\n")
        elif kind == "response.function_call_arguments.delta":
            yield ToolCallDelta(index, "", delta)
        elif kind == "response.output_item.added":
            item = section(value.get("item"))
            if item.get("type") == "function_call":
                yield ToolCallDelta(index, text(item.get("name")), "")
        elif kind == "response.output_item.done":
            self._items[index] = section(value.get("item"))
        elif kind in ("response.completed", "response.incomplete"):
            self.response, self._status = section(value.get("response")), kind.rpartition(".")[2]
        elif kind in ("error", "response.failed", "response.cancelled"):
            failed = section(value.get("response"))
            raise failure_inside(self._name, value.get("error") or failed.get("error") or value)

    def finished(self) -> Finished:
        response = self.response or {}
        output = response.get("output")
        items = output if isinstance(output, list) and output else [item for _, item in sorted(self._items.items())]
        items = [section(item) for item in items]
        calls = [
            call(text(item.get("call_id")), text(item.get("name")), text(item.get("arguments")) or "{}")
            for item in items
            if item.get("type") == "function_call"
        ]
        message: dict[str, Any] = {"role": "assistant", "content": _text_of(items)}
        if calls:
            message["tool_calls"] = calls
        message["finish_reason"] = self._reason(response, calls)
        return Finished({**message, **_kept(items)}, usage_of(section(response.get("usage"))))

    def _reason(self, response: Mapping[str, Any], calls: list[dict[str, Any]]) -> str:
        if self._status == "incomplete":
            reason = text(section(response.get("incomplete_details")).get("reason"))
            return "content_filter" if reason == "content_filter" else "length"
        return "tool_calls" if calls else "stop"


def _text_of(items: list[Mapping[str, Any]]) -> str:
    found = []
    for item in items:
        for part in item.get("content") or () if item.get("type") == "message" else ():
            found.append(text(section(part).get("text")) or text(section(part).get("refusal")))
    return "".join(found)


def _kept(items: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of the store that this format fills."""
    reasoning = [dict(item) for item in items if item.get("type") == "reasoning"]
    messages = [dict(item) for item in items if item.get("type") == "message"]
    pieces = [piece for item in reasoning for key in ("summary", "content") for piece in item.get(key) or ()]
    thought = "\n\n".join(text(section(piece).get("text")) for piece in pieces)
    kept = {"reasoning": thought, "codex_reasoning_items": reasoning, "codex_message_items": messages}
    return {column: value for column, value in kept.items() if value}


def usage_of(usage: Mapping[str, Any]) -> Usage:
    details = section(usage.get("input_tokens_details"))
    read, written = number(details.get("cached_tokens")), number(details.get("cache_write_tokens"))
    cost = usage.get("cost")
    return Usage(
        input_tokens=max(0, number(usage.get("input_tokens")) - read - written),
        output_tokens=number(usage.get("output_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=number(section(usage.get("output_tokens_details")).get("reasoning_tokens")),
        actual_cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )
