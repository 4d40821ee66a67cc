"""The log: its last lines, and what comes."""

import os
import re
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from hermes.commands.reply import Reply, Stream, said
from hermes.errors import BadInput

_POLL_S = 0.2
# 2026-03-05 09:15:23,123 WARNING hermes.store[4711] …
_RECORD = re.compile(r"\d{4}-\d\d-\d\d \S+ [A-Z]+ (?P<component>[\w.]+)\[\d+\] ")


def logs(file: Path, *, component: str | None = None, lines: int = 50, follow: bool = False) -> Reply:
    """The newest lines of the log, of one component (`store` …) if asked; with `follow`, those that come too."""
    if lines < 0:
        raise BadInput("--lines takes a number, 0 or more.")
    if follow:
        return Reply((Stream(_lines(file, component, lines, follow)),))
    newest = tuple(_lines(file, component, lines, follow))
    if not newest and lines:
        return said(f"Nothing {f'of {component} ' if component else ''}was logged yet ({file}).")
    return Reply((Stream(iter(newest)),))


def _lines(file: Path, component: str | None, newest: int, follow: bool) -> Iterator[str]:
    place = 0
    if file.exists():
        with file.open(encoding="utf-8", errors="replace") as opened:
            yield from deque(_of(opened, component), maxlen=newest)
            place = opened.tell()
    if follow:
        yield from _of(_coming(file, place), component)


def _of(lines: Iterator[str] | IO[str], component: str | None) -> Iterator[str]:
    """The lines of one component; what continues a record (a traceback) belongs to it."""
    wanted = component is None
    for line in lines:
        record = _RECORD.match(line)
        if record and component is not None:
            name = record["component"].removeprefix("hermes.")
            wanted = name == component or name.startswith(component + ".")
        if wanted:
            yield line.rstrip("\n")


def _coming(file: Path, place: int) -> Iterator[str]:
    """Lines as they are written; a log that was rotated is read from its beginning."""
    while True:
        if file.exists():
            with file.open(encoding="utf-8", errors="replace") as opened:
                if os.fstat(opened.fileno()).st_size < place:
                    place = 0
                opened.seek(place)
                while (line := opened.readline()).endswith("\n"):
                    yield line
                    place = opened.tell()
        time.sleep(_POLL_S)
