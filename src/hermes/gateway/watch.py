"""A turn that takes long: what the person is told meanwhile, and when it is given up. Rules alone; lane.py acts."""

from typing import Any, NamedTuple

from hermes.agent.base import ToolEnded, ToolStarted
from hermes.config.areas.core import Agent as AgentSettings


class Due(NamedTuple):
    words: str
    stop: bool = False


class Watch:
    """Times are of a clock that only goes forward; 0 in the settings means never."""

    def __init__(self, settings: AgentSettings, began: float) -> None:
        self._settings = settings
        self._began = self._heard = self._told = began
        self._warned = False
        self._doing = ""

    def hear(self, event: Any, now: float) -> None:
        """A sign of life."""
        self._heard, self._warned = now, False
        if isinstance(event, ToolStarted):
            self._doing = event.name
        elif isinstance(event, ToolEnded):
            self._doing = ""

    def due(self, now: float) -> Due | None:
        """What is to be done by now, once."""
        settings, quiet = self._settings, now - self._heard
        if settings.gateway_timeout and quiet >= settings.gateway_timeout:
            self._heard = now
            return Due(f"Nothing was heard of this for {_span(quiet)}, so I stopped it; what was done is kept.", True)
        if settings.gateway_timeout_warning and quiet >= settings.gateway_timeout_warning and not self._warned:
            self._warned, self._told = True, now
            return Due(f"This takes long: nothing was heard{self._of()} for {_span(quiet)}. /stop ends it.")
        if settings.gateway_notify_interval and now - self._told >= settings.gateway_notify_interval:
            self._told = now
            return Due(f"Still at it{self._of()}, for {_span(now - self._began)} now.")
        return None

    def _of(self) -> str:
        return f" ({self._doing})" if self._doing else ""


def _span(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{round(seconds)} seconds" if seconds < 90 else f"{minutes} minutes"
