"""status, doctor, logs, completion, version."""

import argparse
import platform

from hermes import __version__, paths
from hermes.cli.answer import add_json, store_path, without_store
from hermes.cli.parsing import Command, number
from hermes.commands.reply import Reply, said


def add_status(command: Command) -> None:
    command.examples("hermes status", "hermes status --json")
    add_json(command, "one JSON object")
    without_store(command, _status)


def _status(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.status import status

    return status(store_path())


def add_doctor(command: Command) -> None:
    command.examples("hermes doctor", "hermes doctor --json", "hermes doctor && echo all is well")
    add_json(command)
    without_store(command, _doctor)


def _doctor(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.doctor import doctor

    return doctor(store_path())


def add_logs(command: Command) -> None:
    command.examples("hermes logs", "hermes logs --follow", "hermes logs --component store --lines 200")
    command.add_argument("--follow", "-f", action="store_true", help="go on with what comes, until Ctrl-C")
    command.add_argument("--component", help="only this part of the program, such as store")
    command.add_argument("--lines", "-n", type=number(0), default=50, metavar="N", help="how many (default: 50)")
    without_store(command, _logs)


def _logs(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.logs import logs

    file = paths.logs_dir() / "hermes.log"
    return logs(file, component=arguments.component, lines=arguments.lines, follow=arguments.follow)


def add_completion(command: Command) -> None:
    command.examples(
        'eval "$(hermes completion bash)"',
        'eval "$(hermes completion zsh)"',
        "hermes completion fish > ~/.config/fish/completions/hermes.fish",
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"))
    command.set_defaults(run=_completion)


def _completion(arguments: argparse.Namespace) -> int:
    from hermes.cli.completion import script
    from hermes.cli.main import parser

    print(script(arguments.shell, parser()), end="")
    return 0


def add_version(command: Command) -> None:
    command.examples("hermes version")
    add_json(command, "one JSON object")
    without_store(command, _version)


def _version(_arguments: argparse.Namespace) -> Reply:
    from hermes.commands.doctor import sqlite_version

    versions = {"hermes": __version__, "python": platform.python_version(), "sqlite": sqlite_version()}
    told = f"hermes {versions['hermes']} (Python {versions['python']}, SQLite {versions['sqlite']})"
    return said(told, data=versions)
