"""Where plugins come from, in order: bundled, the person's own, the project's (where allowed), installed packages.

Finding one runs none of its code. The first of a name counts: nothing that comes later takes the place of another.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hermes import paths
from hermes.config import Settings
from hermes.plugins import manifest
from hermes.plugins.base import CATEGORIES, FILE, Plugin, Problem

BUNDLED = Path(__file__).parents[1] / "bundled"
ENTRY_POINTS = "hermes.plugins"
_MOST = 500


class Found(NamedTuple):
    plugins: dict[str, Plugin]
    problems: list[Problem]


def discover(settings: Settings, folder: Path | None = None) -> Found:
    """Every plugin, whether it is on or not. `folder` is where the person works, for the project's own."""
    places = [(BUNDLED, "bundled"), (paths.plugins_dir(), "user")]
    if settings.plugins.project and folder is not None:
        places.append((folder / ".hermes" / "plugins", "project"))
    found = Found({}, [])
    for top, source in places:
        for each, category in _folders(top):
            _take(found, *manifest.read(each, source, category))
    for plugin in _installed():
        _take(found, plugin, [])
    return found


def _take(found: Found, plugin: Plugin | None, problems: list[Problem]) -> None:
    found.problems.extend(problems)
    if plugin is None:
        return
    before = found.plugins.setdefault(plugin.name, plugin)
    if before is not plugin:
        text = f"'{plugin.name}' is the name of a {before.source} plugin too; that one is used"
        found.problems.append(Problem(_where(plugin), 0, text))


def _where(plugin: Plugin) -> str:
    return str(plugin.folder / FILE) if plugin.folder else f"package {plugin.name}"


def _folders(top: Path) -> Iterator[tuple[Path, str]]:
    """Folders with a plugin.yaml: directly below, or below the folder of a category."""
    for folder in _below(top):
        if (folder / FILE).is_file():
            yield folder, ""
        elif folder.name in CATEGORIES:
            yield from ((inner, CATEGORIES[folder.name]) for inner in _below(folder) if (inner / FILE).is_file())


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] not in "._")[:_MOST]
    except OSError:
        return []


def _installed() -> Iterator[Plugin]:
    """Packages that say they bring a plugin; what else is known of them is what the package says of itself."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        about: Any = entry.dist.metadata if entry.dist is not None else {}
        yield Plugin(
            entry.name,
            "entry point",
            entry=entry,
            version=str(about.get("Version") or ""),
            description=str(about.get("Summary") or ""),
            author=str(about.get("Author") or about.get("Author-email") or ""),
        )


def is_on(plugin: Plugin, settings: Settings) -> bool:
    """Plugins are code: one is used when the person says so, in the list or by choosing what it provides."""
    if plugin.name in settings.plugins.disabled:
        return False
    if plugin.name in settings.plugins.enabled:
        return True
    chosen = {
        CATEGORIES["memory"]: settings.memory.provider,
        CATEGORIES["context_engine"]: settings.context.engine,
    }
    backends = {
        settings.web.backend,
        settings.web.search_backend,
        settings.web.extract_backend,
        settings.browser.engine,
    }
    provided = {*plugin.provides_web_providers, *plugin.provides_browser_providers}
    by_choice = chosen.get(plugin.category) == plugin.name or bool(provided & backends)
    return by_choice and plugin.source in ("bundled", "user")
