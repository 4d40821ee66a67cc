"""Skills made and changed in the person's own folder; those of others stay as they are."""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.config import save
from hermes.errors import BadInput
from hermes.model.suspicious import suspicions
from hermes.skills import frontmatter
from hermes.skills.base import FILE, FOLDERS, ORIGIN, Skill
from hermes.skills.library import Library
from hermes.skills.reading import content as content_of
from hermes.skills.reading import inside

_CATEGORY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Writer:
    """`guard`: refuse what looks as if it wanted to take over whoever reads it."""

    def __init__(self, library: Library, *, guard: bool = False, by: str = "agent") -> None:
        self._library = library
        self._guard = guard
        self._by = by

    def create(self, name: str, content: str, category: str = "") -> Path:
        """A new skill with this SKILL.md."""
        folder = self._new_folder(name, category)
        self._check(content, folder, folder.parent.name)
        paths.make_private_folder(folder)
        save.replace(folder / FILE, content)
        self._mark(folder)
        return folder / FILE

    def edit(self, name: str, content: str) -> Path:
        """Another SKILL.md in the place of the one there is."""
        skill = self._own(name)
        self._check(content, skill.folder, skill.category)
        return self._changed(skill, skill.file, content)

    def patch(self, name: str, old: str, new: str, file_path: str = "") -> Path:
        """Put `new` where `old` stands, once, in SKILL.md or in a file beside it."""
        skill = self._own(name)
        file = inside(skill.folder, file_path) if file_path else skill.file
        text = content_of(file)
        count = text.count(old) if old else 0
        if count != 1:
            told = "is not in" if count == 0 else f"is {count} times in"
            raise BadInput(f"The text to replace {told} {file.name}; give a piece of it that is there once.")
        after = text.replace(old, new)
        if file == skill.file:
            self._check(after, skill.folder, skill.category)
        return self._changed(skill, file, after)

    def write_file(self, name: str, file_path: str, content: str) -> Path:
        """A file beside the text: in scripts, references, templates or assets."""
        skill = self._own(name)
        if Path(file_path).parts[:1] not in [(one,) for one in FOLDERS] or len(Path(file_path).parts) < 2:
            raise BadInput(f"Files of a skill are in {', '.join(FOLDERS)}; '{file_path}' is not.")
        file = inside(skill.folder, file_path)
        paths.make_private_folder(file.parent)
        return self._changed(skill, file, content)

    def remove_file(self, name: str, file_path: str) -> Path:
        skill = self._own(name)
        file = inside(skill.folder, file_path)
        if file == skill.file or not file.is_file():
            raise BadInput(f"There is no file '{file_path}' beside {FILE} of {name}.")
        file.unlink()
        self._mark(skill.folder)
        return file

    def delete(self, name: str) -> Path:
        """The whole folder. It stays in skills/.removed until the next one of this name is removed."""
        skill = self._own(name)
        removed = paths.skills_dir() / ".removed" / skill.name
        paths.make_private_folder(removed.parent)
        shutil.rmtree(removed, ignore_errors=True)
        shutil.move(skill.folder, removed)
        return removed

    # -- rules

    def _new_folder(self, name: str, category: str) -> Path:
        if not frontmatter.is_name(name):
            raise BadInput(f"'{name}' cannot be a skill: small letters, digits and single dashes, up to 64 of them.")
        if category and not _CATEGORY.fullmatch(category):
            raise BadInput(f"'{category}' cannot be a category: small letters, digits and single dashes.")
        there = self._library.skills.get(name)
        if there is not None and there.origin == "yours":
            raise BadInput(f"There is a skill '{name}' already, in {there.folder}.")
        folder = paths.skills_dir() / (category or "general") / name
        if folder.exists():
            raise BadInput(f"{folder} is there already; `hermes skills check` says what is wrong with it.")
        return folder

    def _own(self, name: str) -> Skill:
        skill = self._library.get(name)
        if skill.origin != "yours":
            where = "comes with Hermes" if skill.origin == "bundled" else f"belongs to {skill.folder}"
            raise BadInput(f"'{name}' {where} and stays as it is; one of yours with the same name goes before it.")
        return skill

    def _check(self, content: str, folder: Path, category: str) -> None:
        skill, problems = frontmatter.parse(content, folder, category, "yours")
        wrong = [one for one in problems if one.serious or "folder is called" in one.text]
        if skill is None or wrong:
            raise BadInput(f"{FILE}:{wrong[0].line}: {wrong[0].text}. Nothing was written.")
        self._guarded(content)

    def _guarded(self, content: str) -> None:
        found = suspicions(content) if self._guard else []
        if found:
            raise BadInput(f"Line {found[0].line}: {found[0].what}. Nothing was written.")

    def _changed(self, skill: Skill, file: Path, content: str) -> Path:
        if len(content.encode()) > frontmatter.LARGEST:
            raise BadInput(f"{file.name} would be larger than {frontmatter.LARGEST // 1_000_000} MB.")
        self._guarded(content)
        save.replace(file, content)
        self._mark(skill.folder)
        return file

    def _mark(self, folder: Path) -> None:
        """What the agent wrote or changed is no longer what the person accepted."""
        if self._by == "agent":
            save.replace(folder / ORIGIN, json.dumps({"by": "agent", "at": int(time.time())}))


def origin_of(skill: Skill) -> dict[str, Any]:
    """Where a skill came from, as far as it is known."""
    try:
        found = json.loads((skill.folder / ORIGIN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def hands_on(skill: Skill) -> tuple[str, ...]:
    """Variables that commands may see once the skill was read. One that the agent wrote gets none: it could ask for
    every key there is."""
    return () if origin_of(skill).get("by") == "agent" else tuple(one.name for one in skill.variables)


TEMPLATE = """---
name: {name}
description: {description}
version: 1.0.0
author: {author}
license: MIT
dependencies: []
prerequisites:
  env_vars: []
  commands: []
metadata:
  hermes:
    tags: []
    related_skills: []
---

# {title}

## When to Use
Say what the person asks for when this fits, and when it does not.

## Workflow
1. The first step, with the exact command or tool.
2. How to see that it worked.

## Pitfalls
- What goes wrong, and what to do then.
"""


def template(name: str, description: str, author: str) -> str:
    title = name.replace("-", " ").capitalize()
    return TEMPLATE.format(name=name, description=json.dumps(description), author=json.dumps(author), title=title)
