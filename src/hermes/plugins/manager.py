"""The plugins of one front end: who listens to what, what they brought, and what went wrong."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from hermes.config import Config
from hermes.guarded import Guard
from hermes.plugins.base import Plugin, Problem
from hermes.plugins.context import PluginCommand, PluginContext, PluginTool
from hermes.plugins.discover import discover, is_on
from hermes.plugins.hooks import GUARDED
from hermes.plugins.loading import load

log = logging.getLogger(__name__)
_SECONDS = 5.0  # for a callback
_COMMAND_SECONDS = 60.0
_FAILURES = 3  # after these a plugin is silent

Listener = tuple[str, Callable[..., Any]]  # the plugin, and its callback


class PluginManager:
    """An event nobody listens to costs a look into a dict."""

    def __init__(self) -> None:
        self.loaded: dict[str, PluginContext] = {}
        self.warnings: list[str] = []
        self._listeners: dict[str, list[Listener]] = {}
        self._failures: dict[str, int] = {}
        self._guards: set[int] = set()  # the callbacks, by identity: not everything that can be called has a hash
        self._broken: dict[str, str] = {}  # guards that can be asked no more, and why
        self._guard = Guard("plugins")

    def add(self, plugin: Plugin, variables: Mapping[str, str]) -> bool:
        """Load a plugin. False, with a warning: it cannot be used."""
        context, problem = load(plugin, variables)
        if context is None:
            self._warn(f"Plugin '{plugin.name}' is left out: {problem}")
            if plugin.guard:
                self._broken[plugin.name] = str(problem)
            return False
        self.loaded[plugin.name] = context
        for event, callback in context.hooks:
            self._listeners.setdefault(event, []).append((plugin.name, callback))
        self._guards.update(map(id, context.guards))
        return True

    # -- events

    def emit(self, event: str, **values: Any) -> list[Any]:
        """Call every listener; what they return, without the Nones. Never raises."""
        closed = [_block(name, why) for name, why in self._broken.items()] if event == GUARDED else []
        listeners = self._listeners.get(event)
        if not listeners:
            return closed
        outcomes = self._guard.calls([partial(callback, **values) for _, callback in listeners], _SECONDS)
        for (name, callback), outcome in zip(list(listeners), outcomes, strict=True):
            if outcome.problem is not None:
                self._failed(name, f"{outcome.problem} in {event}")
                closed += [_block(name, outcome.problem)] if id(callback) in self._guards else []
        return [*closed, *(outcome.value for outcome in outcomes if outcome.value is not None)]

    def _failed(self, name: str, problem: str) -> None:
        self._failures[name] = self._failures.get(name, 0) + 1
        if self._failures[name] < _FAILURES:
            self._warn(f"Plugin '{name}' {problem}.")
            return
        if any(one == name and id(callback) in self._guards for one, callback in self._listeners.get(GUARDED, ())):
            self._broken[name] = problem
        self._listeners = {
            event: [one for one in listeners if one[0] != name] for event, listeners in self._listeners.items()
        }
        closed = f"; it guards tools, so none runs before `hermes plugins disable {name}`" * (name in self._broken)
        self._warn(f"Plugin '{name}' {problem}; after {_FAILURES} failures it hears of nothing more{closed}.")

    def _warn(self, warning: str) -> None:
        log.warning("%s", warning)
        self.warnings.append(warning)

    def news(self) -> list[str]:
        """Warnings nobody heard yet."""
        news, self.warnings = self.warnings, []
        return news

    # -- what they brought

    @property
    def tools(self) -> list[tuple[str, PluginTool]]:
        return [(name, tool) for name, context in self.loaded.items() for tool in context.tools]

    @property
    def commands(self) -> dict[str, PluginCommand]:
        """Slash commands; of two with the same name, the first plugin's."""
        return {one.name: one for context in reversed(self.loaded.values()) for one in context.commands}

    def run_command(self, name: str, rest: str) -> str:
        """What a plugin's command says, or what went wrong with it."""
        outcome = self._guard.call(partial(self.commands[name].handler, rest), _COMMAND_SECONDS)
        return f"/{name} {outcome.problem}." if outcome.problem else str(outcome.value or "")

    @property
    def skills(self) -> list[Path]:
        return [folder for context in self.loaded.values() for folder in context.skills]

    @property
    def memory_providers(self) -> dict[str, Callable[[], Any]]:
        return {name: make for context in self.loaded.values() for name, make in context.memory_providers.items()}

    def context_engine(self, name: str) -> Any:
        """The engine the settings name, of at most one plugin; None: there is none."""
        context = self.loaded.get(name)
        return context.context_engine if context else None

    @property
    def web_providers(self) -> dict[str, tuple[str, Callable[..., Any], Callable[..., Any] | None]]:
        """By name: which plugin brought it, and what it does. Of two with the same name, the first plugin's."""
        every = reversed(self.loaded.items())
        return {name: (plugin, *one) for plugin, context in every for name, one in context.web_providers.items()}

    @property
    def browser_providers(self) -> dict[str, Callable[[], Any]]:
        """By name, in the order of the plugins; of two with the same name, the first plugin's."""
        found: dict[str, Callable[[], Any]] = {}
        for context in self.loaded.values():
            for name, make in context.browser_providers.items():
                found.setdefault(name, make)
        return found

    @property
    def platforms(self) -> dict[str, Callable[..., Any]]:
        return {name: make for context in self.loaded.values() for name, make in context.platforms.items()}

    def close(self) -> None:
        """End the thread that waits for calls; another conversation that goes on gets a new one."""
        self._guard.close()


def _block(name: str, why: str) -> dict[str, str]:
    """The answer of a guard that could give none."""
    return {"action": "block", "message": f"It did not run: the plugin '{name}', which guards tools, {why}."}


def plugins_of(config: Config, folder: Path | None = None) -> PluginManager:
    """Every plugin that is on, loaded once for all conversations with these settings in this folder."""
    with _lock:
        known = _managers.setdefault(config, {})
        if folder not in known:
            known[folder] = _loaded(config, folder)
        return known[folder]


_managers: WeakKeyDictionary[Config, dict[Path | None, PluginManager]] = WeakKeyDictionary()
_lock = threading.Lock()


def _loaded(config: Config, folder: Path | None) -> PluginManager:
    manager, settings = PluginManager(), config.settings
    found = discover(settings, folder)
    for plugin in found.plugins.values():
        if is_on(plugin, settings):
            manager.add(plugin, config.environment)
    for name in settings.plugins.enabled:
        if name not in found.plugins and name not in settings.plugins.disabled:
            manager.warnings.append(_absent(name, found.problems))
    return manager


def _absent(name: str, problems: Sequence[Problem]) -> str:
    """Why one that is on is not there: it cannot be read, or it is gone."""
    wrong = next((one for one in problems if one.serious and Path(one.where).parent.name == name), None)
    if wrong is not None:
        return f"Plugin '{name}' is left out: {wrong}"
    return f"Plugin '{name}' is on, and there is none of this name: hermes plugins list"
