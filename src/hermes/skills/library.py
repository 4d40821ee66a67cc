"""Every skill there is. A folder is read when somebody asks; a bad skill is a problem and never stops the others."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes import paths
from hermes.config import Settings
from hermes.errors import NotFound
from hermes.skills import frontmatter
from hermes.skills.base import FILE, Problem, Skill

BUNDLED = Path(__file__).parent / "bundled"
_DEEPEST = 3  # category/sub-category/skill
_MOST = 2000  # skills of one folder


class Source(NamedTuple):
    folder: Path
    origin: str


class Library:
    """Skills by name; where two have the same, the one of the earlier source counts."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.skills: dict[str, Skill] = {}
        self.problems: list[Problem] = []
        for source in sources:
            self._take(source)

    def _take(self, source: Source) -> None:
        seen: dict[str, Skill] = {}
        for folder, category in skill_folders(source.folder):
            skill, problems = frontmatter.read(folder, category, source.origin)
            self.problems += problems
            if skill is None:
                continue
            if skill.name in seen:
                text = f"name '{skill.name}' is the one of {seen[skill.name].file} too; that one is used"
                self.problems.append(Problem(skill.file, 2, text))
                continue
            seen[skill.name] = skill
            self.skills.setdefault(skill.name, skill)

    def get(self, name: str) -> Skill:
        """The skill of this name, typed in any case. NotFound with the nearest one."""
        found = self.skills.get(name) or self.skills.get(name.strip().lower().rpartition("/")[2])
        if found is None:
            raise NotFound(f"There is no skill '{name}'{self._near(name)}")
        return found

    def _near(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), list(self.skills), 1)
        return f"; did you mean '{near[0]}'?" if near else "; `hermes skills list` shows them."

    def by_category(self) -> dict[str, list[Skill]]:
        found: dict[str, list[Skill]] = {}
        for skill in sorted(self.skills.values(), key=lambda one: (one.category, one.name)):
            found.setdefault(skill.category, []).append(skill)
        return found


def skill_folders(top: Path, category: str = "", depth: int = 0) -> Iterator[tuple[Path, str]]:
    """Folders with a SKILL.md below `top`, in order, with their category. Names that begin with a dot are passed by."""
    try:
        found = [entry for entry in os.scandir(top) if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return
    entries = sorted(found, key=lambda entry: entry.name)[:_MOST]
    for entry in entries:
        folder = Path(entry.path)
        if (folder / FILE).is_file():
            yield folder, category or "general"
        elif depth + 1 < _DEEPEST:
            yield from skill_folders(folder, category or entry.name, depth + 1)


def library(settings: Settings, more: Sequence[Path] = ()) -> Library:
    """The person's own skills first, then those of `skills.external_dirs` and of plugins, then the bundled ones."""
    folders = [*(Path(folder).expanduser() for folder in settings.skills.external_dirs), *more]
    others = [Source(folder, "external") for folder in folders]
    return Library([Source(paths.skills_dir(), "yours"), *others, Source(BUNDLED, "bundled")])
