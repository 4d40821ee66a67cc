"""browse: a screen on a terminal, a numbered list anywhere else."""

import argparse

from hermes.cli import terminal
from hermes.cli.answer import add_json, open_store, screen
from hermes.cli.parsing import Command, number
from hermes.commands.browse import View, conversations


def add_browse(command: Command) -> None:
    command.description = (
        "Find, read and look after sessions on one screen; ? shows its keys. Without a terminal: a numbered list."
    )
    command.examples(
        "hermes sessions browse",
        "hermes sessions browse docker deployment",
        "hermes sessions browse --source telegram --after 7d",
        "hermes sessions browse --limit 5 | cat",
    )
    command.add_argument("query", nargs="*", metavar="QUERY", help="what to search for at the start")
    command.add_argument("--source", help="only this platform, such as cli or telegram")
    command.add_argument("--after", metavar="TIME", help="not before: 2025-03-01, 2025-03, yesterday, 7d")
    command.add_argument("--before", metavar="TIME", help="before: the same forms")
    command.add_argument("--tag", type=str.lower, help="only conversations with this tag")
    command.add_argument(
        "--limit", type=number(0), default=20, metavar="N", help="how long the numbered list is (default: 20)"
    )
    command.add_argument("--read-only", action="store_true", help="open the store without changing anything in it")
    add_json(command)
    command.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    view = View(" ".join(arguments.query), arguments.source, arguments.after, arguments.before, arguments.tag)
    with open_store(read_only=arguments.read_only, brief=False) as db:
        if arguments.json or not terminal.is_interactive():
            return screen(arguments).show(conversations(db, view, limit=arguments.limit))
        conversations(db, view, limit=1)  # what was typed wrong is said before the screen opens
        from hermes.cli.browse.app import browse

        chosen, code = browse(db, view)
    if chosen is None:
        return code
    from hermes.cli.browse.resume import resume

    return resume(chosen)  # with the store closed: a chat opens its own
