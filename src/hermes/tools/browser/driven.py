"""A browser at work for one conversation."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from hermes.config import Settings
from hermes.errors import ToolError
from hermes.guarded import Guard
from hermes.tools.browser.base import Browser
from hermes.tools.work import Workplace

Make = Callable[[], Browser]


def chosen(settings: Settings, browsers: Mapping[str, Make]) -> str | None:
    """The name of the browser to drive: the one in the settings, or the first there is."""
    wanted = settings.browser.engine
    return next(iter(browsers), None) if wanted in ("", "auto") else wanted if wanted in browsers else None


def missing(place: Workplace) -> str | None:
    """Why there is no browser."""
    if chosen(place.settings, place.browsers) is not None:
        return None
    if not place.browsers:
        return "needs a browser, which a plugin brings: hermes plugins list"
    there = ", ".join(place.browsers)
    return f"there is no browser '{place.settings.browser.engine}' (browser.engine); there are: {there}"


def driven(place: Workplace) -> "Driven":
    """The browser of this conversation."""
    return place.keep("browser", lambda: _made(place), Driven.close)


def _made(place: Workplace) -> "Driven":
    name = chosen(place.settings, place.browsers)
    if name is None:
        raise ToolError(str(missing(place)))
    settings = place.settings.browser
    return Driven(name, place.browsers[name], settings.command_timeout, settings.inactivity_timeout)


class Driven:
    """`make` is called with the first step, and again after the browser was given up or closed."""

    def __init__(self, name: str, make: Make, seconds: float, idle_seconds: float) -> None:
        self.name = name
        self._make = make
        self._seconds, self._idle_seconds = seconds, idle_seconds
        self._browser: Browser | None = None
        self._guard = Guard(f"browser-{name}")
        self._lock = threading.Lock()  # one step at a time
        self._steps = 0

    def step(self, what: str, *arguments: Any) -> Any:
        """What the browser answers. ToolError when it fails, cannot do this, or does not come back."""
        came_back = threading.Event()

        def attempt() -> Any:
            try:
                return self._attempt(what, arguments)
            finally:
                came_back.set()

        with self._lock:
            outcome = self._guard.call(attempt, self._seconds)
            if not came_back.is_set():
                self._browser = None  # its thread may hang for good
            self._close_when_idle()
        if outcome.problem:
            raise ToolError(f"The browser {self.name} {outcome.problem}.")
        if outcome.value is NotImplemented:
            raise ToolError(f"The browser {self.name} has no {what}.")
        return outcome.value

    def _attempt(self, what: str, arguments: tuple[Any, ...]) -> Any:
        if self._browser is None:
            self._browser = self._make()
        written = getattr(type(self._browser), what, None)
        if written is None or written is getattr(Browser, what):
            return NotImplemented
        return getattr(self._browser, what)(*arguments)

    # -- its end

    def _close_when_idle(self) -> None:
        self._steps += 1
        timer = threading.Timer(self._idle_seconds, self._idle, [self._steps])
        timer.daemon = True
        timer.start()

    def _idle(self, steps: int) -> None:
        with self._lock:
            if steps == self._steps:  # none came since
                self._let_go()

    def _let_go(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            self._guard.call(browser.close, self._seconds)

    def close(self) -> None:
        with self._lock:
            self._steps += 1
            self._let_go()
            self._guard.close()
