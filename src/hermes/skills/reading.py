"""The text of a skill, as the model gets it."""

import re
from collections.abc import Iterator
from pathlib import Path

from hermes.config.areas.state import Skills as Settings
from hermes.errors import BadInput, NotFound
from hermes.skills.base import FOLDERS, Skill
from hermes.skills.frontmatter import LARGEST, split

_SHELL = re.compile(r"!`([^`\n]+)`")
_MOST_OUTPUT = 4000
_MOST_FILES = 200


def body(skill: Skill, settings: Settings, session_id: str = "") -> str:
    """The text below the fields. `${HERMES_SKILL_DIR}` is the skill's own folder, and where the settings allow it,
    !`command` is what the command says."""
    parts = split(content(skill.file))
    text = (parts[1] if parts else "").strip()
    if settings.inline_shell:
        text = _SHELL.sub(lambda match: _said(match[1], skill.folder, settings.inline_shell_timeout), text)
    if settings.template_vars:
        text = text.replace("${HERMES_SKILL_DIR}", str(skill.folder)).replace("${HERMES_SESSION_ID}", session_id)
    return text


def _said(command: str, folder: Path, seconds: float) -> str:
    import subprocess  # only where the settings allow it

    try:
        done = subprocess.run(
            command, shell=True, cwd=folder, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL, check=False
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return f"[{command} did not work: {type(error).__name__}]"
    return (done.stdout + done.stderr).decode("utf-8", "replace")[:_MOST_OUTPUT].rstrip()


def files(skill: Skill) -> list[str]:
    """What comes with the text, as paths inside the skill's folder."""
    return [str(path.relative_to(skill.folder)) for path in _found(skill)][:_MOST_FILES]


def _found(skill: Skill) -> Iterator[Path]:
    for name in FOLDERS:
        yield from sorted(path for path in (skill.folder / name).rglob("*") if path.is_file() and not path.is_symlink())


def inside(folder: Path, name: str) -> Path:
    """A path inside a skill's folder. BadInput for one that leads out of it, by `..` or by a link."""
    path = folder / name
    if not name or Path(name).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"'{name}' is not inside the skill's folder.")
    if any(part.startswith(".") for part in Path(name).parts):
        raise BadInput(f"'{name}': names that begin with a dot are not part of a skill.")
    return path


def content(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path} is larger than {LARGEST // 1_000_000} MB.")
        return path.read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFound(f"There is no file {path}.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None
