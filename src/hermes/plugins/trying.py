"""A plugin outside of any chat, for its own tests."""

from pathlib import Path
from typing import Any

from hermes.errors import BadInput, NotFound
from hermes.plugins import manifest
from hermes.plugins.manager import PluginManager


class Tried(PluginManager):
    def call(self, tool: str, arguments: dict[str, Any], **context: Any) -> Any:
        """What one of its tools answers."""
        found = next((one for _, one in self.tools if one.name == tool), None)
        if found is None:
            raise NotFound(f"It has no tool '{tool}'.")
        return found.handler(arguments, **context)


def tried(folder: Path, **variables: str) -> Tried:
    """The plugin in this folder, loaded. BadInput with what is wrong with it."""
    plugin, problems = manifest.read(folder, "user")
    if plugin is None or problems:
        raise BadInput(str(problems[0]))
    manager = Tried()
    if not manager.add(plugin, variables):
        raise BadInput(manager.warnings[0])
    return manager
