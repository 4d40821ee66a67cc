"""backup, import: a whole home."""

import argparse
from pathlib import Path

from hermes import paths
from hermes.cli.answer import add_json, add_yes, screen, store_path
from hermes.cli.parsing import Command


def add_backup(command: Command) -> None:
    command.description = (
        "Write this home to one archive: sessions, settings, everything but the log, other profiles and (unless "
        "asked for) keys. Others may read and write meanwhile."
    )
    command.examples("hermes backup", "hermes backup /mnt/usb/hermes.zip", "hermes backup all.zip --include-secrets")
    command.add_argument("file", nargs="?", type=Path, metavar="FILE", help="default: here, with the time in its name")
    command.add_argument("--include-secrets", action="store_true", help="take keys (.env) along")
    command.add_argument("--force", action="store_true", help="replace a file that is there")
    add_json(command, "one JSON object")
    command.set_defaults(run=_backup)


def _backup(arguments: argparse.Namespace) -> int:
    from hermes.commands.homes import backup

    secrets, force = arguments.include_secrets, arguments.force
    reply = backup(paths.hermes_home(), store_path(), arguments.file, secrets=secrets, force=force)
    return screen(arguments).show(reply)


def add_import(command: Command) -> None:
    command.description = (
        "Put the home an archive holds in the place of this one, which is kept beside it. Profiles stay. "
        "Settings decide what programs Hermes runs: import only what you trust."
    )
    command.examples(
        "hermes import hermes.zip", "hermes import hermes.zip --yes", "hermes --profile work import work.zip"
    )
    command.add_argument("archive", type=Path, metavar="ARCHIVE", help="made by `hermes backup`")
    add_yes(command)
    add_json(command, "one JSON object")
    command.set_defaults(run=_import)


def _import(arguments: argparse.Namespace) -> int:
    from hermes.commands.homes import take

    return screen(arguments).show(take(paths.hermes_home(), arguments.archive, yes=arguments.yes))
