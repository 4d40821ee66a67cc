"""A plugin, as its plugin.yaml describes it."""

from pathlib import Path
from typing import Any, NamedTuple

FILE = "plugin.yaml"
TAB = Path("dashboard", "manifest.json")
SOURCES = ("bundled", "user", "project", "entry point")  # the earlier one goes before where two have the same name
KINDS = ("standalone", "backend", "exclusive", "platform", "model-provider")

# Folders below a plugins folder, and what is in them.
CATEGORIES = {
    "memory": "memory provider",
    "context_engine": "context engine",
    "model-providers": "model provider",
    "web": "web search provider",
    "browser": "browser provider",
    "platforms": "platform",
}
GENERAL, DASHBOARD = "general", "dashboard"


class Variable(NamedTuple):
    """A variable it needs, and what to tell the person who lacks it."""

    name: str
    description: str = ""
    url: str = ""


class Problem(NamedTuple):
    where: str  # a file, or the name of an installed package
    line: int
    text: str
    serious: bool = False

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.text}" if self.line else f"{self.where}: {self.text}"


class Plugin(NamedTuple):
    name: str
    source: str
    category: str = GENERAL
    folder: Path | None = None
    entry: Any = None  # of an installed package: what it says to load
    version: str = ""
    description: str = ""
    author: str = ""
    kind: str = "standalone"
    requires_env: tuple[Variable, ...] = ()
    provides_tools: tuple[str, ...] = ()
    provides_hooks: tuple[str, ...] = ()
    provides_web_providers: tuple[str, ...] = ()
    provides_browser_providers: tuple[str, ...] = ()
    guard: bool = False  # whether tools wait for its yes, even when it cannot be loaded

    @property
    def dashboard(self) -> Path | None:
        """The manifest of its tab on the dashboard, if it brings one."""
        file = self.folder / TAB if self.folder else None
        return file if file is not None and file.is_file() else None

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": self.version,
            "description": self.description,
            "author": self.author,
            "kind": self.kind,
            "category": self.category,
            "source": self.source,
            "folder": str(self.folder) if self.folder else None,
            "provides_tools": list(self.provides_tools),
            "provides_hooks": list(self.provides_hooks),
        }
