"""Skills from elsewhere: looked through as something a stranger wrote, then put in their place."""

import json
import time
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hermes import paths
from hermes.errors import BadInput
from hermes.model.suspicious import Suspicion, suspicions
from hermes.package import Content, Files, digest, place
from hermes.skills import frontmatter
from hermes.skills.base import FILE, ORIGIN, Problem, Skill


class Offer(NamedTuple):
    """A skill that could be installed, and what the person should know of it first."""

    skill: Skill
    files: Files
    source: str
    problems: list[Problem]
    suspicious: list[tuple[str, Suspicion]]  # the file, and the sign

    @property
    def programs(self) -> list[str]:
        return sorted(str(path) for path, one in self.files.items() if one.executable or path.parts[0] == "scripts")


def offered(name: str, files: Files, source: str, category: str = "general") -> Offer:
    """Looked through. BadInput when it can be no skill at all."""
    hidden = sorted(str(path) for path in files if any(part.startswith(".") for part in path.parts))
    content = files[PurePosixPath(FILE)].data
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{FILE} of {name} is not UTF-8 text; nothing was installed.") from None
    skill, problems = frontmatter.parse(text, Path(name), category, "yours")
    if skill is None or len(content) > frontmatter.LARGEST:
        wrong = next((one for one in problems if one.serious), None)
        raise BadInput(f"{wrong or f'{FILE} of {name} is too large'}; nothing was installed.")
    found = [
        (str(path), sign)
        for path, one in sorted(files.items())
        for sign in suspicions(one.data.decode("utf-8", "ignore"))
    ]
    kept = {path: one for path, one in files.items() if str(path) not in hidden}
    if hidden:
        found.append((hidden[0], Suspicion(0, "files that begin with a dot are left out", ", ".join(hidden)[:120])))
    return Offer(skill, kept, source, [one for one in problems if "folder is called" not in one.text], found)


def put(offer: Offer, category: str) -> Path:
    """Write the skill to its folder; all of it or nothing. Replaces an installed one of the same name."""
    target = paths.skills_dir() / category / offer.skill.name
    about = {"source": offer.source, "digest": digest(offer.files), "at": int(time.time()), "by": "install"}
    return place(target, {**offer.files, PurePosixPath(ORIGIN): Content(json.dumps(about).encode())})
