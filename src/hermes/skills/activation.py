"""Which skills can be used here, and why one cannot."""

import sys
from collections.abc import Collection, Mapping
from typing import NamedTuple

from hermes.skills.base import Skill

_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


class Here(NamedTuple):
    """What there is: names of tools and of toolsets that the model has, and the variables."""

    tools: Collection[str]
    toolsets: Collection[str]
    variables: Mapping[str, str]


def shown(skill: Skill, here: Here) -> bool:
    """Whether the conditions hold: everything required is there, and nothing that it stands in for is."""
    wanted = skill.conditions
    if skill.platforms and _SYSTEMS.get(sys.platform, sys.platform) not in skill.platforms:
        return False
    if not (set(wanted.requires_toolsets) <= set(here.toolsets) and set(wanted.requires_tools) <= set(here.tools)):
        return False
    replaced = [(wanted.fallback_for_toolsets, here.toolsets), (wanted.fallback_for_tools, here.tools)]
    return not any(names and set(names) <= set(there) for names, there in replaced)


def missing(skill: Skill, variables: Mapping[str, str]) -> list[str]:
    """What has to be there before the skill works, a line each that says what to do."""
    names = dict.fromkeys((*skill.env_vars, *(one.name for one in skill.variables)))
    helps = {one.name: one.help or one.prompt for one in skill.variables}
    lines = [
        f"{name} is not set: hermes config set {name} …{f' ({helps[name]})' if helps.get(name) else ''}"
        for name in names
        if not variables.get(name)
    ]
    if not skill.commands:
        return lines
    from shutil import which  # only who has to look for a command pays

    return lines + [f"the command {one} is not installed" for one in skill.commands if which(one) is None]
