"""The curator: how the person's own skills are doing, and what a review proposes. Nothing is deleted here."""

from collections.abc import Iterator
from pathlib import Path

from hermes import paths
from hermes.agent.skilled import shelf_of
from hermes.commands.extended import load_extended
from hermes.commands.reply import Column, Facts, Line, Part, Reply, Span, Table, Text, count, said
from hermes.commands.reviews import last, remember, review, standing
from hermes.config import load
from hermes.errors import BadInput
from hermes.skills.curating import Pins, Proposal

_LIST = (Column("Skill", 26, least=12), Column("State", 8), Column("Uses", 5, "number"), Column("Last used", 10))
_RULE = 54


def status(home: Path) -> Reply:
    """Each of the person's own skills: fresh, stale, or unused for so long that it could go; and what the last review
    proposes."""
    found, known = standing(load(home=home), home), last(home)
    there = {one.skill.name for one in found}
    proposals = [one for one in known.proposals if there.issuperset(one.names)]  # the others were followed
    data = [
        {"skill": one.skill.name, "state": one.state, "uses": one.uses, "last": one.last, "days": one.days}
        | {"proposed": [each.action for each in proposals if one.skill.name in each.names]}
        for one in found
    ]
    if not found:
        return said("You have no skills of your own yet; there is nothing to look after.", data=data)
    rows = tuple((one.skill.name, one.state, one.uses, one.last) for one in found)
    return Reply((Table(_LIST, rows, _RULE), *_told(known.at, proposals)), data=data)


def _told(at: float, proposals: list[Proposal]) -> Iterator[Part]:
    if not at:
        yield Text(("", "No review yet; `hermes curator run` makes one."))
        return
    yield Text(("",))
    yield Facts((("Last review", at, "time"),))
    yield Text(tuple(line for one in proposals for line in _lines(one)) or ("It proposes nothing.",))


def run(home: Path, *, ask_model: bool = True) -> Reply:
    """What could be merged or retired: by a model where there is one, by the figures otherwise."""
    reviewed = review(load_extended(home), home, ask_model=ask_model)
    proposals = list(reviewed.proposals)
    remember(home, reviewed._replace(told=True))
    notices = (f"By the figures alone: {reviewed.problem}",) if reviewed.problem else ()
    data = [one._asdict() for one in proposals]
    if not proposals:
        return said("Nothing to propose.", data=data, notices=notices)
    lines = tuple(line for one in proposals for line in _lines(one))
    return Reply((Text((*lines, f"{count(len(proposals), 'proposal')}; nothing was changed.")),), notices, data)


def _lines(one: Proposal) -> list[Line]:
    how = f"hermes skills remove {one.names[0]}"
    if one.action == "merge":
        how = f'hermes -q "Merge the skills {" and ".join(one.names)} into one"'
    return [(Span(f"{one.action} {', '.join(one.names)}", "strong"), Span(f": {one.why}")), (Span(f"  {how}", "dim"),)]


def pin(home: Path, name: str, *, pinned: bool = True) -> Reply:
    """Keep a skill out of every review, or let it be reviewed again."""
    skill = shelf_of(load(home=home)).library.get(name)
    if skill.origin != "yours":
        raise BadInput(f"'{name}' is not one of yours; only those are reviewed.")
    Pins(paths.skills_pins(home)).put(skill.name, pinned=pinned)
    done = "is pinned; no review proposes anything about it." if pinned else "is reviewed again."
    return said(f"{skill.name} {done}", data={"skill": skill.name, "pinned": pinned})
