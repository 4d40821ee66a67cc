"""The curator: how the person's own skills are doing, and what a review proposes. Nothing is deleted here."""

from pathlib import Path

from hermes import paths
from hermes.agent.side import SideTasks
from hermes.agent.skilled import shelf_of
from hermes.commands.extended import load_extended
from hermes.commands.reply import Column, Line, Reply, Span, Table, Text, count, said
from hermes.config import Config, load
from hermes.errors import BadInput, ProviderError
from hermes.skills.curating import Pins, Proposal, Standing, by_model, by_rule, standings
from hermes.skills.usage import Usage

_LIST = (Column("Skill", 26, least=12), Column("State", 8), Column("Uses", 5, "number"), Column("Last used", 10))
_RULE = 54
_TOKENS = 2000


def status(home: Path) -> Reply:
    """Each of the person's own skills: fresh, stale, or unused for so long that it could go."""
    found = _standings(load(home=home), home)
    data = [
        {"skill": one.skill.name, "state": one.state, "uses": one.uses, "last": one.last, "days": one.days}
        for one in found
    ]
    if not found:
        return said("You have no skills of your own yet; there is nothing to look after.", data=data)
    rows = tuple((one.skill.name, one.state, one.uses, one.last) for one in found)
    return Reply((Table(_LIST, rows, _RULE),), data=data)


def review(home: Path, *, ask_model: bool = True) -> Reply:
    """What could be merged or retired: by a model where there is one, by the figures otherwise."""
    config = load_extended(home)
    found = _standings(config, home)
    proposals, notices = by_rule(found), ()
    if ask_model and found:
        try:
            proposals = [*proposals, *(one for one in _asked(config, found) if one not in proposals)]
        except ProviderError as error:
            notices = (f"By the figures alone: {error}",)
    data = [one._asdict() for one in proposals]
    if not proposals:
        return said("Nothing to propose.", data=data, notices=notices)
    lines = tuple(line for one in proposals for line in _lines(one))
    return Reply((Text((*lines, f"{count(len(proposals), 'proposal')}; nothing was changed.")),), notices, data)


def _asked(config: Config, found: list[Standing]) -> list[Proposal]:
    from hermes.providers.choose import auxiliary_provider

    settings = config.settings
    side = SideTasks(
        settings, lambda task: auxiliary_provider(settings, task, variables=config.environment), lambda usage: None
    )
    return by_model(found, lambda prompt: side("curator", prompt, most_tokens=_TOKENS))


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


def _standings(config: Config, home: Path) -> list[Standing]:
    pins = Pins(paths.skills_pins(home)).names()
    return standings(shelf_of(config).library, Usage(paths.skills_usage(home)), pins, config.settings.curator)
