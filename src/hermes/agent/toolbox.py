"""The tools of one agent: which ones it is offered, and who runs them.

Two tiers: what belongs to the conversation itself (todo, memory, session_search, clarify, delegate_task) is run here,
in the loop, by tools made for this agent; everything else goes through the registry.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes.config import Config, Settings
from hermes.config.resolve import OVERRIDE
from hermes.model.sources import LOCAL_SOURCES
from hermes.tools.base import ToolContext, ToolResult
from hermes.tools.registry import Registry, Tool, handle_function_call, registry
from hermes.tools.toolsets import LEAVES, OF_PLUGINS, TOOLSETS, Toolset, platform_toolset, resolve
from hermes.tools.work import Work, Workplace

_FOR_STRANGERS = ("webhook",)
_LATE = "The MCP server '{0}' did not answer, so its tools are missing here; `hermes mcp test {0}` says why."
IN_THE_LOOP = ("todo", "memory", "session_search", "clarify", "delegate_task")


def loop_tools() -> tuple[str, ...]:
    """Those of the loop's own tools that there are."""
    from hermes.agent.own_tools import NAMES

    return (*NAMES, "memory", "skills_list", "skill_view", "skill_manage")


class Brought(NamedTuple):
    """What plugins add to the tools: some of their own, search engines, browsers."""

    tools: Sequence[Tool] = ()
    engines: Mapping[str, Any] = {}
    browsers: Mapping[str, Callable[[], Any]] = {}

    @property
    def sets(self) -> dict[str, Toolset]:
        """The toolsets of their tools, one for each plugin."""
        found: dict[str, Toolset] = {}
        for one in self.tools:
            before = found.get(one.toolset, Toolset(f"The plugin {one.toolset.removeprefix(OF_PLUGINS)}"))
            found[one.toolset] = before._replace(tools=(*before.tools, one.name))
        return found


class Toolbox:
    """Offers `names`, as far as they can be used here. What the model is told stays the same until `refresh`, so that
    prompt caches hold."""

    def __init__(self, names: Iterable[str], place: Workplace, own: Sequence[Tool] = ()) -> None:
        self._names = list(names)
        self.place = place
        self._own = Registry({})
        for one in own:
            self._own.register(one)
        self._definitions: list[dict[str, Any]] | None = None
        self.notices: list[str] = []  # for the person, once

    @property
    def names(self) -> Sequence[str]:
        """What was asked for, whether it can be used or not."""
        return self._names

    def add_own(self, tools: Iterable[Tool]) -> None:
        """Tools made for the agent that has this box."""
        for one in tools:
            self._own.register(one)
        self._definitions = None

    def shared(self) -> list[Tool]:
        """Those of them that a child agent can have too: what plugins brought and skills, not the conversation's."""
        found = (self._own.get(name) for name in self._own.names() if name not in IN_THE_LOOP)
        return [one for one in found if one is not None]

    def definitions(self) -> Sequence[Mapping[str, Any]]:
        if self._definitions is None:
            mine = [name for name in self._names if self._own.get(name)]
            others = [name for name in self._names if name not in mine and name not in IN_THE_LOOP]
            both = [
                *self._own.get_definitions(mine, self.place),
                *registry.get_definitions(others, self.place),
            ]
            self._definitions = sorted(both, key=lambda one: str(one["function"]["name"]))
        return self._definitions

    def refresh(self) -> None:
        """Look again at what can be used."""
        registry.forget_checks()
        self._definitions = None

    def offered(self) -> list[str]:
        return [str(one["function"]["name"]) for one in self.definitions()]

    def toolsets(self) -> set[str]:
        """The toolsets that are offered as a whole, and those of plugins and MCP servers of which anything is."""
        offered = self.offered()
        whole = {name for name, one in LEAVES.items() if one.tools and set(one.tools) <= set(offered)}
        found = (self._own.get(name) or registry.get(name) for name in offered)
        return whole | {one.toolset for one in found if one is not None and one.toolset not in LEAVES}

    def may_run_beside_others(self, name: str) -> bool:
        found = self._own.get(name) or registry.get(name)
        return found is not None and found.beside

    def call(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        work = Work(context, self.place)
        if name not in self.offered():
            return ToolResult(f"There is no tool '{name}' here; there are: {', '.join(self.offered())}.", ok=False)
        if self._own.get(name):
            result: ToolResult = self._own.dispatch(name, arguments, work)
            return result
        answer: ToolResult = handle_function_call(name, arguments, work)
        return answer

    def processes(self) -> int:
        """How many run behind the conversation."""
        from hermes.tools.terminal.background import processes_of

        return sum(one.running for one in processes_of(self.place).all())

    def close(self) -> None:
        """End what the tools left running."""
        self.place.close()


def chosen(config: Config, platform: str = "cli", brought: Iterable[str] = ()) -> list[str]:
    """The toolsets a platform gets: those of the command line, of `platform_toolsets`, of `toolsets` (the terminal), or
    the ones made for it. Those of MCP servers, and those plugins `brought`, come along where nobody took them out; not
    where the sets were named one by one, and not to strangers."""
    settings = config.settings
    asked_for = config.origin(("toolsets",)) == OVERRIDE
    if asked_for or (platform == "cli" and "cli" not in settings.platform_toolsets):
        names = settings.toolsets
    else:
        names = settings.platform_toolsets.get(platform, [platform_toolset(platform)])
    names = [*names, *(f"-{name}" for name in settings.agent.disabled_toolsets)]
    more = [*_servers(settings), *brought]
    if asked_for:
        return names
    bring = [one for one in more if platform not in _FOR_STRANGERS and not {one, f"-{one}"} & set(names)]
    return [*(name for name in names if _is_there(name, more)), *bring]


def refuse_unknown(config: Config, brought: Brought) -> None:
    """BadInput for a name on the command line that is no toolset. What an MCP server has is known once it was asked."""
    if config.origin(("toolsets",)) == OVERRIDE:
        names = chosen(config)
        known = [name for name in names if name.startswith(OF_PLUGINS) or _is_there(name, ())]
        resolve(known if config.settings.mcp_servers else names, sets={**TOOLSETS, **brought.sets})


def _servers(settings: Settings) -> list[str]:
    """The toolsets of MCP servers, as far as it is known what is in them."""
    if not settings.mcp_servers:
        return []
    from hermes.tools.mcp.servers import enabled, register_known, toolset

    register_known(settings)
    return [toolset(name) for name in enabled(settings) if registry.in_toolset(toolset(name))]


def _is_there(name: str, more: Sequence[str]) -> bool:
    """Whether a name can be resolved. What was chosen of a plugin that is off, or of an MCP server that is gone or not
    known yet, is passed over."""
    bare = name.removeprefix("-")
    if bare.startswith(OF_PLUGINS):
        return bare in more
    of_a_server = bare.startswith(("mcp-", "mcp_"))
    return not of_a_server or bool(registry.in_toolset(bare)) or registry.get(bare) is not None


def toolbox(
    config: Config,
    folder: Path | None,
    *,
    platform: str = "cli",
    own: Sequence[Tool] = (),
    brought: Brought = Brought(),
    yolo: bool = False,
) -> Toolbox:
    """The tools for a conversation in this folder, as the settings say; `brought`: by plugins."""
    place = Workplace(config.settings, config.environment, (folder or Path.cwd()).resolve(), yolo=yolo)
    place.engines, place.browsers = brought.engines, brought.browsers
    late = _prepared(place)
    names = resolve(chosen(config, platform, brought.sets), sets={**TOOLSETS, **brought.sets})
    box = Toolbox(names, place, [*own, *brought.tools])
    if platform in LOCAL_SOURCES:
        box.notices = [_LATE.format(name) for name in late]
    return box


def _prepared(place: Workplace) -> list[str]:
    """Have the tools of MCP servers registered; those that are not known and did not answer in time."""
    if not place.settings.mcp_servers:
        return []
    from hermes.tools.mcp.servers import prepare

    return prepare(place)
