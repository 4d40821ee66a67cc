"""`hermes mcp …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.mcp"
ACTIONS = {
    "list": (_HERE, "the servers in the settings, and how many tools each has"),
    "test": (_HERE, "connect to a server and show what it offers"),
}


def add_mcp(command: Command) -> None:
    command.examples("hermes mcp list", "hermes mcp test", "hermes mcp test files")
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes mcp list", "hermes mcp list --json")
    add_json(command)
    without_store(command, _list)


def _list(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.mcp import servers

    return servers(paths.hermes_home())


def add_test(command: Command) -> None:
    command.examples("hermes mcp test", "hermes mcp test files", "hermes mcp test files --json")
    command.add_argument("name", metavar="NAME", nargs="?", help="a server; without one, all of them")
    add_json(command)
    without_store(command, _test)


def _test(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.mcp import ask

    return ask(paths.hermes_home(), arguments.name)
