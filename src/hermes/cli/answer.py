"""From parsed arguments to a drawn reply: opens the store where one is needed."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes import log
from hermes.cli.parsing import Command
from hermes.cli.screen import Screen, say
from hermes.commands.reply import Reply

if TYPE_CHECKING:
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


def open_store(*, read_only: bool = False) -> "SessionDB":
    from hermes.store import SessionDB

    log.set_up()
    db = SessionDB(read_only=read_only)
    for notice in db.notices:
        say(notice)
    return db


def screen(arguments: argparse.Namespace) -> Screen:
    return Screen(as_json=getattr(arguments, "json", False))


def add_json(command: Command, what: str = "one JSON object a line") -> None:
    command.add_argument("--json", action="store_true", help=f"for programs: {what}")


def add_session(command: Command, help: str = "an id, the beginning of one, or a title") -> None:
    command.add_argument("session", metavar="SESSION", help=help)


def add_yes(command: Command) -> None:
    command.add_argument("--yes", "-y", action="store_true", help="do not ask")
