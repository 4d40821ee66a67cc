"""Arguments as a model writes them, made what the schema says: parsed, checked, defaults filled in."""

import json
from collections.abc import Mapping
from typing import Any

from hermes.errors import ToolError

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_WORDS = {"true": True, "false": False}


def checked(schema: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    """The arguments by name. What is missing or cannot be meant is a ToolError that says what would do."""
    given = _parsed(arguments)
    properties: Mapping[str, Any] = schema.get("properties", {})
    absent = [name for name in schema.get("required", ()) if given.get(name) is None]
    if absent:
        raise ToolError(f"Missing argument: {', '.join(absent)}. It takes {_signature(schema)}.")
    result = {name: known["default"] for name, known in properties.items() if "default" in known}
    for name, value in given.items():
        known = properties.get(name)
        if known is None and properties and schema.get("additionalProperties", False) is False:
            raise ToolError(f"There is no argument '{name}'. It takes {_signature(schema)}.")
        if value is not None:
            result[name] = _fitting(name, known or {}, value)
    return result


def _parsed(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, Mapping):
        return dict(arguments)
    try:
        parsed = json.loads(arguments or "{}", strict=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise ToolError(f"The arguments are not valid JSON ({error}); call again with one JSON object.") from None
    if not isinstance(parsed, dict):
        raise ToolError("The arguments have to be one JSON object.")
    return parsed


def _fitting(name: str, known: Mapping[str, Any], value: Any) -> Any:
    kind = known.get("type")
    if isinstance(kind, str) and kind in _KINDS:
        value = _as_kind(name, kind, value)
    if "enum" in known and value not in known["enum"]:
        raise ToolError(f"{name} is one of {', '.join(map(str, known['enum']))}, not {value!r}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = max(value, known.get("minimum", value))
        value = min(value, known.get("maximum", value))
    return value


def _as_kind(name: str, kind: str, value: Any) -> Any:
    """Small models write "5" for 5 and "true" for true; what they mean is plain."""
    if isinstance(value, _KINDS[kind]) and (kind == "boolean") == isinstance(value, bool):
        return value
    try:
        if kind == "integer" and (isinstance(value, str) or (isinstance(value, float) and value.is_integer())):
            return int(value)
        if kind == "number" and isinstance(value, str):
            return float(value)
        if kind == "boolean" and isinstance(value, str):
            return _WORDS[value.lower()]
        if kind in ("array", "object") and isinstance(value, str):
            parsed = json.loads(value)
            if isinstance(parsed, _KINDS[kind]):
                return parsed
    except (ValueError, KeyError, RecursionError):
        pass
    raise ToolError(f"{name} has to be {'an' if kind[0] in 'aeio' else 'a'} {kind}, not {str(value)[:60]!r}.")


def _signature(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    names = (name if name in required else f"[{name}]" for name in schema.get("properties", {}))
    return ", ".join(names) or "nothing"
