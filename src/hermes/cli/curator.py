"""`hermes curator …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.curator"
ACTIONS = {
    "status": (_HERE, "how often your skills are used, which are stale, and what the last review proposes"),
    "run": (_HERE, "what could be merged or retired; nothing is changed"),
    "pin": (_HERE, "keep a skill out of every review"),
}


def add_curator(command: Command) -> None:
    command.examples("hermes curator status", "hermes curator run", "hermes curator pin water-the-plants")
    command.add_commands(ACTIONS, "ACTION")


def add_status(command: Command) -> None:
    command.examples("hermes curator status", "hermes curator status --json")
    add_json(command)
    without_store(command, _status)


def _status(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.curator import status

    return status(paths.hermes_home())


def add_run(command: Command) -> None:
    command.examples("hermes curator run", "hermes curator run --no-model")
    command.add_argument("--no-model", action="store_true", help="by the figures alone, without asking a model")
    add_json(command)
    without_store(command, _run)


def _run(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.curator import run

    return run(paths.hermes_home(), ask_model=not arguments.no_model)


def add_pin(command: Command) -> None:
    command.examples("hermes curator pin water-the-plants", "hermes curator pin water-the-plants --off")
    command.add_argument("name", metavar="NAME", help="the name of a skill of yours")
    command.add_argument("--off", action="store_true", help="let it be reviewed again")
    add_json(command, "one JSON object")
    without_store(command, _pin)


def _pin(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.curator import pin

    return pin(paths.hermes_home(), arguments.name, pinned=not arguments.off)
