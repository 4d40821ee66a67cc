"""`hermes gateway …`"""

import argparse
import os

from hermes import paths
from hermes.cli.answer import add_json, with_store, without_store
from hermes.cli.parsing import Command, number
from hermes.commands.reply import Reply

_HERE = "hermes.cli.gateway"
ACTIONS = {
    "start": (_HERE, "run the gateway in the background"),
    "stop": (_HERE, "stop it; turns under way are finished, or go on with the next start"),
    "restart": (_HERE, "stop it and start it again"),
    "status": (_HERE, "whether it runs, what it serves, and what waits"),
    "install": (_HERE, "a systemd unit that starts it with your login"),
    "logs": (_HERE, "what it logged"),
    "pair": (_HERE, "let in whoever got this code"),
    "unpair": (_HERE, "take that back"),
    "paired": (_HERE, "who was let in, and who waits"),
}


def add_gateway(command: Command) -> None:
    command.description = (
        "Serve the agent on every platform that is set up: Telegram, Matrix, an API, webhooks. Without an action "
        "it runs here until Ctrl-C."
    )
    command.examples("hermes gateway", "hermes gateway start", "hermes gateway status", "hermes gateway pair ABCD2345")
    command.add_commands(ACTIONS, "ACTION")
    command.set_defaults(run=_foreground)


def _foreground(_arguments: argparse.Namespace) -> int:
    """Another program in this one's place: what serves chats has nothing of the terminal's in it."""
    from hermes.commands.gateway import PROGRAM

    os.execv(PROGRAM[0], PROGRAM)


def add_start(command: Command) -> None:
    command.examples("hermes gateway start", "hermes --profile work gateway start")
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: _service("start"))


def add_stop(command: Command) -> None:
    command.examples("hermes gateway stop", "hermes gateway stop --json")
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: _service("stop"))


def add_restart(command: Command) -> None:
    command.examples("hermes gateway restart", "hermes gateway restart --json")
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: _service("restart"))


def add_install(command: Command) -> None:
    command.examples("hermes gateway install", "hermes gateway install --json")
    add_json(command, "one JSON object")
    without_store(command, lambda arguments: _service("install"))


def _service(action: str) -> Reply:
    from hermes.commands import gateway

    reply: Reply = getattr(gateway, action)()
    return reply


def add_status(command: Command) -> None:
    command.examples("hermes gateway status", "hermes gateway status --json")
    add_json(command, "one JSON object")

    def run(db: object, arguments: argparse.Namespace) -> Reply:
        from hermes.commands.gateway import status

        return status(db)  # type: ignore[arg-type]

    with_store(command, run)


def add_logs(command: Command) -> None:
    command.examples("hermes gateway logs", "hermes gateway logs --follow")
    command.add_argument("--follow", "-f", action="store_true", help="go on with what comes, until Ctrl-C")
    command.add_argument("--lines", "-n", type=number(0), default=50, metavar="N", help="how many (default: 50)")

    def run(arguments: argparse.Namespace) -> Reply:
        from hermes.commands.logs import logs

        file = paths.logs_dir() / "hermes.log"
        return logs(file, component="gateway", lines=arguments.lines, follow=arguments.follow)

    without_store(command, run)


def add_pair(command: Command) -> None:
    command.examples("hermes gateway pair ABCD2345")
    command.add_argument("code", metavar="CODE", help="what the stranger was told")
    add_json(command, "one JSON object")

    def run(db: object, arguments: argparse.Namespace) -> Reply:
        from hermes.commands.pairing import pair

        return pair(db, arguments.code)  # type: ignore[arg-type]

    with_store(command, run)


def add_unpair(command: Command) -> None:
    command.examples("hermes gateway unpair telegram:12345")
    command.add_argument("account", metavar="ACCOUNT", help="platform:user, as `hermes gateway paired` shows it")
    add_json(command, "one JSON object")

    def run(db: object, arguments: argparse.Namespace) -> Reply:
        from hermes.commands.pairing import unpair

        return unpair(db, arguments.account)  # type: ignore[arg-type]

    with_store(command, run)


def add_paired(command: Command) -> None:
    command.examples("hermes gateway paired", "hermes gateway paired --json")
    add_json(command)

    def run(db: object, arguments: argparse.Namespace) -> Reply:
        from hermes.commands.pairing import paired

        return paired(db)  # type: ignore[arg-type]

    with_store(command, run)
