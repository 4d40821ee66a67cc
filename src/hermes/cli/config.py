"""`hermes config …`"""

import argparse
import sys

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands import config
from hermes.commands.reply import Reply, said
from hermes.errors import BadInput

_HERE = "hermes.cli.config"
ACTIONS = {
    "show": (_HERE, "the settings in force"),
    "get": (_HERE, "one setting, bare"),
    "set": (_HERE, "write a setting to config.yaml, or a variable to .env"),
    "unset": (_HERE, "take a setting out, so that its default holds again"),
    "edit": (_HERE, "open config.yaml in your editor, and check it afterwards"),
    "path": (_HERE, "where config.yaml is"),
    "check": (_HERE, "look for anything wrong in config.yaml and .env"),
    "upgrade": (_HERE, "write an old config.yaml in today's form"),
}


def add_config(command: Command) -> None:
    command.examples("hermes config show", "hermes config set sessions.retention_days 30", "hermes config check")
    command.add_commands(ACTIONS, "ACTION")


def add_show(command: Command) -> None:
    command.examples("hermes config show", "hermes config show sessions --sources", "hermes config show --changed")
    command.add_argument("key", metavar="KEY", nargs="?", help="only this section or setting")
    command.add_argument("--sources", action="store_true", help="with the layer each value came from")
    command.add_argument("--changed", action="store_true", help="only what differs from the defaults")
    add_json(command, "one JSON object")
    without_store(command, _show)


def _show(arguments: argparse.Namespace) -> Reply:
    home = paths.hermes_home()
    return config.show(home, arguments.key, sources=arguments.sources, changed=arguments.changed)


def add_get(command: Command) -> None:
    command.examples("hermes config get sessions.retention_days", "hermes config get display --json")
    _add_key(command)
    add_json(command, "the value as JSON")
    without_store(command, lambda arguments: config.get(paths.hermes_home(), arguments.key))


def add_set(command: Command) -> None:
    command.examples(
        "hermes config set display.resume_display minimal",
        "hermes config set toolsets web,file,terminal",
        "hermes config set model.api_key '${OPENROUTER_API_KEY}'",
        "hermes config set OPENROUTER_API_KEY < key.txt",
    )
    _add_key(command, "a setting such as sessions.retention_days, or a variable for .env such as OPENROUTER_API_KEY")
    command.add_argument("value", metavar="VALUE", nargs="*", help="its value; without one it is asked for, unseen")
    add_json(command, "one JSON object")
    without_store(command, _set)


def _set(arguments: argparse.Namespace) -> Reply:
    text = " ".join(arguments.value) if arguments.value else _asked(arguments.key)
    return config.set_value(paths.hermes_home(), arguments.key, text)


def _asked(key: str) -> str:
    """From the keyboard without an echo, or from a pipe: a secret on the command line stays in the shell's history."""
    if sys.stdin is None:
        raise BadInput(f"{key} needs a value.")
    if sys.stdin.isatty():
        from getpass import getpass

        text = getpass(f"{key}: ")
    else:
        text = sys.stdin.readline()
    if not text.strip():
        raise BadInput(f"{key} needs a value; `hermes config unset {key}` takes it out.")
    return text.strip()


def add_unset(command: Command) -> None:
    command.examples("hermes config unset display.resume_display", "hermes config unset OPENROUTER_API_KEY")
    _add_key(command)
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: config.unset(paths.hermes_home(), arguments.key))


def add_edit(command: Command) -> None:
    command.examples("hermes config edit", "EDITOR=nano hermes config edit")
    without_store(command, _edit)


def _edit(_arguments: argparse.Namespace) -> Reply:
    from hermes.cli.editing import edit

    home = paths.hermes_home()
    file = config.begin(home)
    edit(file, f"`hermes config check` says how {file} is")
    return config.check(home)


def add_path(command: Command) -> None:
    command.examples("hermes config path", 'cat "$(hermes config path)"', "hermes config path --env")
    command.add_argument("--env", action="store_true", help="where .env is")
    without_store(command, _path)


def _path(arguments: argparse.Namespace) -> Reply:
    file = paths.dotenv_file() if arguments.env else paths.config_file()
    return said(str(file), data=str(file))


def add_check(command: Command) -> None:
    command.examples("hermes config check", "hermes config check && echo all is well")
    add_json(command)
    without_store(command, lambda _: config.check(paths.hermes_home()))


def add_upgrade(command: Command) -> None:
    command.examples("hermes config upgrade")
    add_json(command, "one JSON object")
    without_store(command, lambda _: config.upgrade(paths.hermes_home()))


def _add_key(command: Command, help: str = "a setting such as sessions.retention_days, or a variable of .env") -> None:
    command.add_argument("key", metavar="KEY", help=help)
