"""rename, tag, pin, archive, delete, restore, trash, purge, prune."""

import argparse
from collections.abc import Callable

from hermes.cli.answer import add_json, add_session, add_yes, with_store
from hermes.cli.parsing import Command, number
from hermes.commands import care
from hermes.commands.reply import Reply
from hermes.store import SessionDB

_ID = "20250305_091523_a1b2c3d4"


def add_rename(command: Command) -> None:
    command.examples(
        f'hermes sessions rename {_ID} "debugging auth flow"',
        f"hermes sessions rename {_ID} debugging auth flow",
    )
    add_session(command)
    command.add_argument("title", nargs="+", metavar="TITLE", help='the new title; "" takes the old one away')
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: care.rename(db, a.session, " ".join(a.title)))


def add_tag(command: Command) -> None:
    command.examples(
        f"hermes sessions tag {_ID} work urgent",
        f"hermes sessions tag {_ID} --remove urgent",
        f"hermes sessions tag {_ID}",
    )
    add_session(command)
    command.add_argument("tags", nargs="*", metavar="TAG", help="tags to add; without any, the present ones are shown")
    command.add_argument("--remove", action="append", default=[], metavar="TAG", help="a tag to take away")
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: care.tag(db, a.session, a.tags, a.remove))


def _add_simple(command: Command, handler: Callable[[SessionDB, str], Reply]) -> None:
    name = command.prog.rsplit(" ", 1)[-1]
    command.examples(f"hermes sessions {name} {_ID}", f'hermes sessions {name} "refactoring auth"')
    add_session(command)
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: handler(db, a.session))


def add_pin(command: Command) -> None:
    _add_simple(command, care.pin)


def add_unpin(command: Command) -> None:
    _add_simple(command, care.unpin)


def add_archive(command: Command) -> None:
    _add_simple(command, care.archive)


def add_unarchive(command: Command) -> None:
    _add_simple(command, care.unarchive)


def add_restore(command: Command) -> None:
    _add_simple(command, care.restore)


def add_delete(command: Command) -> None:
    command.examples(
        f"hermes sessions delete {_ID}",
        f"hermes sessions delete {_ID} --yes",
        f"hermes sessions delete {_ID} --purge --yes",
    )
    add_session(command)
    command.add_argument("--purge", action="store_true", help="for good, not to the trash")
    add_yes(command)
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: care.delete(db, a.session, purge=a.purge, yes=a.yes))


def add_purge(command: Command) -> None:
    command.examples(f"hermes sessions purge {_ID}", f"hermes sessions purge {_ID} --yes")
    add_session(command)
    add_yes(command)
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: care.purge(db, a.session, yes=a.yes))


def add_trash(command: Command) -> None:
    command.examples(
        "hermes sessions trash",
        "hermes sessions trash empty",
        "hermes sessions trash empty --older-than 30 --yes",
    )
    command.add_argument("do", nargs="?", choices=("list", "empty"), default="list", help="default: list")
    command.add_argument(
        "--older-than",
        type=number(0, whole=False),
        default=0,
        metavar="DAYS",
        help="empty: only what was deleted that long ago",
    )
    add_yes(command)
    add_json(command)
    with_store(command, _trash)


def _trash(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    if arguments.do == "list":
        return care.trash(db)
    return care.empty_trash(db, older_than=arguments.older_than, yes=arguments.yes)


def add_prune(command: Command) -> None:
    command.description = "Delete ended sessions without activity for so many days, for good. Pinned ones stay."
    command.examples(
        "hermes sessions prune",
        "hermes sessions prune --older-than 30",
        "hermes sessions prune --source telegram --older-than 60",
        "hermes sessions prune --older-than 30 --dry-run",
        "hermes sessions prune --older-than 30 --yes",
    )
    command.add_argument(
        "--older-than",
        type=number(0, whole=False),
        default=90,
        metavar="DAYS",
        help="days without activity (default: 90)",
    )
    command.add_argument("--source", help="only sessions of this platform")
    command.add_argument("--tag", type=str.lower, help="only sessions with this tag")
    command.add_argument("--dry-run", action="store_true", help="show what would go, and change nothing")
    add_yes(command)
    add_json(command)
    with_store(command, _prune, label="Pruning")


def _prune(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    return care.prune(
        db,
        older_than=arguments.older_than,
        source=arguments.source,
        tag=arguments.tag,
        dry_run=arguments.dry_run,
        yes=arguments.yes,
        progress=arguments.progress,
    )
