"""Whether a value fits its setting, and how to say it when it does not.

Text that reads as what is expected is taken as that: values come from YAML, from variables and from the command line,
and "30" means thirty in each of them.
"""

import math
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from hermes.config.area import Setting, is_area

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Misfit(ValueError):
    """The message says what was expected."""


def fit(known: Setting, value: Any) -> Any:
    """The value as its setting wants it; raises Misfit."""
    fitted = _fit(known.kind, value)
    for single in _singles(fitted):
        _check_choice(known, single)
        _check_range(known, single)
    return fitted


def expected(known: Setting) -> str:
    if known.choices and _inner(known.kind) is str:
        return "one of " + ", ".join(choice or '""' for choice in known.choices)
    return _words(known.kind) + _range(known)


def found(value: Any) -> str:
    """What somebody wrote, in words."""
    if isinstance(value, str):
        return f'"{value if len(value) <= 60 else value[:59] + "…"}" (text)'
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "empty"
    return f"{value} (a number)" if isinstance(value, int | float) else _words(type(value))


def _fit(kind: Any, value: Any) -> Any:
    if kind is Any:
        return value
    if isinstance(kind, UnionType):
        return None if value is None or value == "null" else _fit(_inner(kind), value)
    convert = _CONVERT.get(get_origin(kind) or kind)
    if convert is None:
        raise Misfit(_words(kind))
    return convert(kind, value)


def _bool(kind: Any, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    if word not in _YES + _NO:
        raise Misfit(_words(kind))
    return word in _YES


def _int(kind: Any, value: Any) -> int:
    try:
        if isinstance(value, str) or (isinstance(value, float) and value.is_integer()):
            return int(value)
    except ValueError:
        raise Misfit(_words(kind)) from None
    if isinstance(value, bool) or not isinstance(value, int):
        raise Misfit(_words(kind))
    return value


def _float(kind: Any, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, str | int | float) else float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise Misfit(_words(kind))
    return number


def _str(kind: Any, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Misfit(_words(kind))
    return str(value)


def _list(kind: Any, value: Any) -> list[Any]:
    """One line of text is a list with commas."""
    (inner,) = get_args(kind)
    if isinstance(value, str) and inner is str:
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise Misfit(_words(kind))
    return [_fit(inner, item) for item in value]


def _dict(kind: Any, value: Any) -> dict[str, Any]:
    _, inner = get_args(kind)
    if not isinstance(value, dict):
        raise Misfit(_words(kind))
    return {key: _fit(inner, item) for key, item in value.items()}


_CONVERT = {bool: _bool, int: _int, float: _float, str: _str, list: _list, dict: _dict}


def _words(kind: Any) -> str:
    if isinstance(kind, UnionType):
        return _words(_inner(kind)) + " or nothing"
    if is_area(kind):
        return "a section"
    origin = get_origin(kind) or kind
    if origin is list:
        return "a list of texts" if get_args(kind) == (str,) else "a list"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", dict: "a section"}
    return words.get(origin, "a value")


def _inner(kind: Any) -> Any:
    """What is inside `X | None`, a list or a mapping; anything else is itself."""
    arguments = [argument for argument in get_args(kind) if argument is not NoneType]
    return arguments[-1] if arguments else kind


def _singles(fitted: Any) -> list[Any]:
    if isinstance(fitted, dict):
        return list(fitted.values())
    return fitted if isinstance(fitted, list) else [fitted]


def _check_choice(known: Setting, value: Any) -> None:
    if known.choices and value is not None and value not in known.choices:
        raise Misfit(expected(known))


def _check_range(known: Setting, value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    if (known.least is not None and value < known.least) or (known.most is not None and value > known.most):
        raise Misfit(expected(known))


def _range(known: Setting) -> str:
    if known.least is not None and known.most is not None:
        return f" from {known.least:g} to {known.most:g}"
    return "" if known.least is None else f" of {known.least:g} or more"
