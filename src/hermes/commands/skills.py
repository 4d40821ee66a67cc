"""Skills: which there are and what is wrong with them; new ones, ones from elsewhere, and taking one out."""

from pathlib import Path
from typing import Any

from hermes import paths
from hermes.agent.skilled import shelf_of
from hermes.commands.extended import plugins_here
from hermes.commands.reply import Ask, Column, Facts, Line, Reply, Span, Table, Text, count, said
from hermes.config import Config, load
from hermes.errors import BadInput
from hermes.package import fetch
from hermes.skills import frontmatter, install
from hermes.skills.activation import missing
from hermes.skills.base import FILE, Problem, Skill
from hermes.skills.library import Library, skill_folders
from hermes.skills.reading import body, files
from hermes.skills.usage import Usage
from hermes.skills.writing import Writer, origin_of, template

_LIST = (Column("Skill", 26, least=12), Column("Category", 21, least=8), Column("From", 8), Column("For", 46, least=30))
_RULE = 104
_MOST_SIGNS = 12


def _library(config: Config) -> Library:
    """Every skill, those of plugins that are on among them."""
    return shelf_of(config, more=plugins_here(config, Path.cwd()).skills).library


def listed(home: Path, words: str = "", category: str = "") -> Reply:
    """Every skill, or those of a category that have all the words."""
    config = load(home=home)
    library = _library(config)
    used = Usage(paths.skills_usage(home)).totals()
    data = [
        {**skill.facts(), "missing": missing(skill, config.environment), "uses": used.get(skill.name, (0, ""))[0]}
        for skills in library.by_category().values()
        for skill in skills
        if category in ("", skill.category) and _has(skill, words)
    ]
    rows = tuple((one["name"], one["category"], one["origin"], _for(one)) for one in data)
    parts = (Table(_LIST, rows, _RULE), Text((f"{count(len(rows), 'skill')}; /NAME in a chat uses one.",), prose=True))
    return Reply(parts, notices=_bad(library.problems), data=data)


def _has(skill: Skill, words: str) -> bool:
    text = " ".join((skill.name, skill.description, *skill.tags)).lower()
    return all(word in text for word in words.lower().split())


def _for(one: dict[str, Any]) -> str:
    lacks = f"[{count(len(one['missing']), 'thing')} missing] " if one["missing"] else ""
    return lacks + str(one["description"]).split(". ")[0]


def _bad(problems: list[Problem]) -> tuple[str, ...]:
    bad = [str(one) for one in problems if one.serious]
    return (f"{count(len(bad), 'skill')} cannot be used; `hermes skills check` says why.",) if bad else ()


def show(home: Path, name: str) -> Reply:
    """One skill: its fields, what lies beside it, what it lacks, and its text."""
    config = load(home=home)
    skill = _library(config).get(name)
    origin = origin_of(skill)
    lacks, beside = missing(skill, config.environment), files(skill)
    facts = [
        ("Skill", f"{skill.name} {skill.version}".strip()),
        ("For", skill.description),
        ("Category", skill.category),
        ("From", origin.get("source") or ("the agent" if origin.get("by") == "agent" else skill.origin)),
        ("Folder", str(skill.folder)),
        ("Files", ", ".join(beside)),
        ("Variables", ", ".join(one.name for one in skill.variables)),
        ("Missing", "; ".join(lacks)),
    ]
    text = body(skill, config.settings.skills)
    shown = Facts(tuple((label, value, "text") for label, value in facts if value))
    data = {**skill.facts(), "folder": str(skill.folder), "files": beside, "missing": lacks, "text": text}
    return Reply((shown, Text(("", *text.splitlines()))), data=data)


def new(home: Path, name: str, category: str, description: str, author: str) -> Reply:
    """A SKILL.md to begin with."""
    library = _library(load(home=home))
    writer = Writer(library, by="person")
    file = writer.create(name, template(name, description or f"Use when {name} is asked for.", author), category)
    return said(f"{file} is there; fill it in, and `hermes skills check {name}` looks through it.", data=str(file))


def check(home: Path, target: str = "") -> Reply:
    """Everything that is wrong: with all skills, with one, or with a folder that is no skill of this home yet."""
    library = _library(load(home=home))
    problems, checked = _problems(library, target)
    lines: list[Line] = [(Span(str(one), "bad" if one.serious else "warn"),) for one in problems]
    data = [{"file": str(one.file), "line": one.line, "problem": one.text, "serious": one.serious} for one in problems]
    if not problems:
        return said(f"{count(checked, 'skill')} looked through; nothing is wrong.", data=data)
    return Reply((Text(tuple(lines)),), data=data, exit_code=2)


def _problems(library: Library, target: str) -> tuple[list[Problem], int]:
    if not target:
        return library.problems, len(library.skills)
    folder = Path(target).expanduser()
    if folder.name == FILE:
        folder = folder.parent
    if (folder / FILE).is_file():
        return frontmatter.read(folder.resolve(), "general", "external")[1], 1
    if target in library.skills:
        file = library.skills[target].file
        return [one for one in library.problems if one.file == file], 1
    named = [one for one in library.problems if one.file.parent.name == target]
    if named:
        return named, 1
    inside = list(skill_folders(folder)) if folder.is_dir() else []
    if not inside:
        library.get(target)  # says which is nearest
    return [one for each, category in inside for one in frontmatter.read(each, category, "external")[1]], len(inside)


# -- from elsewhere


def add(home: Path, source: str, *, only: list[str], category: str = "", yes: bool = False) -> Reply:
    """Skills of a folder, an archive or a git repository. What looks wrong is shown, and asked about, first."""
    found = fetch(source, FILE)
    offers = [install.offered(name, inside, source, category) for name, inside in found.items()]
    offers = _chosen(offers, only, source)
    library = _library(load(home=home))
    lines: list[Line] = [line for offer in offers for line in _looks(offer, library)]
    for_sure = yes or not any(
        offer.suspicious or offer.skill.variables or _replaces(offer, library) for offer in offers
    )

    def go() -> Reply:
        targets = [install.put(offer, category or _category(offer, library)) for offer in offers]
        return said(*(f"Installed {target}" for target in targets), data=[str(target) for target in targets])

    if for_sure:
        done = go()
        return done._replace(parts=(Text(tuple(lines)), *done.parts))
    return Reply((Text(tuple(lines)),), ask=Ask("Install it all the same?", go))


def _chosen(offers: list[install.Offer], only: list[str], source: str) -> list[install.Offer]:
    names = [offer.skill.name for offer in offers]
    strange = [name for name in only if name not in names]
    if strange or (len(offers) > 1 and not only):
        said_first = f"There is no '{strange[0]}' in {source}; it" if strange else source
        raise BadInput(f"{said_first} has {', '.join(names)}; `--only NAME` chooses (more than once for several).")
    return [offer for offer in offers if not only or offer.skill.name in only]


def _category(offer: install.Offer, library: Library) -> str:
    """An installed one stays where it is."""
    there = library.skills.get(offer.skill.name)
    return there.category if there is not None and there.origin == "yours" else "general"


def _replaces(offer: install.Offer, library: Library) -> bool:
    return offer.skill.name in library.skills


def _looks(offer: install.Offer, library: Library) -> list[Line]:
    """What a person should see before they say yes."""
    skill = offer.skill
    lines: list[Line] = [(Span(f"{skill.name} {skill.version}", "strong"), Span(f"  {skill.description}"))]
    lines.append(f"  {count(len(offer.files), 'file')}, by {skill.author or 'somebody who does not say'}")
    if _replaces(offer, library):
        lines.append((Span(f"  takes the place of {library.skills[skill.name].folder}", "warn"),))
    if offer.programs:
        lines.append(f"  programs: {', '.join(offer.programs)}")
    if skill.variables:
        names = ", ".join(one.name for one in skill.variables)
        lines.append((Span(f"  its commands get to see: {names}", "warn"),))
    lines += [(Span(f"  {one}", "warn"),) for one in offer.problems]
    for file, sign in offer.suspicious[:_MOST_SIGNS]:
        lines.append((Span(f"  {file}:{sign.line}: {sign.what}: {sign.excerpt}", "bad"),))
    if len(offer.suspicious) > _MOST_SIGNS:
        lines.append((Span(f"  and {len(offer.suspicious) - _MOST_SIGNS} more signs like these", "bad"),))
    return lines


def remove(home: Path, name: str, *, yes: bool = False) -> Reply:
    """Take one of the person's own skills out."""
    library = _library(load(home=home))
    skill = library.get(name)
    if skill.origin != "yours":
        Writer(library).delete(name)  # says why not

    def go() -> Reply:
        removed = Writer(library).delete(skill.name)
        return said(
            f"Removed {skill.name}; until the next one of this name goes, it is in {removed}.", data=str(removed)
        )

    return go() if yes else Reply(ask=Ask(f"Remove {skill.folder} with everything in it?", go))
