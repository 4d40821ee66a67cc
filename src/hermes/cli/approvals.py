"""`hermes approvals …`"""

import argparse

from hermes.cli.answer import add_json, add_yes, without_store
from hermes.cli.parsing import Command, number
from hermes.commands.reply import Reply

_HERE = "hermes.cli.approvals"
ACTIONS = {
    "list": (_HERE, "what is allowed for good, and what was decided lately"),
    "revoke": (_HERE, "take back what was allowed for good"),
}


def add_approvals(command: Command) -> None:
    command.examples("hermes approvals list", "hermes approvals revoke 3f9a1c20", "hermes approvals revoke --all")
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes approvals list", "hermes approvals list --limit 100", "hermes approvals list --json")
    command.add_argument("--limit", type=number(0), default=20, metavar="N", help="how many decisions (default: 20)")
    add_json(command)
    without_store(command, _list)


def _list(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.approvals import approvals

    return approvals(arguments.limit)


def add_revoke(command: Command) -> None:
    command.examples("hermes approvals revoke 3f9a1c20", "hermes approvals revoke --all --yes")
    command.add_argument("ids", metavar="ID", nargs="*", help="as `hermes approvals list` shows it")
    command.add_argument("--all", action="store_true", help="everything")
    add_yes(command)
    add_json(command)
    without_store(command, _revoke)


def _revoke(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.approvals import revoke

    return revoke(arguments.ids, everything=arguments.all, yes=arguments.yes)
