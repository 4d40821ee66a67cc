"""`hermes plugins …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, add_yes, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.plugins"
ACTIONS = {
    "list": (_HERE, "every plugin: on or off, and where it comes from"),
    "show": (_HERE, "one plugin: what it says of itself, and what it registers"),
    "enable": (_HERE, "use a plugin"),
    "disable": (_HERE, "use it no more"),
    "install": (_HERE, "take a plugin from a folder, an archive or a git URL"),
    "remove": (_HERE, "take a plugin of yours out"),
    "new": (_HERE, "begin a plugin of your own"),
}


def add_plugins(command: Command) -> None:
    command.examples("hermes plugins list", "hermes plugins new tool-count", "hermes plugins enable tool-count")
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes plugins list", "hermes plugins list --json")
    add_json(command)
    without_store(command, _list)


def _list(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import listed

    return listed(paths.hermes_home())


def _add_name(command: Command) -> None:
    command.add_argument("name", metavar="NAME", help="the name of a plugin")


def add_show(command: Command) -> None:
    command.examples("hermes plugins show journal", "hermes plugins show journal --json")
    _add_name(command)
    add_json(command, "one JSON object")
    without_store(command, _show)


def _show(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import show

    return show(paths.hermes_home(), arguments.name)


def add_enable(command: Command) -> None:
    command.examples("hermes plugins enable journal")
    _add_name(command)
    add_json(command, "one JSON object")
    without_store(command, _enable)


def _enable(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import enable

    return enable(paths.hermes_home(), arguments.name)


def add_disable(command: Command) -> None:
    command.examples("hermes plugins disable journal")
    _add_name(command)
    add_json(command, "one JSON object")
    without_store(command, _disable)


def _disable(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import disable

    return disable(paths.hermes_home(), arguments.name)


def add_install(command: Command) -> None:
    command.examples("hermes plugins install ./my-plugin", "hermes plugins install https://example.com/plugin.git")
    command.add_argument("source", metavar="SOURCE", help="a folder, an archive (zip, tar) or a git URL")
    add_yes(command)
    add_json(command, "the path of its folder")
    without_store(command, _install)


def _install(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import add

    return add(paths.hermes_home(), arguments.source, yes=arguments.yes)


def add_remove(command: Command) -> None:
    command.examples("hermes plugins remove tool-count", "hermes plugins remove tool-count --yes")
    _add_name(command)
    add_yes(command)
    add_json(command, "one JSON object")
    without_store(command, _remove)


def _remove(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import remove

    return remove(paths.hermes_home(), arguments.name, yes=arguments.yes)


def add_new(command: Command) -> None:
    command.examples("hermes plugins new tool-count", 'hermes plugins new tool-count --description "Counts calls."')
    command.add_argument("name", metavar="NAME", help="small letters, digits, - and _")
    command.add_argument("--description", metavar="TEXT", default="", help="what it does")
    command.add_argument("--author", metavar="NAME", default="me", help="who wrote it (default: me)")
    add_json(command, "the path of the new folder")
    without_store(command, _new)


def _new(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.plugins import new

    return new(paths.hermes_home(), arguments.name, arguments.description, arguments.author)
