"""SKILL.md → a skill. Every field is checked; what is wrong comes with its line, and only what makes a skill useless
keeps it out."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hermes.config import document
from hermes.config.document import Broken, KeyPath
from hermes.skills.base import FILE, Conditions, Problem, Skill, Variable

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 1024
LARGEST = 1_000_000  # bytes of a SKILL.md

_REQUIRED = ("name", "description", "version", "author", "license")
_LISTS = ("dependencies", "platforms")
_KNOWN = {*_REQUIRED, *_LISTS, "prerequisites", "metadata", "required_environment_variables", "category"}
_ELSEWHERE = {"allowed-tools", "compatibility"}  # fields other programs know; they mean nothing here
_INSIDE = ("tags", "related_skills", *Conditions._fields)


def is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None


def split(text: str) -> tuple[str, str, int] | None:
    """Frontmatter, body, and the line where the body begins; None: there is no frontmatter."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---":
        return None
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return "\n".join(lines[1:place]), "\n".join(lines[place + 1 :]), place + 2
    return None


def read(folder: Path, category: str, origin: str) -> tuple[Skill | None, list[Problem]]:
    """The skill in a folder, if it can be used, and everything that is wrong with it."""
    file = folder / FILE
    try:
        if file.stat().st_size > LARGEST:
            return None, [Problem(file, 1, f"is larger than {LARGEST // 1_000_000} MB", True)]
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None, [Problem(file, 1, "is not UTF-8 text", True)]
    except OSError as error:
        return None, [Problem(file, 1, f"cannot be read: {error.strerror}", True)]
    return parse(text, folder, category, origin)


def parse(text: str, folder: Path, category: str, origin: str) -> tuple[Skill | None, list[Problem]]:
    file = folder / FILE
    parts = split(text)
    if parts is None:
        return None, [Problem(file, 1, "has to begin with a line of `---`, fields, and another `---`", True)]
    front, body, line = parts
    try:
        fields = document.parse(front)
        lines = document.lines(front)
    except Broken as broken:
        return None, [Problem(file, (broken.where or (1, 1))[0] + 1, broken.reason, True)]
    reader = _Reader(file, fields.tree, lines)
    reader.problems += [Problem(file, at + 1, f"{key} stands there twice") for key, at in fields.repeated]
    skill = reader.skill(folder, category, origin, line)
    if not body.strip():
        reader.problems.append(Problem(file, line, "has no text below the fields", True))
    problems = sorted(set(reader.problems), key=lambda one: (one.line, one.text))
    return (None if any(one.serious for one in problems) else skill), problems


class _Reader:
    """Takes fields out of the tree, and notes what is wrong with them."""

    def __init__(self, file: Path, tree: dict[str, Any], lines: dict[KeyPath, int]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._tree = tree
        self._lines = lines

    def skill(self, folder: Path, category: str, origin: str, body_line: int) -> Skill:
        self._look_for_strangers()
        name = self._named(folder)
        description = self._text(("description",), serious=True)
        if len(description) > _LONGEST_DESCRIPTION:
            self._wrong(("description",), f"is longer than {_LONGEST_DESCRIPTION} characters", serious=True)
        version = self._text(("version",))
        if version and not _VERSION.fullmatch(version):
            self._wrong(("version",), f"'{version}' has to be three numbers, such as 1.0.0")
        inside = self._section(("metadata", "hermes"))
        return Skill(
            name,
            " ".join(description.split()),
            folder,
            category,
            origin,
            version,
            self._text(("author",)),
            self._text(("license",)),
            dependencies=self._texts(("dependencies",)),
            env_vars=self._texts(("prerequisites", "env_vars"), _VARIABLE.fullmatch, "the name of a variable"),
            commands=self._texts(("prerequisites", "commands")),
            variables=tuple(self._variables()),
            platforms=self._texts(("platforms",)),
            tags=self._texts((*inside, "tags")),
            related=self._texts((*inside, "related_skills"), is_name, "the name of a skill"),
            conditions=Conditions(*(self._texts((*inside, field)) for field in Conditions._fields)),
            body_line=body_line,
        )

    def _named(self, folder: Path) -> str:
        name = self._text(("name",), serious=True)
        if name and not is_name(name):
            self._wrong(
                ("name",), f"'{name}' has to be small letters, digits and single dashes, up to 64", serious=True
            )
        elif name and name != folder.name:
            self._wrong(("name",), f"is '{name}', and the folder is called '{folder.name}'")
        return name

    # -- kinds of fields

    def _text(self, path: KeyPath, *, serious: bool = False) -> str:
        value = self._at(path)
        if value is None or (isinstance(value, str) and not value.strip()):
            if path[0] in _REQUIRED:
                self._wrong(path, "is missing", serious=serious)
            return ""
        if isinstance(value, bool | list | dict):
            self._wrong(path, "has to be text", serious=serious)
            return ""
        return str(value).strip()

    def _texts(self, path: KeyPath, fits: Callable[[str], Any] = bool, expected: str = "some text") -> tuple[str, ...]:
        value = self._at(path)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(path, "has to be a list")
            return ()
        good = [one.strip() for one in value if isinstance(one, str) and fits(one.strip())]
        if len(good) < len(value):
            self._wrong(path, f"has an entry that is not {expected}")
        return tuple(good)

    def _variables(self) -> Iterable[Variable]:
        """Names alone, or names with what to tell the person."""
        path = ("required_environment_variables",)
        value = self._at(path)
        if value is not None and not isinstance(value, list):
            self._wrong(path, "has to be a list")
            return
        for one in value or ():
            known = {"name": one} if isinstance(one, str) else one
            name = known.get("name") if isinstance(known, dict) else None
            if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
                self._wrong(path, "has an entry without the name of a variable")
                continue
            yield Variable(name, str(known.get("prompt") or ""), str(known.get("help") or ""))

    def _section(self, path: KeyPath) -> KeyPath:
        """Checks that these are sections, and that everything in the innermost has a meaning."""
        for depth in range(1, len(path) + 1):
            if not isinstance(self._at(path[:depth]) or {}, dict):
                self._wrong(path[:depth], "has to be a section")
                return path
        for key in self._at(path) or {}:
            if key not in (*_INSIDE, "category", "config"):
                self._wrong((*path, str(key)), "is not a field that is known here")
        return path

    def _look_for_strangers(self) -> None:
        for key in self._tree:
            if key not in _KNOWN | _ELSEWHERE:
                self._wrong((key,), f"is not a field{_near(key)}")
        before = self._at(("prerequisites",))
        if before is not None and not isinstance(before, dict):
            self._wrong(("prerequisites",), "has to be a section with env_vars and commands")

    def _at(self, path: KeyPath) -> Any:
        found: Any = self._tree
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def _wrong(self, path: KeyPath, what: str, *, serious: bool = False) -> None:
        line = next((self._lines[path[:n]] + 1 for n in range(len(path), 0, -1) if path[:n] in self._lines), 1)
        self.problems.append(Problem(self.file, line, f"{'.'.join(path)} {what}", serious))


def _near(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, sorted(_KNOWN), 1)
    return f"; did you mean {near[0]}?" if near else " that is known here"
