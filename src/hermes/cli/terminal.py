"""What the environment says about the terminal. Nothing else here reads it."""

import os
import sys


def wants_colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_interactive() -> bool:
    """Whether a screen can be drawn and answered: a terminal on every side, which moves its cursor and knows UTF-8."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if any(stream is None or not stream.isatty() for stream in streams) or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def size() -> tuple[int, int]:
    """(columns, lines). The standard library's own way loads three compression libraries first."""
    try:
        found: tuple[int, int] = os.get_terminal_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        found = (80, 24)
    return _number("COLUMNS") or found[0], _number("LINES") or found[1]


def _number(name: str) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isdecimal() else 0


def pager() -> tuple[list[str], dict[str, str]]:
    """The command that pages, and the environment it gets."""
    import shlex

    try:
        command = shlex.split(os.environ.get("PAGER") or "less")
    except ValueError:  # unbalanced quotes
        command = ["less"]
    return command, {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
