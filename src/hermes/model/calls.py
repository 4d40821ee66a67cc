"""Tool calls as people read them: `calls terminal: ls -la`."""

import json
from collections.abc import Mapping
from typing import Any


def told(tool_calls: Any) -> str:
    """The calls of a message, a line each; nothing when there are none. What is no call is shown as it is."""
    if isinstance(tool_calls, str):
        try:
            tool_calls = json.loads(tool_calls, strict=False)
        except (ValueError, RecursionError):
            return tool_calls
    if not isinstance(tool_calls, list):
        return "" if tool_calls is None else _value(tool_calls)
    return "\n".join(_call(call) for call in tool_calls)


def _call(call: Any) -> str:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not function.get("name"):
        return _value(call)
    return f"calls {function['name']}: {_arguments(function.get('arguments'))}".rstrip(": ")


def _arguments(arguments: Any) -> str:
    """The value alone where there is one, `name=value` of several."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}", strict=False)
        except (ValueError, RecursionError):
            return str(arguments)
    if not isinstance(arguments, Mapping):
        return _value(arguments)
    if len(arguments) == 1:
        return _value(next(iter(arguments.values())))
    return " ".join(f"{name}={_value(value)}" for name, value in arguments.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
