"""`hermes tools …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.tools"
ACTIONS = {
    "list": (_HERE, "every toolset: on or off, and how many of its tools can be used"),
    "show": (_HERE, "the tools of one toolset, and why one is missing"),
    "enable": (_HERE, "give a platform a toolset, or a single tool"),
    "disable": (_HERE, "take a toolset, or a single tool, from a platform"),
}


def add_tools(command: Command) -> None:
    command.examples("hermes tools list", "hermes tools show web", "hermes tools disable browser --platform telegram")
    command.add_commands(ACTIONS, "ACTION")


def _add_platform(command: Command) -> None:
    command.add_argument("--platform", metavar="NAME", default="cli", help="cli, telegram, discord … (default: cli)")


def add_list(command: Command) -> None:
    command.examples("hermes tools list", "hermes tools list --platform webhook", "hermes tools list --json")
    _add_platform(command)
    add_json(command)
    without_store(command, _list)


def _list(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.tools import toolsets

    return toolsets(paths.hermes_home(), arguments.platform)


def add_show(command: Command) -> None:
    command.examples("hermes tools show terminal", "hermes tools show web_search", "hermes tools show debugging --json")
    command.add_argument("name", metavar="NAME", help="a toolset or a tool")
    _add_platform(command)
    add_json(command)
    without_store(command, _show)


def _show(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.tools import show

    return show(paths.hermes_home(), arguments.name, arguments.platform)


def _add_switch(command: Command, verb: str) -> None:
    command.examples(f"hermes tools {verb} terminal", f"hermes tools {verb} browser vision --platform telegram")
    command.add_argument("names", metavar="NAME", nargs="+", help="toolsets or tools")
    _add_platform(command)
    add_json(command, "one JSON object")


def add_enable(command: Command) -> None:
    _add_switch(command, "enable")
    without_store(command, _enable)


def _enable(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.tools import enable

    return enable(paths.hermes_home(), arguments.names, arguments.platform)


def add_disable(command: Command) -> None:
    _add_switch(command, "disable")
    without_store(command, _disable)


def _disable(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.tools import disable

    return disable(paths.hermes_home(), arguments.names, arguments.platform)
