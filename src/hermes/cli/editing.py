"""A file in the person's own editor."""

import subprocess
import sys
from pathlib import Path

from hermes import paths
from hermes.errors import ConfigError


def edit(file: Path, otherwise: str) -> None:
    """Returns when the editor is done; ConfigError when there is none, or it failed (`otherwise`: what to do then)."""
    from hermes.config.environment import editor, has_editor

    if not has_editor() and not _at_a_terminal():  # the usual one would wait for keys that never come
        raise ConfigError(f"There is no terminal to edit in; set EDITOR, or write {file} yourself.")
    program = editor()
    try:
        code = subprocess.run([*program, str(file)], check=False).returncode
    except OSError as error:
        raise ConfigError(f"{program[0]}: {error.strerror}; set EDITOR to the editor you use.") from None
    paths.tighten(file)
    if code:
        raise ConfigError(f"{program[0]} ended with code {code}; {otherwise}.")


def _at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
