"""Checks of what callers bring; each returns the value, or raises BadInput that names it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hermes.errors import BadInput
from hermes.model.text import is_storable

_MOST = 2**63 - 1


def text(name: str, value: Any) -> str | None:
    """A short text column: storable text or None, anything else is the caller's mistake."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text, not {type(value).__name__}.")
    if not is_storable(value):
        raise BadInput(f"{name} holds characters that cannot be stored (NUL or half a surrogate pair).")
    return value


def required(name: str, value: Any) -> str:
    found = text(name, value)
    if found is None:
        raise BadInput(f"{name} is missing.")
    return found


def texts(name: str, values: Any) -> list[str]:
    """Several of them; a single text is a list of one, not its letters."""
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, Iterable):
        raise BadInput(f"{name} must be a list of texts.")
    return [required(name, value) for value in values]


def tags(name: str, values: Any) -> list[str]:
    """Words to label a conversation with, in small letters."""
    found = [value.strip().lower() for value in texts(name, values)]
    if not all(tag and len(tag) <= 50 and tag.isprintable() and not any(map(str.isspace, tag)) for tag in found):
        raise BadInput("A tag is one word of up to 50 characters.")
    return found


def seconds(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise BadInput(f"{name} must be seconds since 1970, as a number.")
    return float(value)


def path(name: str, value: Any) -> Path:
    """A path of this system; whether anything is there is another question."""
    if not isinstance(value, str | os.PathLike):
        raise BadInput(f"{name} must be a path, not {type(value).__name__}.")
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise BadInput(f"{str(value)[:100]!a} cannot be a path.")
    return Path(os.fsdecode(encoded))


def whole(name: str, value: Any, *, least: int = -_MOST) -> int:
    if isinstance(value, int) and value > _MOST:
        raise BadInput(f"{name} is too large.")
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadInput(f"{name} must be a whole number{', 0 or more' if least == 0 else ''}.")
    return value


def whole_list(name: str, values: Any) -> list[int]:
    if not isinstance(values, Iterable):
        raise BadInput(f"{name} must be a list of whole numbers.")
    return [whole(name, value) for value in values]
