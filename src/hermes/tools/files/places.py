"""Paths as a model writes them, and which of them are nobody's business."""

import os
import stat
from pathlib import Path

from hermes import paths
from hermes.errors import ToolError
from hermes.tools.work import Work


def located(path: str, work: Work) -> Path:
    """An absolute path; a relative one starts where the terminal is."""
    if not path.strip() or "\0" in path:
        raise ToolError("The path is empty.")
    return Path(os.path.normpath(work.place.cwd / Path(path).expanduser()))


def is_store(path: Path) -> bool:
    """Whether this is the session store, or one of the files beside it. Opening it beside SQLite would break its
    locks, so that no tool ever does."""
    home = paths.hermes_home().resolve()
    real = Path(os.path.realpath(path))
    return real.parent == home and real.name.startswith("state.db")


def readable(path: Path) -> os.stat_result:
    """What is known of a regular file; anything else is a ToolError that says what it is."""
    if is_store(path):
        raise ToolError("That is the session store; session_search reads it.")
    try:
        known = path.stat()
    except FileNotFoundError:
        raise ToolError(f"There is no file {path}{_near(path)}") from None
    except OSError as error:
        raise ToolError(f"{path}: {error.strerror}.") from None
    if stat.S_ISDIR(known.st_mode):
        raise ToolError(f"{path} is a folder; search_files with target=files lists what is in it.")
    if not stat.S_ISREG(known.st_mode):
        raise ToolError(f"{path} is not a regular file.")
    return known


def _near(path: Path) -> str:
    from difflib import get_close_matches

    try:
        names = os.listdir(path.parent)[:5000]
    except OSError:
        return "."
    near = get_close_matches(path.name, names, 3)
    return f"; near to it: {', '.join(near)}." if near else "."
