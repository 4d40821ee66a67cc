"""What plugins brought, in the shapes the agent knows: tools, a compressor, model providers."""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.agent.base import Compressor, Entry, Plan
from hermes.agent.compression import plan as planned
from hermes.agent.toolbox import Brought
from hermes.config import Config, Settings
from hermes.config.areas.execution import SEARCH_BACKENDS
from hermes.guarded import Guard
from hermes.plugins.context import ModelProvider, PluginTool
from hermes.plugins.manager import PluginManager
from hermes.tools.registry import Tool, function, registry
from hermes.tools.toolsets import LEAVES, OF_PLUGINS
from hermes.tools.web.engines import Plugged
from hermes.tools.work import Work

_ENGINE_SECONDS = 180.0


def plugin_tools(plugins: PluginManager) -> list[Tool]:
    """Their tools. One that has the name of another tool is left out, and that is said."""
    taken = {*registry.names(), *(name for one in LEAVES.values() for name in one.tools)}
    found: dict[str, Tool] = {}
    for plugin, one in plugins.tools:
        if one.name in taken or one.name in found:
            plugins.warnings.append(f"Plugin '{plugin}': there is a tool '{one.name}' already; its own is left out.")
        else:
            found[one.name] = _tool(plugin, one)
    return list(found.values())


def _tool(plugin: str, one: PluginTool) -> Tool:
    def run(arguments: dict[str, Any], work: Work) -> Any:
        context = work.context
        return one.handler(
            arguments,
            session_id=context.session_id,
            call_id=context.call_id,
            owner=context.owner,
            platform=context.platform,
            folder=work.place.cwd,
        )

    run.__module__, run.__qualname__ = f"plugin {plugin}", one.name
    schema = function(one.name, one.description, one.parameters, one.required)
    return Tool(one.name, OF_PLUGINS + plugin, schema, run, requires_env=one.requires_env)


def check_chosen(plugins: PluginManager, settings: Settings, brought: Brought) -> None:
    """Say which of the settings name a backend that there is not."""
    web = {settings.web.backend, settings.web.search_backend, settings.web.extract_backend} - {"", *SEARCH_BACKENDS}
    lacking = [f"search engine '{name}' (web.backend)" for name in sorted(web - set(brought.engines))]
    if settings.browser.engine not in ("", "auto", *brought.browsers):
        lacking.append(f"browser '{settings.browser.engine}' (browser.engine)")
    plugins.warnings += [f"There is no {one}; `hermes plugins list` shows what could bring it." for one in lacking]


def engines_of(plugins: PluginManager) -> dict[str, Plugged]:
    """Their search engines. One that has the name of another is left out, and that is said."""
    found = {}
    for name, (plugin, search, read) in plugins.web_providers.items():
        if name in SEARCH_BACKENDS:
            text = f"Plugin '{plugin}': there is a search engine '{name}' already; its own is left out."
            plugins.warnings.append(text)
        else:
            found[name] = Plugged(search, read)
    return found


class EngineCompressor:
    """A context engine in the place of our own summaries; which messages go is decided as always."""

    def __init__(self, engine: Any, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings.compression

    def plan(self, entries: Sequence[Entry], *, room: int, harder: int) -> Plan | None:
        return planned(entries, self._settings, room=room, harder=harder)

    def write(self, plan: Plan, focus: str | None) -> str:
        """What stands for the middle. Raises when the engine fails; the agent has a summary by rule then."""
        messages = [dict(entry.message) for entry in plan.middle]
        guard = Guard("context-engine")
        outcome = guard.call(lambda: self._engine.compress(messages, focus_topic=focus), _ENGINE_SECONDS)
        guard.close()
        text = _said(outcome.value)
        if outcome.problem or not text:
            raise RuntimeError(f"the context engine {outcome.problem or 'returned nothing'}")
        return text


def _said(answer: Any) -> str:
    if isinstance(answer, str):
        return answer.strip()
    if not isinstance(answer, list):
        return ""
    lines = (f"{one.get('role', '')}: {one.get('content') or ''}" for one in answer if isinstance(one, Mapping))
    return "\n\n".join(lines).strip()


def compressor_of(plugins: PluginManager, config: Config) -> Compressor | None:
    """The context engine the settings name; None: our own."""
    wanted = config.settings.context.engine
    if wanted in ("", "compressor"):
        return None
    engine = plugins.context_engine(wanted)
    if engine is None:
        plugins.warnings.append(f"There is no context engine '{wanted}'; Hermes' own compressor is used.")
        return None
    return EngineCompressor(engine, config.settings)


def add_model_providers(plugins: PluginManager) -> None:
    """Make the endpoints of plugins known by their names. One that is known already stays as it is."""
    for name, context in plugins.loaded.items():
        for one in context.model_providers:
            _add_model_provider(plugins, name, one)


def _add_model_provider(plugins: PluginManager, plugin: str, one: ModelProvider) -> None:
    from hermes.providers.presets import PRESETS, Preset

    keys = (one.key_env,) if one.key_env else ()
    preset = Preset(
        one.name,
        one.description or f"from the plugin {plugin}",
        one.base_url,
        keys,
        one.api_mode,
        window=one.window,
        model=one.model,
        needs_key=bool(keys),
        aux_model=one.aux_model,
    )
    if PRESETS.setdefault(one.name, preset) != preset:
        plugins.warnings.append(f"Plugin '{plugin}': there is a provider '{one.name}' already; its own is left out.")
