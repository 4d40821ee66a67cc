"""backup, restore-backup, check, repair, optimize, undo-upgrade."""

import argparse
from pathlib import Path

from hermes.cli.answer import add_json, add_yes, open_store, screen, store_path, with_store, without_store
from hermes.cli.parsing import Command
from hermes.commands import upkeep
from hermes.commands.reply import Ask, Reply
from hermes.errors import StoreCorrupt
from hermes.store import SessionDB


def add_backup(command: Command) -> None:
    command.examples("hermes sessions backup", "hermes sessions backup /mnt/usb/hermes.db")
    command.add_argument("file", nargs="?", type=Path, metavar="FILE", help="default: beside the store, with the time")
    add_json(command, "one JSON object")
    with_store(command, lambda db, a: upkeep.backup(db, a.file))


def add_restore_backup(command: Command) -> None:
    command.examples(
        "hermes sessions restore-backup /mnt/usb/hermes.db",
        "hermes sessions restore-backup ~/.hermes/state.db.backup-20250305-091523 --yes",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a backup, or a salvaged store")
    add_yes(command)
    add_json(command, "one JSON object")
    command.set_defaults(run=_restore_backup)


def _restore_backup(arguments: argparse.Namespace) -> int:
    try:
        db = open_store()
    except StoreCorrupt as error:
        return screen(arguments).show(_over_damage(arguments, error))
    with db:
        return screen(arguments).show(upkeep.restore_backup(db, arguments.file, yes=arguments.yes))


def _over_damage(arguments: argparse.Namespace, error: StoreCorrupt) -> Reply:
    store = store_path()

    def go() -> Reply:
        return upkeep.restore_over_damage(store, arguments.file)

    question = f"{error} Set it aside and put {arguments.file} in its place?"
    return go() if arguments.yes else Reply(ask=Ask(question, go))


def add_check(command: Command) -> None:
    command.examples("hermes sessions check", "hermes sessions check --json")
    add_json(command)
    without_store(command, lambda _: _check())


def _check() -> Reply:
    store = store_path()
    if not store.exists() or store.stat().st_size == 0:
        return upkeep.nothing_there(store)
    try:
        with SessionDB(store, read_only=True) as db:
            return upkeep.check(db)
    except StoreCorrupt as error:
        return upkeep.damaged(error)


def add_repair(command: Command) -> None:
    command.examples(
        "hermes sessions repair",
        "hermes sessions repair --rebuild-index",
        "hermes sessions repair --salvage saved.db",
    )
    how = command.add_mutually_exclusive_group()
    how.add_argument("--rebuild-index", action="store_true", help="make the search index anew in any case")
    how.add_argument(
        "--salvage", type=Path, metavar="NEW", help="read what can be read of a damaged store into a new file"
    )
    add_json(command)
    without_store(command, _repair)


def _repair(arguments: argparse.Namespace) -> Reply:
    if arguments.salvage is not None:
        return upkeep.salvage(store_path(), arguments.salvage)
    try:
        with open_store() as db:
            return upkeep.repair(db, rebuild_index=arguments.rebuild_index)
    except StoreCorrupt as error:
        return upkeep.damaged(error)


def add_optimize(command: Command) -> None:
    command.examples("hermes sessions optimize")
    add_json(command, "one JSON object")
    with_store(command, lambda db, _: upkeep.optimize(db))


def add_undo_upgrade(command: Command) -> None:
    command.examples("hermes sessions undo-upgrade")
    command.add_argument("backup", nargs="?", type=Path, metavar="FILE", help="which backup (default: the newest)")
    add_json(command, "one JSON object")
    without_store(command, lambda a: upkeep.undo_upgrade(store_path(), a.backup))
