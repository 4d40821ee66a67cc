"""What a command would do."""

from pathlib import Path

from hermes.tools.work import Workplace


def judged(command: str, folder: Path, place: Workplace) -> tuple[str, ...]:
    return ("every command is asked about",)
