"""From parsed arguments to a drawn reply: opens the store where one is needed."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hermes import log, paths
from hermes.cli.parsing import Command
from hermes.cli.screen import Screen, say
from hermes.commands.reply import Reply

if TYPE_CHECKING:
    from hermes.config import Config
    from hermes.config.areas.state import Sessions
    from hermes.store import SessionDB

WithStore = Callable[["SessionDB", argparse.Namespace], Reply]


def with_store(command: Command, handler: WithStore, *, reads: bool = False, label: str = "") -> None:
    """This command is answered from the store; one that only reads can be told to open it for reading alone.

    With a `label` the handler finds a progress bar in `arguments.progress` (None without a terminal).
    """
    if reads:
        command.add_argument("--read-only", action="store_true", help="open the store without changing anything in it")

    def run(arguments: argparse.Namespace) -> int:
        with open_store(read_only=reads and arguments.read_only) as db:
            if not label:
                return screen(arguments).show(handler(db, arguments))
            from hermes.cli.progress import progress

            with progress(label) as arguments.progress:
                return screen(arguments).show(handler(db, arguments))

    command.set_defaults(run=run)


def without_store(command: Command, handler: Callable[[argparse.Namespace], Reply]) -> None:
    """This command opens what it needs itself."""

    def run(arguments: argparse.Namespace) -> int:
        log.set_up()
        return screen(arguments).show(handler(arguments))

    command.set_defaults(run=run)


def open_store(*, read_only: bool = False, brief: bool = True, config: "Config | None" = None) -> "SessionDB":
    """The store the settings name, with what its owner wants done at start-up. Not `brief` is a command that stays."""
    from hermes.store import open_store

    log.set_up()
    sessions = _settings() if config is None else config.settings.sessions
    db = open_store(
        sessions.database if sessions else None,
        read_only=read_only,
        redact_secrets=bool(sessions and sessions.redact_secrets),
        brief=brief,
    )
    for notice in db.notices:
        say(notice)
    if not db.read_only:
        _keep_house(db, sessions)
    return db


def store_path() -> Path:
    """Where the store is, for what has to look at the file itself."""
    sessions = _settings()
    named = sessions.database.removeprefix("sqlite://") if sessions else ""
    return Path(named) if named else paths.state_db()


def _settings() -> "Sessions | None":
    """What the file says about sessions; without one the defaults hold, and nothing is loaded to know them."""
    if not paths.config_file(paths.hermes_home()).exists():
        return None
    from hermes.config import load

    config = load()
    for warning in config.warnings:
        say(warning)
    return config.settings.sessions


def _keep_house(db: "SessionDB", sessions: "Sessions | None") -> None:
    """Automatic pruning, when it was asked for, and a trash that does not grow for ever."""
    folder = paths.sessions_dir()
    if sessions is not None and sessions.auto_prune:
        done = db.maybe_auto_prune_and_vacuum(
            sessions.retention_days, sessions.min_interval_hours, sessions.vacuum_after_prune, folder
        )
        if done["pruned"]:
            say(f"Pruned {done['pruned']} sessions without activity for {sessions.retention_days} days.")
    emptied = db.maybe_empty_trash(sessions.trash_days if sessions is not None else 30, folder)
    if emptied:
        say(f"Emptied the trash: {emptied} sessions that had been there for long.")


def screen(arguments: argparse.Namespace) -> Screen:
    return Screen(as_json=getattr(arguments, "json", False))


def add_json(command: Command, what: str = "one JSON object a line") -> None:
    command.add_argument("--json", action="store_true", help=f"for programs: {what}")


def add_session(command: Command, help: str = "an id, the beginning of one, or a title") -> None:
    command.add_argument("session", metavar="SESSION", help=help)


def add_yes(command: Command) -> None:
    command.add_argument("--yes", "-y", action="store_true", help="do not ask")
