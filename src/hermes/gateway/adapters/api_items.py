"""Items of the responses API, from and to messages in the chat form."""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.errors import BadInput
from hermes.gateway.adapters import api_asked
from hermes.gateway.adapters.api_asked import Asked, Message, call_id, called, function_tool, listed, offered

_TEXTS = ("input_text", "output_text", "text")
_SPEAKERS = ("user", "assistant", "system", "developer")


def of_responses(body: Mapping[str, Any]) -> Asked:
    """The body of a request for a response, or BadInput that says what is wrong with it."""
    if body.get("background"):
        raise BadInput("A response is not made in the background; leave background out, or stream it.")
    text = body.get("text")
    api_asked.refuse_forms(text.get("format") if isinstance(text, dict) else text)
    instructions = body.get("instructions")
    if instructions is not None and not isinstance(instructions, str):
        raise BadInput("instructions are to be text.")
    messages = as_messages(body.get("input"))
    if instructions:
        messages.insert(0, {"role": "system", "content": instructions})
    return api_asked.asked(body, messages, offered(body, [_tool(one) for one in listed(body, "tools")]))


def _tool(given: Any) -> Message:
    if not isinstance(given, dict) or given.get("type") != "function":
        raise BadInput("Only function tools can be sent along; Hermes has others of its own.")
    return function_tool(given)


def as_messages(given: Any) -> list[Message]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise BadInput("Send input: text, or a list of items.")
    messages: list[Message] = []
    for item in given:
        if not isinstance(item, dict):
            raise BadInput("An item of the input is to be an object.")
        _add(messages, item, item.get("type") or "message")
    return messages


def _add(messages: list[Message], item: Mapping[str, Any], kind: str) -> None:
    if kind == "message":
        messages.append(_message(item))
    elif kind == "function_call":
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant", "content": ""})
        calls = messages[-1].setdefault("tool_calls", [])
        calls.append(called(item.get("call_id"), item.get("name"), item.get("arguments")))
    elif kind == "function_call_output":
        content = _content(item.get("output"))
        messages.append({"role": "tool", "tool_call_id": call_id(item.get("call_id")), "content": content})
    elif kind != "reasoning":  # which is the model's own
        raise BadInput(f"Items of the kind '{str(kind)[:40]}' are not understood here.")


def _message(item: Mapping[str, Any]) -> Message:
    if item.get("role") not in _SPEAKERS:
        raise BadInput(f"A message has a role ({', '.join(_SPEAKERS)}) and content.")
    return {"role": item["role"], "content": _content(item.get("content"))}


def _content(given: Any) -> str | list[Message]:
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        raise BadInput("Content is text, or a list of parts.")
    return [_part(part) for part in given]


def _part(part: Any) -> Message:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    raise BadInput("A part of a message is input_text with text, or input_image with a data: URL in image_url.")


# -- the way back


def text_item(identity: str, text: str, status: str = "completed") -> Message:
    return {
        "type": "message", "id": identity, "role": "assistant", "status": status,
        "content": [text_part(text)] if text or status != "in_progress" else [],
    }  # fmt: skip


def text_part(text: str) -> Message:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def call_item(identity: str, call: Message, status: str = "completed") -> Message:
    function = call["function"]
    arguments = function["arguments"] if status == "completed" else ""
    return {
        "type": "function_call", "id": identity, "call_id": call["id"], "name": function["name"],
        "arguments": arguments, "status": status,
    }  # fmt: skip


def as_items(prefix: str, messages: Sequence[Message], theirs: Sequence[str]) -> list[Message]:
    """What an answer consists of: its texts, and the calls of the caller's own tools."""
    items: list[Message] = []
    for message in messages:
        text = api_asked.text_of(message.get("content"))
        if text.strip():
            items.append(text_item(f"msg_{prefix}_{len(items)}", text))
        for call in message.get("tool_calls") or ():
            if call["function"]["name"] in theirs:
                items.append(call_item(f"fc_{prefix}_{len(items)}", call))
    return items
