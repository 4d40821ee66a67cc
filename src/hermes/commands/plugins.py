"""Plugins: which there are, which are on and what they do; switching, installing, and beginning one."""

import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from hermes import paths
from hermes.commands.reply import Ask, Column, Facts, Line, Reply, Span, Table, Text, count, said
from hermes.config import Config, load, save
from hermes.config.edits import Put
from hermes.errors import BadInput, NotFound
from hermes.model.suspicious import suspicions
from hermes.package import Files, fetch, place
from hermes.plugins import manifest
from hermes.plugins.base import FILE, Plugin, Problem
from hermes.plugins.discover import Found, discover, is_on
from hermes.plugins.loading import load as loaded
from hermes.plugins.tabs import tab_of
from hermes.plugins.writing import create

_LIST = (
    Column("Plugin", 22, least=10),
    Column("On", 3),
    Column("From", 11),
    Column("Kind", 19),
    Column("What it does", 40, least=30),
)
_RULE = 98


def _discover(config: Config) -> Found:
    return discover(config.settings, Path.cwd())


def listed(home: Path) -> Reply:
    """Every plugin, on or off. None of their code runs."""
    config = load(home=home)
    found = _discover(config)
    data = [{**one.facts(), "enabled": is_on(one, config.settings)} for one in found.plugins.values()]
    rows = tuple(
        (one["name"], "on" if one["enabled"] else "off", one["source"], one["category"], one["description"])
        for one in data
    )
    note = f"{count(len(rows), 'plugin')}; `hermes plugins enable NAME` switches one on."
    parts = (Table(_LIST, rows, _RULE), Text((note,), prose=True))
    return Reply(parts, notices=tuple(map(str, found.problems)), data=data)


def show(home: Path, name: str) -> Reply:
    """One plugin: what it says of itself and, when it is on, what it really registers."""
    config = load(home=home)
    plugin = _known(_discover(config), name)
    on = is_on(plugin, config.settings)
    facts = [
        ("Plugin", f"{plugin.name} {plugin.version}".strip()),
        ("What it does", plugin.description),
        ("By", plugin.author),
        ("From", f"{plugin.source}: {plugin.folder}" if plugin.source in ("user", "project") else plugin.source),
        ("Kind", f"{plugin.category} ({plugin.kind})"),
        ("Needs", ", ".join(one.name for one in plugin.requires_env)),
        ("Tools", ", ".join(plugin.provides_tools)),
        ("Hooks", ", ".join(plugin.provides_hooks)),
        ("Is", "on" if on else f"off: hermes plugins enable {plugin.name}"),
    ]
    lines, data = _really(plugin, config) if on else ([], {})
    shown = Facts(tuple((label, value, "text") for label, value in facts if value))
    return Reply((shown, *((Text(tuple(lines)),) if lines else ())), data={**plugin.facts(), "enabled": on, **data})


def _really(plugin: Plugin, config: Config) -> tuple[list[Line], dict[str, Any]]:
    """What it registers, or why it cannot; and where that is not what it says."""
    context, problem = loaded(plugin, config.environment)
    if context is None:
        return [(Span(f"It cannot be used: it {problem}", "bad"),)], {"problem": problem}
    brought = {
        "tools": [one.name for one in context.tools],
        "hooks": sorted({event for event, _ in context.hooks}),
        "commands": [f"/{one.name}" for one in context.commands],
        "model providers": [one.name for one in context.model_providers],
        "search engines": list(context.web_providers),
        "browsers": list(context.browser_providers),
        "platforms": list(context.platforms),
        "tabs": [f"/dashboard/plugins/{plugin.name}/ on the API server"] if plugin.dashboard else [],
    }
    lines: list[Line] = [f"Registers {name}: {', '.join(names)}" for name, names in brought.items() if names]
    return [*lines, *_untrue(plugin, brought)], {"registers": brought}


def _untrue(plugin: Plugin, brought: dict[str, list[str]]) -> Iterator[Line]:
    """Where its description says less than it does, or more."""
    if plugin.folder is None:
        return
    declared = {
        "tools": plugin.provides_tools,
        "hooks": plugin.provides_hooks,
        "search engines": plugin.provides_web_providers,
        "browsers": plugin.provides_browser_providers,
    }
    for name, said_so in declared.items():
        more, less = sorted(set(brought[name]) - set(said_so)), sorted(set(said_so) - set(brought[name]))
        if more:
            yield (Span(f"Not in {FILE}: {name} {', '.join(more)}", "warn"),)
        if less:
            yield (Span(f"In {FILE} alone: {name} {', '.join(less)}", "warn"),)


def _known(found: Found, name: str) -> Plugin:
    if name in found.plugins:
        return found.plugins[name]
    wrong = next((one for one in found.problems if one.serious and Path(one.where).parent.name == name), None)
    if wrong is not None:
        raise BadInput(str(wrong))
    from difflib import get_close_matches

    near = get_close_matches(name, list(found.plugins), 1)
    raise NotFound(f"There is no plugin '{name}'{f'; did you mean {near[0]!r}?' if near else ': hermes plugins list'}")


def enable(home: Path, name: str) -> Reply:
    """Use a plugin from the next chat on. One that cannot be loaded is said now, and stays off."""
    config = load(home=home)
    plugin = _known(_discover(config), name)
    context, problem = loaded(plugin, config.environment)
    if context is None:
        stays = "is on, and cannot be used" if is_on(plugin, config.settings) else "stays off"
        raise BadInput(f"Plugin '{name}' {stays}: it {problem}")
    tab_of(plugin)  # BadInput for a tab that cannot be shown
    _switch(home, config, name, on=True)
    return said(f"{name} is on, from the next chat.{_choose(plugin)}", data={"plugin": name, "enabled": True})


def _choose(plugin: Plugin) -> str:
    """What else it takes before it is used."""
    web, browser = (
        next(iter(one), plugin.name) for one in (plugin.provides_web_providers, plugin.provides_browser_providers)
    )
    how = {
        "memory provider": f"`hermes memory setup {plugin.name}` makes it the memory beside the notes.",
        "context engine": f"`hermes config set context.engine {plugin.name}` makes it the one that compresses.",
        "model provider": "`hermes model choose` names its models.",
        "web search provider": f"`hermes config set web.backend {web}` has it search.",
        "browser provider": f"Where there are several, `hermes config set browser.engine {browser}` chooses it.",
        "platform": "`hermes gateway restart` serves it.",
        "dashboard": f"The API server shows it at /dashboard/plugins/{plugin.name}/.",
    }
    return f" {how[plugin.category]}" if plugin.category in how else ""


def disable(home: Path, name: str) -> Reply:
    config = load(home=home)
    if name not in config.settings.plugins.enabled:
        _known(_discover(config), name)
    _switch(home, config, name, on=False)
    return said(f"{name} is off, from the next chat.", data={"plugin": name, "enabled": False})


def _switch(home: Path, config: Config, name: str, *, on: bool) -> None:
    lists = {"enabled": list(config.settings.plugins.enabled), "disabled": list(config.settings.plugins.disabled)}
    edits = []
    for key, wanted in (("enabled", on), ("disabled", not on)):
        after = [one for one in lists[key] if one != name] + [name] * wanted
        if after != lists[key]:
            edits.append(Put(("plugins", key), after))
    save.change(paths.config_file(home), edits)


def new(home: Path, name: str, description: str, author: str) -> Reply:
    """A plugin that works, with a test that passes."""
    folder = create(name, description, author)
    return said(
        f"{folder} is there; its test passes: pytest {folder}",
        f"`hermes plugins enable {name}` switches it on.",
        data=str(folder),
    )


def add(home: Path, source: str, *, yes: bool = False) -> Reply:
    """A plugin from a folder, an archive or a git URL. It is code, so it is always asked about, and it stays off."""
    found = fetch(source, FILE)
    if len(found) > 1:
        raise BadInput(
            f"{source} has several plugins: {', '.join(found)}; install them one by one, from their folders."
        )
    [(name, files)] = found.items()
    plugin, problems = manifest.parse(_manifest(files), Path(name), "user")
    if plugin is None:
        raise BadInput(f"{problems[0]}; nothing was installed.")
    target = paths.plugins_dir(home) / _shelf(plugin, files) / plugin.name

    def go() -> Reply:
        place(target, files)
        return said(f"Installed {target}; `hermes plugins enable {plugin.name}` switches it on.", data=str(target))

    if yes:
        return go()
    lines = _looks(plugin, files, problems, target)
    return Reply((Text(tuple(lines)),), ask=Ask("A plugin is code that runs as you. Install it?", go))


def _shelf(plugin: Plugin, files: Files) -> str:
    """The folder of its category, where its plugin.yaml does not tell which one it is of."""
    if plugin.kind != "exclusive":
        return ""
    code = b"".join(content.data for path, content in files.items() if path.suffix == ".py")
    registers = {"memory": b"register_memory_provider", "context_engine": b"register_context_engine"}
    found = [folder for folder, call in registers.items() if call in code]
    return found[0] if len(found) == 1 else ""


def remove(home: Path, name: str, *, yes: bool = False) -> Reply:
    """Take a plugin of the person's own out, and its name out of the settings. What it kept stays."""
    config = load(home=home)
    folder = _own(_discover(config), name, paths.plugins_dir(home))

    def go() -> Reply:
        _take_out(folder)
        lists = {key: getattr(config.settings.plugins, key) for key in ("enabled", "disabled")}
        edits = [
            Put(("plugins", key), [one for one in names if one != name])
            for key, names in lists.items()
            if name in names
        ]
        save.change(paths.config_file(home), edits)
        return said(f"Removed {folder}.", data={"plugin": name, "folder": str(folder)})

    return go() if yes else Reply(ask=Ask(f"Remove {folder} with everything in it?", go))


def _own(found: Found, name: str, top: Path) -> Path:
    """The folder of a plugin that the person put there, however broken it is."""
    broken = [Path(one.where).parent for one in found.problems if one.serious]
    for folder in broken:
        if folder.name == name and folder.is_relative_to(top):
            return folder
    plugin = _known(found, name)
    if plugin.folder is None or plugin.source != "user":
        ways = {"bundled": f"hermes plugins disable {name}", "entry point": f"pip uninstall the package of {name}"}
        raise BadInput(f"{name} is no plugin in {top}: {ways.get(plugin.source, 'delete its folder')}")
    return plugin.folder


def _take_out(folder: Path) -> None:
    """The folder, or the link to one that lies elsewhere."""
    try:
        folder.unlink() if folder.is_symlink() else shutil.rmtree(folder)
    except OSError as error:
        raise BadInput(f"{folder} cannot be removed: {error.strerror}.") from None


def _manifest(files: Files) -> str:
    try:
        return files[PurePosixPath(FILE)].data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{FILE} is not UTF-8 text; nothing was installed.") from None


def _looks(plugin: Plugin, files: Files, problems: list[Problem], target: Path) -> list[Line]:
    lines: list[Line] = [(Span(f"{plugin.name} {plugin.version}", "strong"), Span(f"  {plugin.description}"))]
    lines.append(f"  {count(len(files), 'file')}, by {plugin.author or 'somebody who does not say'}")
    if plugin.requires_env:
        lines.append((Span(f"  it gets to see: {', '.join(one.name for one in plugin.requires_env)}", "warn"),))
    if target.exists():
        lines.append((Span(f"  takes the place of {target}", "warn"),))
    lines += [(Span(f"  {one}", "warn"),) for one in problems]
    for path, content in sorted(files.items()):
        for sign in suspicions(content.data.decode("utf-8", "ignore"))[:3]:
            lines.append((Span(f"  {path}:{sign.line}: {sign.what}: {sign.excerpt}", "bad"),))
    return lines
