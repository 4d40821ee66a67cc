"""SKILL.md → a skill. Every field is checked; what is wrong comes with its line, and only what makes a skill useless
keeps it out."""

import re
from pathlib import Path

from hermes.config.fields import Fields
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
    fields = Fields(front, above=1, required=_REQUIRED)
    skill = None if fields.broken else _skill(fields, folder, category, origin)._replace(body_line=line)
    problems = [Problem(file, *one) for one in fields.wrong]
    if not body.strip():
        problems.append(Problem(file, line, "has no text below the fields", True))
    problems = sorted(set(problems), key=lambda one: (one.line, one.text))
    return (None if any(one.serious for one in problems) else skill), problems


def _skill(fields: Fields, folder: Path, category: str, origin: str) -> Skill:
    inside = ("metadata", "hermes")
    fields.strangers(_KNOWN | _ELSEWHERE)
    if fields.sections(inside):
        fields.strangers((*_INSIDE, "category", "config"), inside)
    if fields.sections(("prerequisites",)):
        fields.strangers(("env_vars", "commands"), ("prerequisites",))
    name = _named(fields, folder)
    description = fields.text(("description",), serious=True)
    if len(description) > _LONGEST_DESCRIPTION:
        fields.note(("description",), f"is longer than {_LONGEST_DESCRIPTION} characters", serious=True)
    version = fields.text(("version",))
    if version and not _VERSION.fullmatch(version):
        fields.note(("version",), f"'{version}' has to be three numbers, such as 1.0.0")
    variables = fields.named(("required_environment_variables",), _VARIABLE.fullmatch, "the name of a variable")
    return Skill(
        name,
        " ".join(description.split()),
        folder,
        category,
        origin,
        version,
        fields.text(("author",)),
        fields.text(("license",)),
        dependencies=fields.texts(("dependencies",)),
        env_vars=fields.texts(("prerequisites", "env_vars"), _VARIABLE.fullmatch, "the name of a variable"),
        commands=fields.texts(("prerequisites", "commands")),
        variables=tuple(Variable(*(str(one.get(key) or "") for key in Variable._fields)) for one in variables),
        platforms=fields.texts(("platforms",)),
        tags=fields.texts((*inside, "tags")),
        related=fields.texts((*inside, "related_skills"), is_name, "the name of a skill"),
        conditions=Conditions(*(fields.texts((*inside, field)) for field in Conditions._fields)),
    )


def _named(fields: Fields, folder: Path) -> str:
    name = fields.text(("name",), serious=True)
    if name and not is_name(name):
        fields.note(("name",), f"'{name}' has to be small letters, digits and single dashes, up to 64", serious=True)
    elif name and name != folder.name:
        fields.note(("name",), f"is '{name}', and the folder is called '{folder.name}'")
    return name
