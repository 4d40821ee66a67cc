"""Skills from elsewhere: looked through as something a stranger wrote, then put in their place."""

import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hermes import paths
from hermes.errors import BadInput
from hermes.model.suspicious import Suspicion, suspicions
from hermes.skills import frontmatter
from hermes.skills.base import FILE, ORIGIN, Problem, Skill
from hermes.skills.package import Files


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
    top = paths.skills_dir() / category
    target = top / offer.skill.name
    paths.make_private_folder(top)
    place = Path(tempfile.mkdtemp(prefix=".new-", dir=top))
    try:
        for path, content in offer.files.items():
            _write(place / path, content.data, content.executable)
        about = {"source": offer.source, "digest": digest(offer.files), "at": int(time.time()), "by": "install"}
        _write(place / ORIGIN, json.dumps(about).encode(), False)
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=top))
        if target.exists():
            os.rename(target, old / "skill")
        os.rename(place, target)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        raise BadInput(f"{target} cannot be written: {error.strerror}; nothing was installed.") from None
    return target


def _write(path: Path, data: bytes, executable: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o700 if executable else 0o600)


def digest(files: Files) -> str:
    """The same for the same bytes under the same names."""
    found = hashlib.sha256()
    for path, content in sorted(files.items()):
        found.update(f"{path}\0{len(content.data)}\0".encode())
        found.update(content.data)
    return found.hexdigest()
