"""Tool calls as people read them: `calls terminal: ls -la`."""

import json
from collections.abc import Mapping
from typing import Any


def told(tool_calls: Any) -> str:
    """The calls of a message, a line each; nothing when there are none. What is no call is shown as it is."""
    calls = _parsed(tool_calls)
    if not isinstance(calls, list):
        return "" if calls is None else _value(calls)
    return "\n".join(_call(call) for call in calls)


def _parsed(value: Any) -> Any:
    """JSON as what it says; anything else stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value


def _call(call: Any) -> str:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not function.get("name"):
        return _value(call)
    return f"calls {function['name']}: {_arguments(function.get('arguments'))}".rstrip(": ")


def _arguments(arguments: Any) -> str:
    """The value alone where there is one, `name=value` of several."""
    arguments = _parsed(arguments or "{}" if isinstance(arguments, str) else arguments)
    if not isinstance(arguments, Mapping):
        return _value(arguments)
    if len(arguments) == 1:
        return _value(next(iter(arguments.values())))
    return " ".join(f"{name}={_value(value)}" for name, value in arguments.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
