"""Tools: which toolsets a platform has, what is in them and why something is missing; switching them on and off."""

from pathlib import Path
from typing import Any

from hermes import paths
from hermes.agent.toolbox import IN_THE_LOOP, chosen
from hermes.commands.reply import Column, Line, Reply, Span, Table, Text, count, said
from hermes.config import Config, load, save
from hermes.config.edits import Put
from hermes.errors import BadInput
from hermes.model.sources import SOURCES
from hermes.tools.registry import registry
from hermes.tools.toolsets import LEAVES, TOOLSETS, leaves, resolve
from hermes.tools.work import Workplace

_SETS = (Column("Toolset", 18, least=10), Column("", 3), Column("Tools", 8), Column("What it is for", 44))
_RULE = 76


def toolsets(home: Path, platform: str = "cli") -> Reply:
    """Every leaf set: whether this platform has it, how many of its tools can be used, and what it is for."""
    config = load(home=home)
    place = _place(config)
    on = set(resolve(chosen(config, _platform(platform))))
    data = [_set_entry(name, on, place) for name in _shown(config)]
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
    return Reply((Table(_SETS, rows, _RULE), Text((note,))), data=data)


def _set_entry(name: str, on: set[str], place: Workplace) -> dict[str, Any]:
    tools = resolve([name])
    missing = {one: reason for one in tools if (reason := _missing(one, place))}
    return {
        "toolset": name,
        "enabled": bool(tools) and set(tools) <= on,
        "tools": tools,
        "usable": [one for one in tools if one not in missing],
        "missing": missing,
        "about": _about(name),
    }


def _about(name: str) -> str:
    if name in TOOLSETS:
        return TOOLSETS[name].about
    return f"The MCP server {name.removeprefix('mcp-')}" if name.startswith("mcp-") else "A plugin's"


def show(home: Path, name: str, platform: str = "cli") -> Reply:
    """One toolset or tool: what is in it, and for each tool whether it can be used and why not."""
    config = load(home=home)
    place = _place(config)
    on = set(resolve(chosen(config, _platform(platform))))
    data = [{"tool": one, "enabled": one in on, "missing": _missing(one, place)} for one in resolve([name])]
    about = _about(name) if name in TOOLSETS or registry.in_toolset(name) else "one tool"
    lines = [f"{name}: {about}", *map(_tool_line, data)]
    return Reply((Text(tuple(lines)),), data=data)


def _tool_line(one: dict[str, Any]) -> Line:
    name = Span(f"  {one['tool']:<18} ")
    if one["missing"]:
        return (name, Span(f"missing: {one['missing']}", "warn"))
    if not one["enabled"]:
        return (name, Span(f"off: hermes tools enable {one['tool']}", "dim"))
    found = registry.get(one["tool"])
    about = str(found.schema["description"]).split(". ")[0] if found else "part of the conversation"
    return (name, Span(about, ""))


def _missing(name: str, place: Workplace) -> str | None:
    """Why a tool is missing. Those of the loop need no more than the loop, once it has them."""
    from hermes.agent.toolbox import loop_tools

    if name in loop_tools():
        return None
    if name in IN_THE_LOOP:
        return "not part of this Hermes yet"
    return registry.missing(name, place)


def enable(home: Path, names: list[str], platform: str = "cli") -> Reply:
    """Give a platform these toolsets, or single tools."""
    return _switch(home, names, platform, on=True)


def disable(home: Path, names: list[str], platform: str = "cli") -> Reply:
    return _switch(home, names, platform, on=False)


def _switch(home: Path, names: list[str], platform: str, *, on: bool) -> Reply:
    _platform(platform)
    config = load(home=home)
    present = chosen(config, platform)
    for name in names:
        resolve([name])  # BadInput for what is not there
    barred = [name for name in names if on and name in config.settings.agent.disabled_toolsets]
    if barred:
        raise BadInput(f"{barred[0]} is in agent.disabled_toolsets, which goes before; take it out there first.")
    before = [name for name in present if name.removeprefix("-") not in _barred(config)]
    file = paths.config_file(home)
    after = _with(before, names) if on else _without(before, names)
    save.change(file, [Put(("platform_toolsets", platform), after)])
    done = "has" if on else "no longer has"
    return said(
        f"{platform} {done} {', '.join(names)} (from the next conversation).",
        data={"platform": platform, "toolsets": after},
    )


def _barred(config: Config) -> list[str]:
    return list(config.settings.agent.disabled_toolsets)


def _with(before: list[str], names: list[str]) -> list[str]:
    kept = [one for one in before if one.removeprefix("-") not in names]
    return [*kept, *(name for name in names if not set(resolve([name])) <= set(resolve(kept)))]


def _without(before: list[str], names: list[str]) -> list[str]:
    """Whole sets are spelled out so that one can go; a single tool, or an MCP server, is taken out by a minus."""
    gone = set(leaves(names))
    kept = [one for one in leaves(before) if one not in gone]
    still = set(resolve(kept))
    return [*kept, *(f"-{name}" for name in names if name.startswith("mcp-") or set(resolve([name])) & still)]


def _shown(config: Config) -> list[str]:
    """The leaf sets, and the sets that plugins and MCP servers brought."""
    brought = {f"mcp-{name}" for name in config.settings.mcp_servers if registry.in_toolset(f"mcp-{name}")}
    return [*LEAVES, *sorted(brought)]


def _platform(name: str) -> str:
    if name != "cli" and name not in SOURCES and f"hermes-{name}" not in TOOLSETS:
        raise BadInput(f"There is no platform '{name}'; there are: {', '.join(SOURCES)}.")
    return name


def _place(config: Config) -> Workplace:
    return Workplace(config.settings, config.environment, Path.cwd())
