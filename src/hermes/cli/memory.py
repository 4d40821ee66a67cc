"""`hermes memory …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.memory"
ACTIONS = {
    "status": (_HERE, "how full the notes are, and which provider stands beside them"),
    "show": (_HERE, "what is noted"),
    "edit": (_HERE, "open the notes in your editor"),
    "setup": (_HERE, "choose a provider beside the notes"),
    "off": (_HERE, "no provider beside the notes"),
}


def add_memory(command: Command) -> None:
    command.examples("hermes memory status", "hermes memory show", "hermes memory setup sessions")
    command.add_commands(ACTIONS, "ACTION")


def add_status(command: Command) -> None:
    command.examples("hermes memory status", "hermes memory status --json")
    add_json(command, "one JSON object")
    without_store(command, _status)


def _status(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.memory import status

    return status(paths.hermes_home())


def _add_target(command: Command, **options: object) -> None:
    about = "memory: what the agent learnt; user: what it knows about you"
    command.add_argument("target", choices=("memory", "user"), nargs="?", help=about, **options)  # type: ignore[arg-type]


def add_show(command: Command) -> None:
    command.examples("hermes memory show", "hermes memory show user", "hermes memory show --json")
    _add_target(command)
    add_json(command)
    without_store(command, _show)


def _show(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.memory import show

    return show(paths.hermes_home(), arguments.target)


def add_edit(command: Command) -> None:
    command.examples("hermes memory edit", "EDITOR=nano hermes memory edit user")
    _add_target(command, default="memory")
    without_store(command, _edit)


def _edit(arguments: argparse.Namespace) -> Reply:
    from hermes.cli.editing import edit
    from hermes.commands.memory import edited, file_to_edit

    home = paths.hermes_home()
    edit(file_to_edit(home, arguments.target), "`hermes memory show` shows how it is")
    return edited(home, arguments.target)


def add_setup(command: Command) -> None:
    command.examples("hermes memory setup", "hermes memory setup sessions")
    command.add_argument("name", metavar="NAME", nargs="?", help="the provider; without one: which there are")
    add_json(command)
    without_store(command, _setup)


def _setup(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.memory import setup

    return setup(paths.hermes_home(), arguments.name)


def add_off(command: Command) -> None:
    command.examples("hermes memory off")
    add_json(command, "one JSON object")
    without_store(command, _off)


def _off(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.memory import off

    return off(paths.hermes_home())
