"""Tools: which toolsets a platform has, what is in them and why something is missing; switching them on and off."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.agent.toolbox import IN_THE_LOOP, chosen, loop_tools
from hermes.commands.chat import reaching
from hermes.commands.extended import brought_by, load_extended, plugins_here
from hermes.commands.reply import Column, Line, Reply, Span, Table, Text, count, said
from hermes.config import save
from hermes.config.edits import Put
from hermes.errors import BadInput
from hermes.model.sources import SOURCES
from hermes.tools.registry import Registry, Tool, registry
from hermes.tools.toolsets import LEAVES, OF_PLUGINS, TOOLSETS, Toolset, leaves, resolve
from hermes.tools.work import Workplace

_SETS = (Column("Toolset", 18, least=10), Column("", 3), Column("Tools", 8), Column("What it is for", 44, least=20))
_RULE = 76


class Known:
    """The tools there are: Hermes' own, those of MCP servers, and those of plugins that are on."""

    def __init__(self, home: Path) -> None:
        self.config = load_extended(home)
        self.place = Workplace(self.config.settings, self.config.environment, Path.cwd())
        plugins = plugins_here(self.config, Path.cwd())
        self.platforms = plugins.platforms
        brought = brought_by(plugins, self.config.settings)
        self.place.engines, self.place.browsers = brought.engines, brought.browsers
        self.sets: Mapping[str, Toolset] = {**TOOLSETS, **brought.sets}
        self._plugins = Registry({})
        for one in brought.tools:
            self._plugins.register(one)
        self._reaching = reaching.missing(self.config, self.platforms)
        self.warnings = plugins.news()

    def tools(self, names: Iterable[str]) -> list[str]:
        return resolve(names, sets=self.sets)

    def chosen(self, platform: str) -> list[str]:
        return chosen(self.config, self.checked(platform), [name for name in self.sets if name not in TOOLSETS])

    def on(self, platform: str) -> set[str]:
        return set(self.tools(self.chosen(platform)))

    def checked(self, platform: str) -> str:
        if platform not in ("cli", *SOURCES, *self.platforms) and f"hermes-{platform}" not in TOOLSETS:
            raise BadInput(f"There is no platform '{platform}'; there are: {', '.join([*SOURCES, *self.platforms])}.")
        return platform

    def get(self, name: str) -> Tool | None:
        return self._plugins.get(name) or registry.get(name)

    def missing(self, name: str) -> str | None:
        """Why a tool is missing. Those of the loop need no more than the loop, once it has them."""
        if name in loop_tools():
            return None
        if name in self._reaching:
            return self._reaching[name]
        if name in IN_THE_LOOP:
            return "not part of this Hermes yet"
        return (self._plugins if self._plugins.get(name) else registry).missing(name, self.place)

    def shown(self) -> list[str]:
        """The leaf sets, and the sets that plugins and MCP servers brought."""
        servers = {f"mcp-{name}" for name in self.config.settings.mcp_servers if registry.in_toolset(f"mcp-{name}")}
        return [*LEAVES, *sorted(servers), *(name for name in self.sets if name not in TOOLSETS)]

    def about(self, name: str) -> str:
        if name in self.sets:
            return self.sets[name].about
        return f"The MCP server {name.removeprefix('mcp-')}"


def toolsets(home: Path, platform: str = "cli") -> Reply:
    """Every leaf set: whether this platform has it, how many of its tools can be used, and what it is for."""
    known = Known(home)
    on = known.on(platform)
    data = [_set_entry(name, on, known) for name in known.shown()]
    rows = tuple(
        (
            one["toolset"],
            "on" if one["enabled"] else "off",
            f"{len(one['usable'])} of {len(one['tools'])}",
            one["about"],
        )
        for one in data
    )
    usable = sum(len(one["usable"]) for one in data if one["enabled"])
    note = f"{count(usable, 'tool')} for {platform}; `hermes tools show NAME` says why one is missing."
    return Reply((Table(_SETS, rows, _RULE), Text((note,), prose=True)), tuple(known.warnings), data)


def _set_entry(name: str, on: set[str], known: Known) -> dict[str, Any]:
    tools = known.tools([name])
    missing = {one: reason for one in tools if (reason := known.missing(one))}
    return {
        "toolset": name,
        "enabled": bool(tools) and set(tools) <= on,
        "tools": tools,
        "usable": [one for one in tools if one not in missing],
        "missing": missing,
        "about": known.about(name),
    }


def show(home: Path, name: str, platform: str = "cli") -> Reply:
    """One toolset or tool: what is in it, and for each tool whether it can be used and why not."""
    known = Known(home)
    on = known.on(platform)
    data = [{"tool": one, "enabled": one in on, "missing": known.missing(one)} for one in known.tools([name])]
    about = known.about(name) if name in known.sets or registry.in_toolset(name) else "one tool"
    lines = [f"{name}: {about}", *(_tool_line(one, known) for one in data)]
    return Reply((Text(tuple(lines), prose=True),), tuple(known.warnings), data)


def _tool_line(one: dict[str, Any], known: Known) -> Line:
    name = Span(f"  {one['tool']:<18} ")
    if one["missing"]:
        return (name, Span(f"missing: {one['missing']}", "warn"))
    if not one["enabled"]:
        return (name, Span(f"off: hermes tools enable {one['tool']}", "dim"))
    found = known.get(one["tool"])
    about = str(found.schema["description"]).split(". ")[0] if found else "part of the conversation"
    return (name, Span(about, ""))


def enable(home: Path, names: list[str], platform: str = "cli") -> Reply:
    """Give a platform these toolsets, or single tools."""
    return _switch(home, names, platform, on=True)


def disable(home: Path, names: list[str], platform: str = "cli") -> Reply:
    return _switch(home, names, platform, on=False)


def _switch(home: Path, names: list[str], platform: str, *, on: bool) -> Reply:
    known = Known(home)
    present, config = known.chosen(platform), known.config
    for name in names:
        known.tools([name])  # BadInput for what is not there
        _whole_plugin(name, known)
    barred = [name for name in names if on and name in config.settings.agent.disabled_toolsets]
    if barred:
        raise BadInput(f"{barred[0]} is in agent.disabled_toolsets, which goes before; take it out there first.")
    before = [name for name in present if name.removeprefix("-") not in config.settings.agent.disabled_toolsets]
    after = _with(before, names, known) if on else _without(before, names, known)
    save.change(paths.config_file(home), [Put(("platform_toolsets", platform), after)])
    done = "has" if on else "no longer has"
    return said(
        f"{platform} {done} {', '.join(names)} (from the next conversation).",
        data={"platform": platform, "toolsets": after},
    )


def _whole_plugin(name: str, known: Known) -> None:
    """A plugin's tools are switched together: the name of one means nothing once the plugin is off."""
    found = known.get(name)
    if found is not None and found.toolset.startswith(OF_PLUGINS):
        raise BadInput(f"'{name}' comes with others; name its toolset: {found.toolset}.")


def _with(before: list[str], names: list[str], known: Known) -> list[str]:
    kept = [one for one in before if one.removeprefix("-") not in names]
    return [*kept, *(name for name in names if not set(known.tools([name])) <= set(known.tools(kept)))]


def _without(before: list[str], names: list[str], known: Known) -> list[str]:
    """Whole sets are spelled out so that one can go; a single tool, or what others brought, is taken out by a minus."""
    gone = set(leaves(names))
    kept = [one for one in leaves(before) if one not in gone]
    still = set(known.tools(kept))
    foreign = ("mcp-", OF_PLUGINS)
    return [*kept, *(f"-{name}" for name in names if name.startswith(foreign) or set(known.tools([name])) & still)]
