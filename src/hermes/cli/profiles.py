"""`hermes profile …`"""

import argparse

from hermes.cli.answer import add_json, add_yes, screen
from hermes.cli.parsing import Command

_HERE = "hermes.cli.profiles"
ACTIONS = {
    "list": (_HERE, "the profiles there are"),
    "create": (_HERE, "make a profile: a home with its own sessions, settings and keys"),
    "delete": (_HERE, "delete a profile with everything in it"),
}


def add_profile(command: Command) -> None:
    command.examples("hermes profile list", "hermes profile create work", "hermes --profile work sessions list")
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes profile list", "hermes profile list --json")
    add_json(command)
    command.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    from hermes.commands.profiles import profiles

    return screen(arguments).show(profiles())


def add_create(command: Command) -> None:
    command.examples("hermes profile create work", "hermes profile create work --copy-settings")
    command.add_argument("name", metavar="NAME", help="small letters, digits, - and _")
    command.add_argument(
        "--copy-settings", action="store_true", help="begin with the settings in use, without the keys"
    )
    add_json(command, "one JSON object")
    command.set_defaults(run=_create)


def _create(arguments: argparse.Namespace) -> int:
    from hermes.commands.profiles import create

    return screen(arguments).show(create(arguments.name, copy_settings=arguments.copy_settings))


def add_delete(command: Command) -> None:
    command.examples("hermes profile delete work", "hermes profile delete work --yes")
    command.add_argument("name", metavar="NAME", help="which one; never the default")
    add_yes(command)
    add_json(command, "one JSON object")
    command.set_defaults(run=_delete)


def _delete(arguments: argparse.Namespace) -> int:
    from hermes.commands.profiles import delete

    return screen(arguments).show(delete(arguments.name, yes=arguments.yes))
