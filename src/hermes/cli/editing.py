"""A file in the person's own editor."""

import subprocess
from pathlib import Path

from hermes import paths
from hermes.errors import ConfigError


def edit(file: Path, otherwise: str) -> None:
    """Returns when the editor is done; ConfigError when there is none, or it failed (`otherwise`: what to do then)."""
    from hermes.config.environment import editor

    program = editor()
    try:
        code = subprocess.run([*program, str(file)], check=False).returncode
    except OSError as error:
        raise ConfigError(f"{program[0]}: {error.strerror}; set EDITOR to the editor you use.") from None
    paths.tighten(file)
    if code:
        raise ConfigError(f"{program[0]} ended with code {code}; {otherwise}.")
