"""Tabs that plugins bring for the dashboard: `dashboard/manifest.json` in the plugin's folder, and a JavaScript bundle.

{"label": "Costs", "entry": "dist/index.js", "css": "dist/style.css", "description": "What it cost, day by day"}
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from hermes.errors import BadInput, NotFound
from hermes.plugins.base import Plugin

_LARGEST = 20_000_000
_KNOWN = ("label", "entry", "css", "description")


class Tab(NamedTuple):
    """`entry`, a module that fills the element `tab` of its page, and `css` are files beside the manifest."""

    plugin: str
    folder: Path
    label: str
    entry: str
    css: str = ""
    description: str = ""

    def file(self, path: str) -> Path:
        """A file of the tab. NotFound for everything that is not inside its folder."""
        top = self.folder.resolve()
        found = (top / path).resolve()
        if not found.is_relative_to(top) or not found.is_file() or found.stat().st_size > _LARGEST:
            raise NotFound("There is no such file.")
        return found


def tab_of(plugin: Plugin) -> Tab | None:
    """The tab of a plugin; None: it brings none. BadInput with what is wrong with it."""
    manifest = plugin.dashboard
    if manifest is None:
        return None
    try:
        given = json.loads(manifest.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInput(f"{manifest}: is no JSON that can be read ({error}).") from None
    if not isinstance(given, dict) or not given.get("entry"):
        raise BadInput(f'{manifest}: has to be an object with an entry, such as {{"entry": "dist/index.js"}}.')
    tab = Tab(plugin.name, manifest.parent, **{"label": plugin.name} | _texts(manifest, given))
    for path in filter(None, (tab.entry, tab.css)):
        try:
            tab.file(path)
        except NotFound:
            raise BadInput(f"{manifest}: {path} is not a file beside it.") from None
    return tab


def _texts(manifest: Path, given: dict[str, Any]) -> dict[str, str]:
    odd = [name for name in _KNOWN if name in given and not isinstance(given[name], str)]
    if odd:
        raise BadInput(f"{manifest}: {odd[0]} has to be text.")
    return {name: given[name].strip() for name in _KNOWN if given.get(name)}
