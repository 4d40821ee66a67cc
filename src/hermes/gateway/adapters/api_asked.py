"""What a program sent to the API: read with care, and put into one form whatever route it came by."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request

from hermes.agent.base import Caller
from hermes.errors import BadInput

Message = dict[str, Any]
_ROLES = ("user", "assistant", "system", "developer", "tool")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_MESSAGES = 10_000
_MOST_TOOLS = 128
_LONGEST_NAME = 200


class Asked(NamedTuple):
    """The message to be answered, and what was said `before` it; results of calls of the caller's own tools; and the
    system prompt it wants. `new` are all the messages behind the last answer."""

    content: str
    images: tuple[str, ...]
    before: list[Message]
    new: list[Message]
    caller: Caller
    system: str
    model: str
    stream: bool
    with_usage: bool = False

    @property
    def said(self) -> list[Message]:
        """Everything up to the answer."""
        spoken = [{"role": "user", "content": self.content}] if self.content or self.images else []
        return [*self.before, *self.caller.results, *spoken]


async def body_of(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body(), parse_constant=_no_number, parse_float=_number)
    except (ValueError, RecursionError):
        raise BadInput("The body is no JSON.") from None
    if not isinstance(body, dict):
        raise BadInput("The body is to be a JSON object.")
    return body


def _no_number(name: str) -> float:
    """NaN and the like, which JSON does not have and no answer could repeat."""
    raise ValueError(name)


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def of_chat(body: Mapping[str, Any]) -> Asked:
    """The body of a chat completion, or BadInput that says what is wrong with it."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not 0 < len(messages) <= _MOST_MESSAGES:
        raise BadInput("Send messages: a list with at least one.")
    if body.get("functions"):
        raise BadInput("Send tools, not functions.")
    if body.get("n") not in (None, 1):
        raise BadInput("There is one answer: leave n out.")
    refuse_forms(body.get("response_format"))
    tools = [_tool(one.get("function")) if _is_function(one) else _no_tool() for one in listed(body, "tools")]
    options = body.get("stream_options")
    return asked(
        body,
        [_checked(one) for one in messages],
        offered(body, tools),
        with_usage=isinstance(options, dict) and bool(options.get("include_usage")),
    )


def asked(body: Mapping[str, Any], messages: list[Message], tools: Sequence[Message], **more: Any) -> Asked:
    """In the chat form, whatever it came in."""
    system = "\n\n".join(text_of(one["content"]) for one in messages if one["role"] in ("system", "developer"))
    spoken = [one for one in messages if one["role"] not in ("system", "developer")]
    last_answer = max((at for at, one in enumerate(spoken) if one["role"] == "assistant"), default=-1)
    new = spoken[last_answer + 1 :]
    results = [_plain(one) for one in new if one["role"] == "tool"]
    content, images = _words(new, bool(results))
    if not (content or images or results):
        raise BadInput("The last message is to be the user's, with something in it, or the result of a tool.")
    before = spoken[: last_answer + 1] if results else spoken[:-1]
    return Asked(
        content, images, [_plain(one) for one in before], new, Caller(tools, results), system, _model(body),
        stream=body.get("stream") is True, **more,
    )  # fmt: skip


def _words(new: Sequence[Message], all_of_them: bool) -> tuple[str, tuple[str, ...]]:
    """What the user says: the last message, or all that stand beside results."""
    users = [one for one in new if one["role"] == "user"]
    counted = users if all_of_them else users[-1:]
    texts = [text for text in (text_of(one["content"]) for one in counted) if text.strip()]
    return "\n\n".join(texts), tuple(url for one in counted for url in _images(one["content"]))


def _checked(one: Any) -> Message:
    role = one.get("role") if isinstance(one, dict) else None
    if role not in _ROLES or not isinstance(one.get("content"), str | list | None):
        raise BadInput(f"Each message has a role ({', '.join(_ROLES)}) and content.")
    message: Message = {"role": role, "content": one.get("content")}
    if role == "tool":
        message["tool_call_id"] = call_id(one.get("tool_call_id"))
    if role == "assistant" and one.get("tool_calls"):
        message["tool_calls"] = [_call(call) for call in listed(one, "tool_calls")]
    return message


def _call(call: Any) -> Message:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise BadInput("A tool call has an id and a function with a name and arguments.")
    return called(call.get("id"), function.get("name"), function.get("arguments"))


def called(identity: Any, name: Any, arguments: Any) -> Message:
    """A call as it is stored."""
    if not isinstance(name, str) or not isinstance(arguments, str):
        raise BadInput("A call has a name and arguments, which are JSON in a string.")
    return {"id": call_id(identity), "type": "function", "function": {"name": name, "arguments": arguments}}


def call_id(identity: Any) -> str:
    if not isinstance(identity, str) or not identity:
        raise BadInput("A call, and its result, have the call's id.")
    return identity


def _plain(one: Message) -> Message:
    return {**one, "content": text_of(one["content"])}


def text_of(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def _images(content: Any) -> tuple[str, ...]:
    parts = [part.get("image_url") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    urls = [str(part.get("url") or "") for part in parts if isinstance(part, dict)]
    if any(not url.startswith("data:image/") for url in urls):
        raise BadInput("Send pictures as data: URLs.")
    return tuple(urls)


# -- tools


def _is_function(tool: Any) -> bool:
    return isinstance(tool, dict) and tool.get("type") == "function"


def _no_tool() -> Message:
    raise BadInput("Only function tools can be sent along; Hermes has others of its own.")


def _tool(function: Any) -> Message:
    return function_tool(function) if isinstance(function, dict) else _no_tool()


def function_tool(given: Mapping[str, Any]) -> Message:
    """A tool of the caller's, as the model is told of it."""
    name, parameters = given.get("name"), given.get("parameters") or {"type": "object", "properties": {}}
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput("A tool's name has 1 to 64 letters, digits, _ or -.")
    if not isinstance(parameters, dict):
        raise BadInput(f"The parameters of the tool {name} are to be a JSON schema.")
    about = str(given.get("description") or "")
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def offered(body: Mapping[str, Any], tools: Sequence[Message]) -> Sequence[Message]:
    """The tools that the model is told of, as `tool_choice` says."""
    names = [one["function"]["name"] for one in tools]
    if len(set(names)) < len(names) or len(names) > _MOST_TOOLS:
        raise BadInput(f"Tools have different names, and there are at most {_MOST_TOOLS}.")
    choice = body.get("tool_choice")
    if choice not in (None, "auto", "none"):
        raise BadInput("The model decides itself which tools it calls: tool_choice is auto or none.")
    return () if choice == "none" else tools


def listed(body: Mapping[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    if found is not None and not isinstance(found, list):
        raise BadInput(f"{name} is to be a list.")
    return found or []


def refuse_forms(form: Any) -> None:
    """An answer is text; a caller that needs another form has to know that it does not get it."""
    if form is not None and not (isinstance(form, dict) and form.get("type") == "text"):
        raise BadInput("Answers are text; ask for JSON in words, or have it passed to a tool of yours.")


def _model(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise BadInput("model is to be a name.")
    return (model or "hermes")[:_LONGEST_NAME]
