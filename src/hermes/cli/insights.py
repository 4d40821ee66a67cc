"""insights."""

import argparse
from pathlib import Path

from hermes.cli.answer import add_json, with_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply
from hermes.store import SessionDB


def add_insights(command: Command) -> None:
    command.examples(
        "hermes insights",
        "hermes insights --days 7 --source telegram",
        "hermes insights --days 365 --html year.html",
        "hermes insights --json",
    )
    command.add_argument("--days", type=int, default=30, metavar="N", help="how many, today among them (default: 30)")
    command.add_argument("--source", help="only this platform, such as cli or telegram")
    command.add_argument("--html", type=Path, metavar="FILE", help="write charts to this file, for the browser")
    command.add_argument("--force", action="store_true", help="with --html: replace a file that is there")
    add_json(command, "one JSON object")
    with_store(command, _insights, reads=True)


def _insights(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    from hermes.commands.insights import insights

    return insights(db, days=arguments.days, source=arguments.source, page=arguments.html, force=arguments.force)
