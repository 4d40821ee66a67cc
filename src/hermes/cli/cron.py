"""`hermes cron …`"""

import argparse
from typing import Any

from hermes.cli.answer import add_json, with_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.cron"
ACTIONS = {
    "list": (_HERE, "the jobs there are"),
    "add": (_HERE, "a new job: when, and what the agent is to do"),
    "create": (_HERE, "the same as add"),
    "remove": (_HERE, "remove a job; its sessions stay"),
    "run": (_HERE, "run a job now, here"),
    "pause": (_HERE, "keep a job, but do not run it"),
    "resume": (_HERE, "run it again"),
}


def add_cron(command: Command) -> None:
    command.description = "Things the agent does by itself, on a schedule. They run while `hermes gateway` runs."
    command.examples(
        "hermes cron add 'weekdays at 8:30' 'What is on today?' --deliver telegram:12345",
        "hermes cron add 'every 30m' 'Look at the build.'",
        "hermes cron list",
    )
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes cron list", "hermes cron list --json")
    add_json(command)
    _handled(command, lambda cron, db, arguments: cron.listed(db))


def add_add(command: Command, name: str = "add") -> None:
    command.examples(
        f"hermes cron {name} 'daily at 9' 'Summarise the news.' --deliver telegram:12345",
        f"hermes cron {name} '*/15 9-17 * * 1-5' 'Look at the build.' --name build",
        f"hermes cron {name} 'every 10m' --script disk.sh --deliver telegram:12345",
    )
    command.add_argument(
        "schedule", metavar="SCHEDULE", help="every 30m, daily at 9, weekdays at 8:30, a cron expression"
    )
    command.add_argument("prompt", nargs="*", metavar="PROMPT", help="what the agent is to do")
    command.add_argument(
        "--deliver", default="", metavar="CHAT", help="who is told, such as telegram:12345, or telegram:-100123/5"
    )
    command.add_argument("--name", default="", help="a name for the job")
    command.add_argument(
        "--script",
        default="",
        metavar="FILE",
        help="run this file of scripts/ in the home; what it prints goes to the prompt, or is the answer itself",
    )
    add_json(command, "one JSON object")

    def make(cron: Any, db: Any, arguments: argparse.Namespace) -> Reply:
        from hermes.config import load

        words = " ".join(arguments.prompt)
        extras = cron.Extras(arguments.deliver, arguments.name, arguments.script)
        reply: Reply = cron.add(db, load(), arguments.schedule, words, extras)
        return reply

    _handled(command, make)


def add_create(command: Command) -> None:
    add_add(command, "create")


def add_remove(command: Command) -> None:
    command.examples("hermes cron remove a1b2c3")
    _add_job(command)
    _handled(command, lambda cron, db, arguments: cron.remove(db, arguments.job))


def add_run(command: Command) -> None:
    command.examples("hermes cron run a1b2c3", "hermes cron run build")
    _add_job(command)

    def now(cron: Any, db: Any, arguments: argparse.Namespace) -> Reply:
        from hermes.config import load

        reply: Reply = cron.run(db, load(), arguments.job)
        return reply

    _handled(command, now)


def add_pause(command: Command) -> None:
    command.examples("hermes cron pause build")
    _add_job(command)
    _handled(command, lambda cron, db, arguments: cron.pause(db, arguments.job, paused=True))


def add_resume(command: Command) -> None:
    command.examples("hermes cron resume build")
    _add_job(command)
    _handled(command, lambda cron, db, arguments: cron.pause(db, arguments.job, paused=False))


def _add_job(command: Command) -> None:
    command.add_argument("job", metavar="JOB", help="an id, the beginning of one, or a name")
    add_json(command, "one JSON object")


def _handled(command: Command, handler: Any) -> None:
    """The handlers come with the agent, which `--help` has no use for."""

    def run(db: Any, arguments: argparse.Namespace) -> Reply:
        from hermes.commands import cron

        reply: Reply = handler(cron, db, arguments)
        return reply

    with_store(command, run)
