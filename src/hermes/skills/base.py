"""A skill, and what can be wrong with one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

FILE = "SKILL.md"
ORIGIN = ".origin.json"  # where an installed skill came from, or that the agent wrote it
FOLDERS = ("scripts", "references", "templates", "assets")
CATEGORIES = (
    "creative",
    "devops",
    "github",
    "mlops",
    "productivity",
    "research",
    "software-development",
    "social-media",
)


class Problem(NamedTuple):
    """Something wrong with a skill. A serious one keeps it from being used."""

    file: Path
    line: int
    text: str
    serious: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Variable(NamedTuple):
    """A variable that a skill's commands need, and what to tell the person who lacks it."""

    name: str
    prompt: str = ""
    help: str = ""


class Conditions(NamedTuple):
    """When a skill is shown: with these toolsets and tools, or only where those are missing."""

    requires_toolsets: tuple[str, ...] = ()
    requires_tools: tuple[str, ...] = ()
    fallback_for_toolsets: tuple[str, ...] = ()
    fallback_for_tools: tuple[str, ...] = ()


class Skill(NamedTuple):
    name: str
    description: str
    folder: Path
    category: str
    origin: str  # yours, external, bundled
    version: str = ""
    author: str = ""
    license: str = ""
    dependencies: tuple[str, ...] = ()
    env_vars: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    body_line: int = 1  # where the text begins

    @property
    def file(self) -> Path:
        return self.folder / FILE

    def facts(self) -> Mapping[str, Any]:
        """What a list tells of it."""
        return {
            "name": self.name,
            "description": self.description,
            "category": self.category,
            "version": self.version,
            "tags": list(self.tags),
            "origin": self.origin,
        }
