"""OpenAI chat completions, and every endpoint that is compatible with them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hermes.errors import AnswerBroken
from hermes.model.usage import Usage
from hermes.providers.base import Event, Finished, Message, ReasoningDelta, Request, TextDelta, ToolCallDelta
from hermes.providers.failures import failure_inside
from hermes.providers.parts import call, image_url, number, parsed, parts, section, text, texts
from hermes.providers.sse import ServerEvent

_REASONS = {"function_call": "tool_calls", "end_turn": "stop", "max_tokens": "length", "eos": "stop"}


class Chat(NamedTuple):
    """The options are what compatible endpoints differ in."""

    max_tokens_name: str = "max_tokens"
    effort_name: str = ""  # `reasoning_effort`; `reasoning` for OpenRouter's section; "": it has none
    replays: str = ""  # what it wants to see again: `reasoning_details`, `reasoning_content`, `extra_content` of calls
    takes_cache_key: bool = False
    marks_cache: bool = False  # whether cache_control marks go along
    path: str = "/chat/completions"
    root: str = ""

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, model: str, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model,
            "messages": self._messages(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = [dict(tool) for tool in request.tools]
        if request.max_tokens:
            body[self.max_tokens_name] = request.max_tokens
        if request.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": request.schema},
            }
        if request.cache_key and self.takes_cache_key:
            body["prompt_cache_key"] = request.cache_key
        return {**body, **self._effort(request.effort)}

    def _effort(self, effort: str) -> dict[str, Any]:
        if not effort or not self.effort_name:
            return {}
        if self.effort_name == "reasoning":
            return {"reasoning": {"enabled": False} if effort == "none" else {"effort": effort}}
        return {self.effort_name: effort}

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []
        images: list[Any] = []  # of tool results, which can be text alone: they follow in a message of their own
        for message in messages:
            if message["role"] != "tool" and images:
                sent.append({"role": "user", "content": images})
                images = []
            sent.append(self._message(message))
            if message["role"] == "tool":
                images += [part for part in parts(message.get("content")) if image_url(part)]
        if images:
            sent.append({"role": "user", "content": images})
        if self.marks_cache:
            _mark(sent)
        return sent

    def _message(self, message: Message) -> dict[str, Any]:
        role, content = message["role"], message.get("content")
        if role == "tool":
            result = texts(content) or ("(an image)" if content else "")
            return {"role": role, "tool_call_id": message.get("tool_call_id") or "", "content": result}
        if role != "assistant":
            return {"role": role, "content": content if content is not None else ""}
        sent = {"role": role, "content": content if content is not None else ""}
        if message.get("tool_calls"):
            sent["tool_calls"] = [self._call(one) for one in message["tool_calls"]]
        return {**sent, **self._reasoning(message)}

    def _call(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        sent = {"id": stored.get("id"), "type": "function", "function": dict(stored.get("function") or {})}
        if self.replays == "extra_content" and stored.get("extra_content"):
            sent["extra_content"] = stored["extra_content"]
        return sent

    def _reasoning(self, message: Message) -> dict[str, Any]:
        found = message.get(self.replays) if self.replays else None
        if self.replays == "reasoning_details" and isinstance(found, list):
            found = [one for one in found if text(section(one).get("type")).startswith("reasoning.")]
        return {self.replays: found} if found else {}

    def read(self, name: str, events: Iterator[ServerEvent]) -> Iterator[Event]:
        reading = _Reading(name)
        for event in events:
            if event.data.strip() == "[DONE]":
                reading.is_done = True
                break
            yield from reading.chunk(parsed(name, event.data))
        yield reading.finished()

    def whole(self, name: str, body: Any) -> Iterator[Event]:
        reading = _Reading(name)
        yield from reading.chunk(section(body))
        yield reading.finished()


class _Call:
    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.extra: Mapping[str, Any] = {}  # Gemini signs its thoughts here

    def whole(self) -> dict[str, Any]:
        made = call(self.id, self.name, "".join(self.arguments) or "{}")
        return {**made, "extra_content": dict(self.extra)} if self.extra else made


class _Reading:
    """An answer as it comes together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_content: list[str] = []
        self._details: dict[Any, dict[str, Any]] = {}
        self._calls: dict[int, _Call] = {}
        self._reason = ""
        self._usage: Mapping[str, Any] = {}
        self.is_done = False

    def chunk(self, chunk: Mapping[str, Any]) -> Iterator[Event]:
        if chunk.get("error"):
            raise failure_inside(self._name, chunk["error"])
        self._usage = section(chunk.get("usage")) or self._usage
        choices = chunk.get("choices") or []
        choice = section(choices[0]) if isinstance(choices, list) and choices else {}
        if choice.get("error"):
            raise failure_inside(self._name, choice["error"])
        yield from self._delta(section(choice.get("delta") or choice.get("message")))
        reason = text(choice.get("finish_reason"))
        self._reason = _REASONS.get(reason, reason) or self._reason

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[Event]:
        yield from self._think(delta)
        said = texts(delta.get("content"))
        refusal = text(delta.get("refusal"))
        if refusal:
            self._reason = "content_filter"
        if said or refusal:
            self._content.append(said + refusal)
            yield TextDelta(said + refusal)
        calls = delta.get("tool_calls")
        for at, piece in enumerate(calls if isinstance(calls, list) else ()):
            yield from self._tool_call(at, section(piece))

    def _think(self, delta: Mapping[str, Any]) -> Iterator[Event]:
        details = delta.get("reasoning_details")
        details = [section(one) for one in details] if isinstance(details, list) else []
        for detail in details:
            self._detail(detail)
        thought = text(delta.get("reasoning_content"))
        if thought:
            self._reasoning_content.append(thought)
        thought = text(delta.get("reasoning")) or thought or "".join(map(_detail_text, details))
        if thought:
            self._reasoning.append(thought)
            yield ReasoningDelta(thought)

    def _detail(self, piece: Mapping[str, Any]) -> None:
        """Pieces of one detail have its index; their texts belong together, and the last word counts otherwise."""
        known = self._details.setdefault((piece.get("index", len(self._details)), piece.get("type")), {})
        for key, value in piece.items():
            if key in ("text", "summary", "data") and isinstance(value, str):
                known[key] = known.get(key, "") + value
            elif value is not None or key not in known:
                known[key] = value

    def _tool_call(self, at: int, piece: Mapping[str, Any]) -> Iterator[Event]:
        numbered = piece.get("index")
        index = numbered if isinstance(numbered, int) else at
        call_id, function = text(piece.get("id")), section(piece.get("function"))
        known = self._calls.get(index)
        if known is not None and call_id and known.id and call_id != known.id:
            index = self._place_of(call_id)  # some servers number every call 0
        known = self._calls.setdefault(index, _Call())
        known.id = known.id or call_id
        known.extra = section(piece.get("extra_content")) or known.extra
        name, arguments = text(function.get("name")), function.get("arguments")
        arguments = json.dumps(arguments) if isinstance(arguments, dict) else text(arguments)
        if name and name != known.name:
            known.name += name
        known.arguments.append(arguments)
        yield ToolCallDelta(index, name, arguments)

    def _place_of(self, call_id: str) -> int:
        at = next((at for at, one in self._calls.items() if one.id == call_id), None)
        return at if at is not None else max(self._calls) + 1

    def finished(self) -> Finished:
        anything = self._content or self._calls or self._reasoning
        if not self._reason and not (self.is_done and anything):
            raise AnswerBroken(f"{self._name}: the answer was cut off before its end.")
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._content)}
        calls = [one.whole() for _, one in sorted(self._calls.items())]
        if calls:
            message["tool_calls"] = calls
        message["finish_reason"] = "tool_calls" if calls and self._reason in ("", "stop") else self._reason or "stop"
        if self._reasoning:
            message["reasoning"] = "".join(self._reasoning)
        if self._reasoning_content:
            message["reasoning_content"] = "".join(self._reasoning_content)
        if self._details:
            message["reasoning_details"] = list(self._details.values())
        return Finished(message, usage_of(self._usage))


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Tokens as the ledger counts them: the prompt without what came from the cache or went into it."""
    prompt, answer = section(usage.get("prompt_tokens_details")), section(usage.get("completion_tokens_details"))
    read = number(prompt.get("cached_tokens")) or number(usage.get("prompt_cache_hit_tokens"))
    written = number(prompt.get("cache_write_tokens"))
    cost = usage.get("cost")
    return Usage(
        input_tokens=max(0, number(usage.get("prompt_tokens")) - read - written),
        output_tokens=number(usage.get("completion_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=number(answer.get("reasoning_tokens")),
        actual_cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


def _detail_text(detail: Mapping[str, Any]) -> str:
    return text(detail.get("text")) or text(detail.get("summary"))


def _mark(sent: list[dict[str, Any]]) -> None:
    """Cache marks on the system prompt and on the last two things the person or a tool said."""
    marked = [message for message in sent if message["role"] == "system"][:1]
    marked += [message for message in sent if message["role"] in ("user", "tool") and message["content"]][-2:]
    for message in marked:
        content = [dict(part) for part in parts(message["content"])]
        if content:
            content[-1]["cache_control"] = {"type": "ephemeral"}
            message["content"] = content
