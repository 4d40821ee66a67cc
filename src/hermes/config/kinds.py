"""Whether a value fits its setting, and how to say it when it does not.

Text that reads as what is expected is taken as that: values come from YAML, from variables and from the command line,
and "30" means thirty in each of them.
"""

import math
import re
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from hermes.config.area import Setting, is_area

_PLURALS = {str: "texts", list[str]: "lists of texts"}
_ADDRESS = re.compile(r"(https?|wss?)://[^\s/?#]+\S*|.*\$\{.*", re.IGNORECASE)  # or a variable is part of it
_TOO_LARGE = 1_000_000_000  # of anything: as many days, or seconds, fit into no time
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Misfit(ValueError):
    """The message says what was expected."""


def fit(known: Setting, value: Any) -> Any:
    """The value as its setting wants it; raises Misfit with what was expected."""
    try:
        fitted = _fit(known.kind, value)
    except ValueError:
        raise Misfit(expected(known)) from None
    if any(_is_too_large(known, single) for single in _singles(fitted)):
        raise Misfit(f"{_words(_inner(known.kind))} below {_TOO_LARGE:,}")
    if not all(_is_choice(known, single) and _is_in_range(known, single) for single in _singles(fitted)):
        raise Misfit(expected(known))
    return fitted


def is_no_address(known: Setting, value: Any) -> bool:
    """Whether an address is wanted, and this is none. Apart from `fit`: what a file says stays in force, or a question
    meant for one server would go to another."""
    return known.is_address and isinstance(value, str) and bool(value) and not _ADDRESS.fullmatch(value)


def expected(known: Setting) -> str:
    if known.is_address:
        return "an address, such as https://example.com/v1"
    if known.choices and _inner(known.kind) is str:
        return "one of " + ", ".join(choice or '""' for choice in known.choices)
    kind = _inner(known.kind) if isinstance(known.kind, UnionType) else known.kind
    return _words(kind) + _range(known) + (" or nothing" if kind is not known.kind else "")


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
        raise ValueError
    return convert(kind, value)


def _bool(_kind: Any, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, str | int) else ""
    if word not in _YES + _NO:
        raise ValueError
    return word in _YES


def _int(_kind: Any, value: Any) -> int:
    if isinstance(value, str) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _float(_kind: Any, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _str(_kind: Any, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    return str(value)


def _list(kind: Any, value: Any) -> list[Any]:
    """One line of text is a list with commas."""
    (inner,) = get_args(kind)
    if isinstance(value, str) and inner is str:
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise ValueError
    return [_fit(inner, item) for item in value]


def _dict(kind: Any, value: Any) -> dict[str, Any]:
    _, inner = get_args(kind)
    if not isinstance(value, dict):
        raise ValueError
    return {key: _fit(inner, item) for key, item in value.items()}


_CONVERT = {bool: _bool, int: _int, float: _float, str: _str, list: _list, dict: _dict}


def _words(kind: Any) -> str:
    if is_area(kind):
        return "a section"
    origin = get_origin(kind) or kind
    if origin in (list, dict) and _inner(kind) in _PLURALS:
        return f"a {'list' if origin is list else 'section'} of {_PLURALS[_inner(kind)]}"
    words = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        dict: "a section",
        list: "a list",
    }
    return words.get(origin, "a value")


def _inner(kind: Any) -> Any:
    """What is inside `X | None`, a list or a mapping; anything else is itself."""
    arguments = [argument for argument in get_args(kind) if argument is not NoneType]
    return arguments[-1] if arguments else kind


def _singles(fitted: Any) -> list[Any]:
    if isinstance(fitted, dict):
        return list(fitted.values())
    return fitted if isinstance(fitted, list) else [fitted]


def _is_choice(known: Setting, value: Any) -> bool:
    return not known.choices or value is None or value in known.choices


def _is_in_range(known: Setting, value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return True
    return (known.least is None or value >= known.least) and (known.most is None or value <= known.most)


def _is_too_large(known: Setting, value: Any) -> bool:
    return known.most is None and isinstance(value, int | float) and value >= _TOO_LARGE


def _range(known: Setting) -> str:
    if known.least is not None and known.most is not None:
        return f" from {known.least:g} to {known.most:g}"
    return "" if known.least is None else f" of {known.least:g} or more"
