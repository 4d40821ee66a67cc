"""Changing config.yaml and .env: one process at a time, all or nothing, readable by their owner alone."""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hermes import paths
from hermes.config import document, environment, rewrite, upgrades
from hermes.config.document import Broken
from hermes.config.edits import Edit, applied
from hermes.config.upgrades import Step
from hermes.errors import ConfigError


class Saved(NamedTuple):
    """What happened: the steps that brought an old file up to date, and where the old one is."""

    steps: list[Step]
    kept: Path | None


def change(file: Path, edits: list[Edit]) -> Saved:
    """Make the edits in the file, after the upgrades it needs. Raises ConfigError, and leaves the file alone, when they
    cannot be made without touching anything else."""
    with alone(file):
        try:
            current = document.read(file)
        except Broken as broken:
            where = f":{broken.where[0]}:{broken.where[1]}" if broken.where else ""
            raise ConfigError(f"{file}{where}: {broken.reason}; nothing was changed.") from None
        upgraded = upgrades.upgrade(current.tree)
        everything = [*upgraded.edits, *edits]
        new = _new_text(file, current, everything)
        if new == current.text:
            return Saved([], None)
        kept = _keep(file) if upgraded.steps else None
        replace(file, new)
        return Saved(upgraded.steps, kept)


def change_variable(file: Path, name: str, value: str | None) -> None:
    """Set a variable in `.env`, or take it out."""
    with alone(file):
        try:
            before = file.read_text(encoding="utf-8-sig") if file.exists() else ""
        except (OSError, UnicodeDecodeError):
            raise ConfigError(f"{file} cannot be read; nothing was changed.") from None
        replace(file, environment.with_variable(before, name, value))


def replace(file: Path, content: str) -> None:
    """The file has the new content or the old one, whatever happens in between. A link stays a link."""
    target = file.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # created 0600
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(content.encode("utf-8"))
            new.flush()
            os.fsync(new.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
    paths.flush(target.parent)


def _new_text(file: Path, current: document.Document, edits: list[Edit]) -> str:
    if current.repeated and edits:
        key, line = current.repeated[0]
        raise ConfigError(f"{file}:{line}: {key} stands there twice; take one out first. Nothing was changed.")
    newline = "\r\n" if "\r\n" in current.text else "\n"
    try:
        new = rewrite.changed(current.text.replace("\r\n", "\n"), edits).replace("\n", newline)
        as_meant = document.parse(new).tree == applied(current.tree, edits)
    except (Broken, rewrite.Unwritable):
        as_meant = False
    if not as_meant:
        raise ConfigError(f"{file} is written in a way that cannot be changed here; `hermes config edit` opens it.")
    return new


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Others that change the same home wait; they look again when it is their turn."""
    try:
        paths.make_private_folder(file.parent)
        folder = os.open(file.parent, os.O_RDONLY)
    except OSError as error:
        raise ConfigError(f"{file.parent}: {error.strerror}.") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}; nothing was changed.") from None
    finally:
        os.close(folder)


def _keep(file: Path) -> Path:
    """A copy of the file as it is, beside it."""
    kept = file.with_name(f"{file.name}.before-{time.strftime('%Y%m%d-%H%M%S')}")
    replace(kept, file.read_bytes().decode("utf-8"))
    return kept
