"""Memory: what is noted, how full it is, and which provider stands beside the notes."""

from pathlib import Path
from typing import Any

from hermes import paths
from hermes.commands.reply import Facts, Line, Reply, Span, Text, count, said
from hermes.config import load, save
from hermes.config.edits import Drop, Put
from hermes.errors import NotFound
from hermes.memory.base import TARGETS
from hermes.memory.notes import Notes, notes_of

_PROVIDERS = {"sessions": "your past conversations: what was said about the same thing comes with your message"}
TITLES = {"memory": "What the agent learnt", "user": "What it knows about you"}


def standing(home: Path) -> dict[str, Any]:
    """How full each target is, and the provider."""
    settings = load(home=home).settings
    notes = notes_of(settings)
    return {"targets": [_target(notes, target) for target in TARGETS], "provider": settings.memory.provider or None}


def status(home: Path) -> Reply:
    """Both targets with how full they are, and the provider."""
    now = standing(home)
    targets, provider = now["targets"], now["provider"] or ""
    facts = [(TITLES[one["target"]], fullness(one), "text") for one in targets]
    known = provider in ("", *providers(home))
    shown = provider or "none (`hermes memory setup` shows what there is)"
    facts.append(("Provider beside them", shown if known else f"{provider}: there is none of this name", "text"))
    facts.append(("Files", str(paths.memories_dir()), "text"))
    return Reply((Facts(tuple(facts)),), data=now)


def _target(notes: Notes, target: str) -> dict[str, Any]:
    entries = notes.entries(target)
    return {
        "target": target,
        "enabled": target in notes.limits,
        "entries": len(entries),
        "characters": len("\n§\n".join(entries)),
        "limit": notes.limits.get(target),
    }


def fullness(one: dict[str, Any]) -> str:
    entries = "1 entry" if one["entries"] == 1 else f"{one['entries']} entries"
    if not one["enabled"]:
        return f"off; {entries}"
    return f"{entries}, {one['characters']:,} of {one['limit']:,} characters"


def show(home: Path, target: str | None = None) -> Reply:
    """The entries of one target, or of both."""
    notes = notes_of(load(home=home).settings)
    lines: list[Line] = []
    data = []
    for one in [target] if target else TARGETS:
        entries = notes.entries(one)
        data += [{"target": one, "entry": entry} for entry in entries]
        lines += [(Span(TITLES[one], "strong"),), *(f"  {entry}" for entry in entries or ["nothing yet"])]
    return Reply((Text(tuple(lines)),), data=data)


def file_to_edit(home: Path, target: str) -> Path:
    """The file of a target, made if it is not there."""
    file = notes_of(load(home=home).settings).file(target)
    paths.make_private_folder(file.parent)
    paths.create_private_file(file)
    return file


def edited(home: Path, target: str) -> Reply:
    """After somebody's editor: how full it is, and whether it is too full."""
    one = _target(notes_of(load(home=home).settings), target)
    limit = one["limit"] or 0
    too_much = ()
    if one["enabled"] and one["characters"] > limit:
        over = count(one["characters"] - limit, "character")
        too_much = (f"{target} is {over} over its limit; the agent can only remove from it until it fits.",)
    return said(f"{TITLES[target]}: {fullness(one)}.", data=one, notices=too_much)


def providers(home: Path) -> dict[str, str]:
    """Every provider that can stand beside the notes, with a line about it: those that say so by their folder, and what
    a plugin that is on brought."""
    from hermes.commands.extended import plugins_here
    from hermes.plugins.base import CATEGORIES
    from hermes.plugins.discover import discover

    config = load(home=home)
    brought = plugins_here(config, Path.cwd()).memory_providers
    found = discover(config.settings, Path.cwd()).plugins.values()
    theirs = [one for one in found if one.category == CATEGORIES["memory"] or one.name in brought]
    return _PROVIDERS | {one.name: one.description for one in theirs}


def setup(home: Path, name: str | None = None) -> Reply:
    """Choose the provider beside the notes; without a name, say which there are."""
    known = providers(home)
    if name is None:
        current = load(home=home).settings.memory.provider
        lines = [f"  {'*' if one == current else ' '} {one:<14} {about}" for one, about in known.items()]
        data = [{"provider": one, "about": about, "active": one == current} for one, about in known.items()]
        return Reply((Text((*lines, "`hermes memory setup NAME` chooses one.")),), data=data)
    if name not in known:
        raise NotFound(f"There is no memory provider '{name}'; there are: {', '.join(known)}.")
    save.change(paths.config_file(home), [Put(("memory", "provider"), name)])
    return said(f"{name} stands beside the notes, from the next conversation.", data={"provider": name})


def off(home: Path) -> Reply:
    """No provider beside the notes."""
    if not load(home=home).settings.memory.provider:
        return said("There was none; the notes stay as they are.", data={"provider": None})
    save.change(paths.config_file(home), [Drop(("memory", "provider"))])
    return said(
        "No provider beside the notes, from the next conversation. The notes stay; "
        "`hermes config set memory.memory_enabled false` switches them off too.",
        data={"provider": None},
    )
