"""The skills of one conversation: the index for the prompt, the text when it is wanted, and what a person types."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes.config import Settings
from hermes.model.text import clip
from hermes.skills.activation import Here, missing, shown
from hermes.skills.base import Skill
from hermes.skills.library import Library, library
from hermes.skills.reading import body, files
from hermes.skills.usage import Usage

_MOST_OF_A_LINE = 160
_MOST_OF_THE_INDEX = 12_000
_USE = (
    "# Skills\nBefore you begin, look whether one of these fits what is asked. If one does, read it with skill_view "
    "and follow it. When something took several tries and will come up again, offer to keep it as a skill "
    "(skill_manage)."
)


class Shelf:
    """`here` tells what the model has, and is asked when it matters: tools are loaded by then. `more`: folders that
    plugins brought."""

    def __init__(self, settings: Settings, here: Callable[[], Here], usage: Usage, more: Sequence[Path] = ()) -> None:
        self._more = more
        self._settings = settings
        self._here = here
        self._usage = usage
        self._library: Library | None = None

    @property
    def library(self) -> Library:
        if self._library is None:
            self._library = library(self._settings, self._more)
        return self._library

    def reload(self) -> None:
        """Look at the folders again, after something in them changed."""
        self._library = None

    def usable(self) -> dict[str, list[Skill]]:
        """Skills whose conditions hold, by category."""
        here = self._here()
        found = {
            category: [skill for skill in skills if shown(skill, here)]
            for category, skills in self.library.by_category().items()
        }
        return {category: skills for category, skills in found.items() if skills}

    # -- what the agent asks for

    def prompt(self) -> str:
        """The index: a line for each skill. Nothing without the tool that reads them."""
        if "skill_view" not in self._here().tools:
            return ""
        lines: list[str] = []
        for category, skills in self.usable().items():
            lines += [
                f"{category}:",
                *(f"- {one.name}: {clip(one.description, _MOST_OF_A_LINE, '…')}" for one in skills),
            ]
        text = "\n".join(lines)
        if len(text) > _MOST_OF_THE_INDEX:
            text = text[:_MOST_OF_THE_INDEX].rpartition("\n")[0] + "\n… skills_list shows the others."
        return f"{_USE}\n{text}" if text else ""

    def expand(self, name: str, rest: str) -> str | None:
        """`/name rest` as a message: what was typed first, so that titles and lists show it, then the skill."""
        skill = self.library.skills.get(name)
        if skill is None:
            return None
        self._usage.count(skill.name, "typed")
        return f"{rest.strip() or f'Use the skill {skill.name}.'}\n\n{self.text(skill)}"

    def view(self, name: str, session_id: str) -> str:
        skill = self.library.get(name)
        self._usage.count(skill.name, "viewed")
        return self.text(skill, session_id)

    def text(self, skill: Skill, session_id: str = "") -> str:
        """The skill as a model reads it: the text, what lies beside it, and what is missing."""
        beside = files(skill)
        notes = [f"Files beside it (skill_view with file_path): {', '.join(beside)}"] if beside else []
        notes += [f"Missing: {line}" for line in missing(skill, self._here().variables)]
        notes += [f"See also: {', '.join(skill.related)}"] if skill.related else []
        parts = [body(skill, self._settings.skills, session_id), *notes]
        return f'<skill name="{skill.name}" folder="{skill.folder}">\n' + "\n\n".join(parts) + "\n</skill>"

    def listed(self, category: str = "", words: str = "") -> list[Mapping[str, Any]]:
        """What skills_list answers: those of a category, those that have all words."""
        wanted = words.lower().split()
        return [
            {**skill.facts(), "missing": missing(skill, self._here().variables)}
            for name, skills in self.usable().items()
            for skill in skills
            if category in ("", name) and all(word in _searched(skill) for word in wanted)
        ]


def _searched(skill: Skill) -> str:
    return " ".join((skill.name, skill.description, skill.category, *skill.tags)).lower()
