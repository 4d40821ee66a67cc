"""Row 31: dangerous shell commands, in plain words and in disguise. None passes the gate without a yes, whatever is
typed at the question; what people do every day passes unasked."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from hermes.config import Settings
from hermes.config.areas.execution import Terminal
from hermes.errors import ToolError
from hermes.tools.approvals.gate import allow_command
from hermes.tools.base import ToolContext
from hermes.tools.work import Work, Workplace
from tests.faults.commands import DANGEROUS, DISGUISED, EVERYDAY
from tests.faults.rows import Outcome, Run, row

ANSWERS = (None, "", "\n", "y", "yes", "deny")  # nobody there, Enter, and other things that are no yes
MOST_ASKED = 0.1  # of what people do every day


@row(31)
def dangerous_commands(run: Run) -> Outcome:
    home, folder = run.fresh("home"), project(run.fresh("work"))
    answers = ANSWERS[: run.size(len(ANSWERS), 2)]
    before = os.environ.get("HERMES_HOME")
    os.environ["HERMES_HOME"] = str(home)
    try:
        unasked = [command for command in DANGEROUS for answer in answers if passes(command, folder, home, answer)]
        began = time.perf_counter()
        asked = [command for command in EVERYDAY if not passes(command, folder, home, None)]
        each = (time.perf_counter() - began) / len(EVERYDAY) * 1000
    finally:
        os.environ.pop("HERMES_HOME") if before is None else os.environ.update(HERMES_HOME=before)
    return Outcome(
        f"{len(DANGEROUS)} dangerous commands ({len(DISGUISED)} in disguise), {len(answers)} answers that are no yes, "
        f"{len(EVERYDAY)} everyday commands",
        f"run unasked {len(unasked)}{_first(unasked)}; everyday commands asked about {len(asked)}{_first(asked)}; "
        f"{each:.1f} ms a command",
        not unasked and len(asked) <= MOST_ASKED * len(EVERYDAY),
    )


def _first(found: Sequence[str]) -> str:
    return f" (first: {found[0]!r})" if found else ""


def project(folder: Path) -> Path:
    for name in ("notes.txt", "app.py", ".env", "files", "app.c"):
        (folder / name).write_text("x\n")
    for name in ("build", "src", ".git", "node_modules/.bin", ".venv/bin"):
        (folder / name).mkdir(parents=True)
    for name in ("node_modules/.bin/tsc", "node_modules/.bin/eslint", ".venv/pyvenv.cfg", ".venv/bin/activate"):
        (folder / name).write_text("")
    (folder / "clean.sh").write_text("#!/bin/sh\nrm -rf build\n")
    (folder / "test.sh").write_text("#!/usr/bin/env bash\nset -euo pipefail\necho ok\n")
    return folder


def passes(command: str, folder: Path, home: Path, answer: str | None) -> bool:
    """Whether the gate would let it run. Nothing does."""
    context = ToolContext("s", "c", "local", "cli", lambda: False, lambda question, choices: answer)
    place = Workplace(Settings(terminal=Terminal(auto_source_bashrc=False)), {}, folder)
    variables = {"HOME": "/home/me", "PATH": os.defpath, "HERMES_HOME": str(home)}
    try:
        allow_command(command, Work(context, place), folder, variables)
    except ToolError:
        return False
    return True
