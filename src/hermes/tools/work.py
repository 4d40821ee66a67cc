"""What a tool finds around it: the call it answers, and the place it works in."""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hermes.config import Settings
from hermes.tools.base import ToolContext

Kept = TypeVar("Kept")


def _nobody_listens(event: str, **values: Any) -> list[Any]:
    return []


def _no_model(task: str, prompt: str | list[dict[str, Any]], *, most_tokens: int) -> str:
    from hermes.errors import NoProvider

    raise NoProvider("No model is set up for side tasks.")


@dataclass(slots=True)
class Workplace:
    """What all tools of one agent share. `folder` is the workspace: writing elsewhere is asked about first; `variables`
    are those of the process and of `.env`. What a tool keeps from one call to the next is made once, and closed with
    the agent."""

    settings: Settings
    variables: Mapping[str, str]
    folder: Path
    emit: Callable[..., list[Any]] = _nobody_listens  # the hooks of plugins
    summarise: Callable[..., str] = _no_model  # a side task, asked of the auxiliary model
    engines: Mapping[str, Any] = field(default_factory=dict)  # who searches and reads besides our own, by name
    browsers: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # which can be driven, by name
    cwd: Path = field(init=False)  # where the terminal is; relative paths start here
    handed: set[str] = field(default_factory=set)  # variables that commands may see, for a skill that was read
    yolo: bool = False  # dangerous commands run without asking: the person said so
    _kept: dict[Any, Any] = field(default_factory=dict)
    _closing: ExitStack = field(default_factory=ExitStack)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.cwd = self.folder

    def keep(self, key: Any, make: Callable[[], Kept], close: Callable[[Kept], Any] | None = None) -> Kept:
        """The thing under this key, made at first use; `close` is called with it when the place is closed."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made = make()
                if close is not None:
                    self._closing.callback(close, made)
            found: Kept = self._kept[key]
            return found

    def close(self) -> None:
        with self._lock:
            closing, self._closing = self._closing, ExitStack()
            self._kept.clear()
        closing.close()


class Work(NamedTuple):
    """One call: who asks, and where."""

    context: ToolContext
    place: Workplace
