"""A throw-away home full of made-up sessions, to try everything on. The user's own home is never touched."""

import tempfile
import time
from pathlib import Path

from hermes.commands.demo.fill import fill
from hermes.commands.reply import Line, Reply, Span, Text, count
from hermes.errors import BadInput
from hermes.paths import make_private_folder
from hermes.store import SessionDB

TRY = (
    "hermes sessions list",
    "hermes sessions browse",
    'hermes sessions search "connection pool"',
    'hermes sessions recall "why did the nightly backup fail?"',
    'hermes sessions show "survey of note-taking apps"',
    'hermes sessions lineage "survey of note-taking apps"',
    "hermes insights --days 90",
)


def demo(folder: Path | None = None) -> Reply:
    """Make the home in a new folder, and say which commands to try."""
    home = _home(folder)
    with SessionDB(home / "state.db") as db:
        fill(db, time.time())
        numbers = db.stats()
    lines: list[Line] = [
        f"A home with {count(numbers['sessions'], 'made-up session')}, {numbers['messages']:,} messages: {home}",
        "",
        "Try it:",
        (Span(f"  export HERMES_HOME='{home}'", "strong"),),
        *((Span(f"  {line}", "strong"),) for line in TRY),
        "",
        f"Done with it: unset HERMES_HOME; rm -r '{home}'",
    ]
    data = {"home": str(home), **numbers, "try": [f"HERMES_HOME='{home}' {line}" for line in TRY]}
    return Reply((Text(tuple(lines)),), data=data)


def _home(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="hermes-demo-"))
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise BadInput(f"{folder} exists already and is not empty; name a new folder.")
    try:
        make_private_folder(folder)
    except OSError as error:
        raise BadInput(f"{folder} cannot be made ({error.strerror}); name another folder.") from error
    return folder.absolute()
