"""`${NAME}` in a value stands for a variable. One that is not set stays as it was written."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_REFERENCE = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"


class Expanded(NamedTuple):
    value: Any
    used: tuple[str, ...]
    missing: tuple[str, ...]


def expand(value: Any, variables: Mapping[str, str]) -> Expanded:
    """The value with every reference in it replaced, however deep; once, so that a variable's own text is final."""
    used: dict[str, None] = {}
    missing: dict[str, None] = {}

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        (used if name in variables else missing)[name] = None
        return variables.get(name, match[0])

    def walk(part: Any) -> Any:
        if isinstance(part, str):
            return re.sub(_REFERENCE, replace, part) if "${" in part else part
        if isinstance(part, dict):
            return {key: walk(item) for key, item in part.items()}
        return [walk(item) for item in part] if isinstance(part, list) else part

    return Expanded(walk(value), tuple(used), tuple(missing))


def is_reference(text: str) -> bool:
    return re.fullmatch(_REFERENCE, text) is not None
