"""The code of a plugin, imported at arm's length: within its time, and whatever it raises."""

import importlib.util
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from hermes.errors import BadInput
from hermes.guarded import Guard
from hermes.plugins.base import Plugin
from hermes.plugins.context import PluginContext

_SECONDS = 10.0


def load(plugin: Plugin, variables: Mapping[str, str]) -> tuple[PluginContext | None, str | None]:
    """What it registered, or why it cannot be used."""
    unset = [one for one in plugin.requires_env if not variables.get(one.name)]
    if unset:
        why = f" ({unset[0].description})" if unset[0].description else ""
        return None, f"needs {unset[0].name}{why}: hermes config set {unset[0].name} …"
    context = PluginContext(plugin, variables)
    guard = Guard(f"load-{plugin.name}")
    outcome = guard.call(lambda: _register(plugin)(context), _SECONDS)
    guard.close()
    return (None, outcome.problem) if outcome.problem else (context, None)


def _register(plugin: Plugin) -> Callable[[PluginContext], Any]:
    if plugin.dashboard is not None and plugin.folder is not None and not (plugin.folder / "__init__.py").exists():
        return lambda context: None  # a tab on the dashboard, and no code
    found = _from_folder(plugin) if plugin.folder is not None else plugin.entry.load()
    register = getattr(found, "register", found)
    if not callable(register) or isinstance(register, ModuleType):
        raise BadInput("it has no function register(ctx)")
    return register  # type: ignore[no-any-return]


def _from_folder(plugin: Plugin) -> ModuleType:
    assert plugin.folder is not None
    file = plugin.folder / "__init__.py"
    if not file.is_file():
        raise BadInput(f"there is no {file}")
    name = f"hermes_plugins.{plugin.name.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(plugin.folder)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("hermes_plugins", ModuleType("hermes_plugins"))
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
