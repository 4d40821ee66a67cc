"""Scripts of the operator's own that jobs run: files in `scripts/` of the home.

What a script prints is delivered as it is, or given to the prompt of the job. One that prints nothing has nothing to
tell: nobody is told, and no model is asked.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from hermes import paths
from hermes.config import Config
from hermes.errors import BadInput, HermesError, NotFound, ToolError
from hermes.tools.base import ToolContext
from hermes.tools.terminal.running import Limits, run
from hermes.tools.work import Work, Workplace

SECONDS = 300.0
_MOST_BYTES = 1_000_000
_INTERPRETERS = {".py": (sys.executable,), ".sh": ("bash",)}


class Printed(NamedTuple):
    text: str
    problem: str = ""  # why it did not end well


def find(name: str) -> Path:
    """The file of this name. It has to lie in the folder itself, whatever links lead there."""
    folder = paths.scripts_dir()
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()) or file == folder.resolve():
        raise BadInput(f"Scripts lie in {folder}; name one of them.")
    if not file.is_file():
        raise NotFound(f"No script '{name}' in {folder}; put it there first.")
    if file.suffix not in _INTERPRETERS and not os.access(file, os.X_OK):
        raise BadInput(f"{name} cannot be run: make it executable, or call it .py or .sh.")
    return file


def printed(config: Config, name: str) -> Printed:
    """What it prints; bounded in time and size, nothing of it left running."""
    try:
        file = find(name)
        place = Workplace(config.settings, config.environment, file.parent)
        nobody = ToolContext("", "", "local", "cron", lambda: False, lambda question, choices: None)
        command = (*_INTERPRETERS.get(file.suffix, ()), str(file))
        done = run(command, Work(nobody, place), Limits(SECONDS, _MOST_BYTES), cwd=file.parent)
    except (HermesError, ToolError) as error:
        return Printed("", str(error))
    problem = {"time": f"it took longer than {SECONDS:.0f} seconds", "size": "it printed too much"}.get(
        done.ended_by, ""
    )
    return Printed(done.text.strip(), problem or (f"it ended with code {done.code}" if done.code else ""))
