"""A place to work in, and a call in it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hermes.config import Settings
from hermes.tools.base import ToolContext
from hermes.tools.work import Work, Workplace


def nobody(question: str, choices: Sequence[str]) -> str | None:
    return None


def work_in(
    folder: Path,
    *,
    settings: Settings | None = None,
    variables: dict[str, str] | None = None,
    ask: Callable[[str, Sequence[str]], str | None] = nobody,
    stopped: Callable[[], bool] = lambda: False,
    **place: Any,
) -> Work:
    context = ToolContext("session-1", "call-1", "local", "cli", stopped, ask)
    return Work(context, Workplace(settings or Settings(), variables or {}, folder, **place))
