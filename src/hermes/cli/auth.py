"""`hermes auth …`"""

import argparse
import sys

from hermes import paths
from hermes.cli.answer import add_json, add_yes, without_store
from hermes.cli.parsing import Command
from hermes.commands import auth
from hermes.commands.reply import Reply
from hermes.errors import BadInput

_HERE = "hermes.cli.auth"
ACTIONS = {
    "add": (_HERE, "add a key of a provider"),
    "list": (_HERE, "the keys there are, where they are from, and which rest"),
    "remove": (_HERE, "take a key out"),
    "reset": (_HERE, "let keys that rest be used again"),
}


def add_auth(command: Command) -> None:
    command.examples("hermes auth add openrouter", "hermes auth list", "hermes auth reset openrouter")
    command.add_commands(ACTIONS, "ACTION")


def add_add(command: Command) -> None:
    command.examples("hermes auth add openrouter", "hermes auth add anthropic --label work < key.txt")
    _add_provider(command)
    command.add_argument("--label", metavar="NAME", default="", help="a name to tell keys apart")
    add_json(command, "one JSON object")
    without_store(command, _add)


def _add(arguments: argparse.Namespace) -> Reply:
    home = paths.hermes_home()
    auth.check_name(home, arguments.provider)
    return auth.add(home, arguments.provider, _asked(arguments.provider), arguments.label)


def _asked(provider: str) -> str:
    """From the keyboard without an echo, or from a pipe: a key on the command line stays in the shell's history."""
    if sys.stdin is None:
        raise BadInput("The key comes from the keyboard or from a pipe.")
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass(f"Key for {provider}: ").strip()
    return sys.stdin.readline().strip()


def add_list(command: Command) -> None:
    command.examples("hermes auth list", "hermes auth list openrouter --json")
    _add_provider(command, optional=True)
    add_json(command)
    without_store(command, lambda arguments: auth.list_keys(paths.hermes_home(), arguments.provider))


def add_remove(command: Command) -> None:
    command.examples("hermes auth remove openrouter work", "hermes auth remove openrouter 2 --yes")
    _add_provider(command)
    command.add_argument(
        "which", metavar="KEY", help="its label, or its number among those of the provider in the pool"
    )
    add_yes(command)
    add_json(command, "one JSON object")
    without_store(command, lambda a: auth.remove(paths.hermes_home(), a.provider, a.which, yes=a.yes))


def add_reset(command: Command) -> None:
    command.examples("hermes auth reset", "hermes auth reset openrouter")
    _add_provider(command, optional=True)
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: auth.reset(paths.hermes_home(), arguments.provider))


def _add_provider(command: Command, *, optional: bool = False) -> None:
    help = "a provider such as openrouter, or a name under providers in config.yaml"
    command.add_argument("provider", metavar="PROVIDER", nargs="?" if optional else None, help=help)
