"""Anthropic messages. Thinking is kept with its signature in `reasoning_details` and sent back as it came; the
beginning of a conversation is marked, so that the provider caches it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hermes.errors import AnswerBroken
from hermes.model.usage import Usage
from hermes.providers.base import Event, Finished, Message, ReasoningDelta, Request, TextDelta, ToolCallDelta
from hermes.providers.failures import failure_inside
from hermes.providers.parts import call, calls_of, image_url, number, parsed, parts, section, text, texts
from hermes.providers.sse import ServerEvent

_VERSION = "2023-06-01"
_LONGEST = 32_000  # the format demands a limit; every model since Claude 4 allows this one
_LONGEST_OF_OLD = 8_192
_BUDGETS = {"minimal": 1_024, "low": 4_096, "medium": 8_192, "high": 16_384, "xhigh": 24_576}
_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length"}
_REASONS |= {"model_context_window_exceeded": "length", "refusal": "content_filter", "pause_turn": "stop"}
_THINKING = ("thinking", "redacted_thinking")
_NO_TEXT = "(no text)"  # a block without text is refused


class Anthropic(NamedTuple):
    cache_ttl: str = "5m"
    path: str = "/messages"
    root: str = "/v1"

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}

    def body(self, model: str, request: Request) -> dict[str, Any]:
        first = next((at for at, one in enumerate(request.messages) if one["role"] != "system"), len(request.messages))
        system = [part for message in request.messages[:first] for part in _parts(message.get("content"))]
        thinks = bool(request.effort) and request.effort != "none"
        messages = _messages(request.messages[first:], thinks=thinks)
        tools = [_tool(tool) for tool in request.tools]
        limit = request.max_tokens or (_LONGEST_OF_OLD if re.search(r"claude-[23]\b", model) else _LONGEST)
        body: dict[str, Any] = {"model": model, "messages": messages, "max_tokens": limit, "stream": True}
        if system:
            body["system"] = system
        if tools:
            body["tools"] = tools
        body |= _thinking(model, request.effort, limit) if thinks else {}
        if request.schema is not None:
            answer = {"type": "json_schema", "schema": request.schema}
            body["output_config"] = {**body.get("output_config", {}), "format": answer}
        self._mark(system, tools, messages)
        return body

    def _mark(self, system: list[dict[str, Any]], tools: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
        """Four marks are allowed: tools, system prompt, and the last two turns of the person."""
        mark = {"type": "ephemeral", **({"ttl": self.cache_ttl} if self.cache_ttl != "5m" else {})}
        turns = [message["content"] for message in messages if message["role"] == "user"][-2:]
        for blocks in (tools, system, *turns):
            if blocks:
                blocks[-1]["cache_control"] = mark

    def read(self, name: str, events: Iterator[ServerEvent]) -> Iterator[Event]:
        reading = _Reading(name)
        for event in events:
            value = parsed(name, event.data)
            yield from reading.event(value, text(value.get("type")) or event.name)
            if reading.is_done:
                yield reading.finished()
                return
        yield reading.finished()  # an end is an end when its reason was given

    def whole(self, name: str, body: Any) -> Iterator[Event]:
        reading = _Reading(name)
        answer = section(body)
        if answer.get("type") == "error":
            raise failure_inside(name, answer.get("error"))
        yield from reading.event({"message": answer}, "message_start")
        for at, block in enumerate(answer.get("content") or ()):
            yield from reading.event({"index": at, "content_block": block}, "content_block_start")
        yield from reading.event({"delta": {"stop_reason": answer.get("stop_reason")}}, "message_delta")
        yield reading.finished()


# -- what is asked


def _messages(messages: Sequence[Message], *, thinks: bool) -> list[dict[str, Any]]:
    """Turns that alternate, the person's first; the results of all calls of a turn are one message."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = _blocks(message, thinks=thinks)
        if not blocks:
            continue
        if sent and sent[-1]["role"] == role:
            sent[-1]["content"] += blocks
        else:
            sent.append({"role": role, "content": blocks})
    if not sent or sent[0]["role"] != "user":
        sent.insert(0, {"role": "user", "content": [{"type": "text", "text": _NO_TEXT}]})
    return sent


def _blocks(message: Message, *, thinks: bool) -> list[dict[str, Any]]:
    content = message.get("content")
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": _id(message.get("tool_call_id"))}
        return [{**result, "content": _parts(content)} if content else result]
    if message["role"] != "assistant":
        return _parts(content) or [{"type": "text", "text": _NO_TEXT}]
    details = message.get("reasoning_details")
    details = [dict(section(one)) for one in details] if isinstance(details, list) and thinks else []
    blocks = [one for one in details if one.get("type") in _THINKING and (one.get("signature") or one.get("data"))]
    blocks += [{"type": "text", "text": said} for said in (texts(content).rstrip(),) if said]
    for call_id, name, arguments in calls_of(message):
        blocks.append({"type": "tool_use", "id": _id(call_id), "name": name, "input": _input(arguments)})
    return blocks


def _parts(content: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for part in parts(content):
        url = image_url(part)
        said = texts([part])
        if url:
            made.append({"type": "image", "source": _source(url)})
        elif said.strip():
            made.append({"type": "text", "text": said})
    return made


def _source(url: str) -> dict[str, str]:
    match = re.match(r"data:([\w.+/-]+);base64,", url)
    if match is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": match[1], "data": url[match.end() :]}


def _id(call_id: Any) -> str:
    """Ids of other formats can have characters that this one refuses."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", str(call_id or "")) or "call"


def _input(arguments: str) -> dict[str, Any]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"unreadable": arguments}


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = section(tool.get("function"))
    made = {"name": function.get("name"), "input_schema": function.get("parameters") or {"type": "object"}}
    return {**made, **({"description": function["description"]} if function.get("description") else {})}


def _thinking(model: str, effort: str, limit: int) -> dict[str, Any]:
    """Since 4.6 a model decides itself how long it thinks; before, it is given a number of tokens."""
    version = _version(model)
    if version >= (4, 6):
        level = {"minimal": "low", "xhigh": "xhigh" if version >= (4, 7) else "high"}.get(effort, effort)
        shown = {"type": "adaptive", "display": "summarized"}
        return {"thinking": shown, "output_config": {"effort": level}}
    budget = min(_BUDGETS.get(effort, _BUDGETS["medium"]), limit - 1_024)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= 1_024 else {}


def _version(model: str) -> tuple[int, int]:
    """`claude-sonnet-4-6` is (4, 6), `claude-opus-5` is (5, 0); what does not tell is taken for a new one."""
    found = re.search(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)", model)
    return (int(found[1]), int(found[2] or 0)) if found else (99, 0)


# -- what is read


class _Reading:
    def __init__(self, name: str) -> None:
        self._name = name
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._reason = ""
        self.is_done = False

    def event(self, value: Mapping[str, Any], kind: str) -> Iterator[Event]:
        index = value.get("index")
        index = index if isinstance(index, int) else 0
        if kind == "error":
            raise failure_inside(self._name, value.get("error"))
        if kind == "message_start":
            self._count(section(value.get("message")).get("usage"))
        elif kind == "content_block_start":
            yield from self._begin(index, section(value.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._delta(index, section(value.get("delta")))
        elif kind == "message_delta":
            self._count(value.get("usage"))
            reason = text(section(value.get("delta")).get("stop_reason"))
            self._reason = _REASONS.get(reason, reason) or self._reason
        self.is_done = self.is_done or kind == "message_stop"

    def _count(self, usage: Any) -> None:
        """Each report is the sum so far; one that leaves something out does not take it back."""
        self._usage |= {key: value for key, value in section(usage).items() if value is not None}

    def _begin(self, index: int, block: Mapping[str, Any]) -> Iterator[Event]:
        given = block.get("input")
        begun = {**block, "json": [json.dumps(given)] if given else []}
        self._blocks[index] = begun
        if block.get("type") == "tool_use":
            yield ToolCallDelta(index, text(block.get("name")), "".join(begun["json"]))
        elif text(block.get("text")):
            yield TextDelta(block["text"])
        elif text(block.get("thinking")):
            yield ReasoningDelta(block["thinking"])

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[Event]:
        block = self._blocks.setdefault(index, {"type": "text", "text": "", "json": []})
        kind = delta.get("type")
        if kind == "text_delta":
            said = text(delta.get("text"))
            block.setdefault("pieces", []).append(said)
            yield TextDelta(said)
        elif kind == "thinking_delta":
            thought = text(delta.get("thinking"))
            block.setdefault("pieces", []).append(thought)
            yield ReasoningDelta(thought)
        elif kind == "signature_delta":
            block["signature"] = text(block.get("signature")) + text(delta.get("signature"))
        elif kind == "input_json_delta":
            piece = text(delta.get("partial_json"))
            block["json"].append(piece)
            yield ToolCallDelta(index, "", piece)

    def finished(self) -> Finished:
        if not self._reason:
            raise AnswerBroken(f"{self._name}: the answer was cut off before its end.")
        blocks = [block for _, block in sorted(self._blocks.items())]
        calls = [
            call(text(block.get("id")), text(block.get("name")), "".join(block["json"]) or "{}")
            for block in blocks
            if block.get("type") == "tool_use"
        ]
        message: dict[str, Any] = {"role": "assistant", "content": _joined(blocks, "text")}
        if calls:
            message["tool_calls"] = calls
        message["finish_reason"] = "tool_calls" if calls and self._reason == "stop" else self._reason
        thought = _joined(blocks, "thinking")
        if thought:
            message["reasoning"] = thought
        details = [_detail(block) for block in blocks if block.get("type") in _THINKING]
        if details:
            message["reasoning_details"] = details
        return Finished(message, usage_of(self._usage))


def _whole_text(block: Mapping[str, Any], kind: str) -> str:
    return text(block.get(kind)) + "".join(block.get("pieces") or ())


def _joined(blocks: list[dict[str, Any]], kind: str) -> str:
    return "".join(_whole_text(block, kind) for block in blocks if block.get("type") == kind)


def _detail(block: Mapping[str, Any]) -> dict[str, Any]:
    """Thinking as it is sent back: byte for byte, or its signature does not hold."""
    if block["type"] == "redacted_thinking":
        return {"type": "redacted_thinking", "data": text(block.get("data"))}
    return {
        "type": "thinking",
        "thinking": _whole_text(block, "thinking"),
        "signature": text(block.get("signature")),
    }


def usage_of(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(usage.get("input_tokens")),
        output_tokens=number(usage.get("output_tokens")),
        cache_read_tokens=number(usage.get("cache_read_input_tokens")),
        cache_write_tokens=number(usage.get("cache_creation_input_tokens")),
        reasoning_tokens=number(section(usage.get("output_tokens_details")).get("thinking_tokens")),
    )
