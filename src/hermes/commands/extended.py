"""The program with its plugins: what those that are on bring, for commands as well as for chats."""

from pathlib import Path
from typing import TYPE_CHECKING

from hermes.agent.empty import NoPlugins
from hermes.agent.toolbox import Brought
from hermes.config import Config, Settings, load
from hermes.plugins import any_wanted

if TYPE_CHECKING:
    from hermes.plugins.manager import PluginManager


def plugins_here(config: Config, folder: Path | None = None) -> "NoPlugins | PluginManager":
    """Those that are on, their model providers known by name; where none can be, nothing of this is loaded."""
    if not any_wanted(config.settings):
        return NoPlugins()
    from hermes.agent.extending import add_model_providers
    from hermes.plugins.manager import plugins_of

    plugins = plugins_of(config, folder)
    add_model_providers(plugins)
    return plugins


def brought_by(plugins: "NoPlugins | PluginManager", settings: Settings) -> Brought:
    """What they add to the tools; a backend that the settings name and nobody brings is a warning."""
    if isinstance(plugins, NoPlugins):
        return Brought()
    from hermes.agent.extending import check_chosen, engines_of, plugin_tools

    found = Brought(plugin_tools(plugins), engines_of(plugins), plugins.browser_providers)
    check_chosen(plugins, settings, found)
    return found


def load_extended(home: Path) -> Config:
    """The settings of a home; whoever names a model provider from here on can name a plugin's too."""
    config = load(home=home)
    plugins_here(config, Path.cwd())
    return config
