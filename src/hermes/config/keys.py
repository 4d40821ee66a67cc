"""The names of all settings: to go through them, to find one, and to guess which one somebody meant."""

import difflib
from typing import Any, get_args, get_origin

from hermes.config.area import Area, Setting, inside
from hermes.config.document import KeyPath
from hermes.config.settings import Settings
from hermes.errors import NotFound


def all_keys(area: type[Area] = Settings, path: KeyPath = ()) -> dict[KeyPath, Setting]:
    """Every key, sections included, in the order of the docs. `NAME` stands for a name of one's own."""
    keys: dict[KeyPath, Setting] = {}
    for name, known in area.settings.items():
        here = (*path, name)
        keys[here] = known
        section = inner_area(known)
        if section is not None:
            keys |= all_keys(section, here if isinstance(known.default, Area) else (*here, "NAME"))
    return keys


def inner_area(known: Setting) -> type[Area] | None:
    """The kind of section that stands under a key, or under each name there."""
    if isinstance(known.default, Area):
        return type(known.default)
    return inside(known.kind, dict) or inside(known.kind, list)


def nearest(path: KeyPath) -> str | None:
    """The known key most like this one: misspelt in its own section, or put into the wrong one."""
    keys = all_keys()
    section = _section(path[:-1])
    siblings = [".".join((*path[:-1], name)) for name in section.settings] if section else []
    close = difflib.get_close_matches(".".join(path), siblings, n=1, cutoff=0.75)
    if not close:
        close = [".".join(key) for key in keys if key[-1] == path[-1] and "NAME" not in key]
    if not close:
        everywhere = [".".join(key) for key in keys if "NAME" not in key]
        close = difflib.get_close_matches(".".join(path), everywhere, n=1, cutoff=0.8)
    return close[0] if close else None


def _section(path: KeyPath) -> type[Area] | None:
    """The section that stands at a path."""
    section: type[Area] | None = Settings
    while path and section:
        known = section.settings.get(path[0])
        section = inner_area(known) if known else None
        path = path[1:] if known and isinstance(known.default, Area) else path[2:]
    return section


def find(path: KeyPath) -> Setting:
    """The setting with this name. Raises NotFound with the nearest one there is."""
    known = _find(Settings, path)
    if known is None:
        raise NotFound(unknown(path))
    return known


def unknown(path: KeyPath) -> str:
    meant = nearest(path)
    advice = f"did you mean {meant}?" if meant else "`hermes config show` lists all there are."
    return f"{'.'.join(path)} is not a setting; {advice}"


def _find(area: type[Area], path: KeyPath) -> Setting | None:
    known = area.settings.get(path[0])
    rest = path[1:]
    if known is None or not rest:
        return known
    section = inner_area(known)
    if isinstance(known.default, Area) and section:
        return _find(section, rest)
    if get_origin(known.kind) is not dict:
        return None
    if section:
        return known.part(section, rest[0]) if len(rest) == 1 else _find(section, rest[1:])
    kind = get_args(known.kind)[-1]
    return known.part(kind, rest[-1]) if kind is Any or len(rest) == 1 else None
