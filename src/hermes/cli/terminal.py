"""What the environment says about the terminal. Nothing else here reads it."""

import os
import shlex
import shutil


def wants_colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def size() -> tuple[int, int]:
    """(columns, lines)"""
    found = shutil.get_terminal_size()
    return found.columns, found.lines


def pager() -> tuple[list[str], dict[str, str]]:
    """The command that pages, and the environment it gets."""
    try:
        command = shlex.split(os.environ.get("PAGER") or "less")
    except ValueError:  # unbalanced quotes
        command = ["less"]
    return command, {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
