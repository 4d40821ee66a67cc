"""list, show, lineage, stats."""

import argparse

from hermes.cli.answer import add_json, add_session, with_store
from hermes.cli.parsing import Command, number
from hermes.commands import lists
from hermes.commands.lists import Shelf
from hermes.commands.reply import Reply
from hermes.store import SessionDB


def add_list(command: Command) -> None:
    command.examples(
        "hermes sessions list",
        "hermes sessions list --source telegram --limit 50",
        "hermes sessions list --tag work --json",
    )
    command.add_argument("--source", help="only sessions of this platform, such as telegram; cron shows those of jobs")
    command.add_argument("--limit", type=number(0), default=20, metavar="N", help="how many (default: 20)")
    command.add_argument("--tag", type=str.lower, help="only sessions with this tag")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--archived", action="store_true", help="what was archived")
    which.add_argument("--trash", action="store_true", help="what is in the trash")
    which.add_argument("--all", action="store_true", help="every part and every delegated session as a row of its own")
    add_json(command)
    with_store(command, _list, reads=True)


def _list(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    shelf: Shelf = "conversations"
    if arguments.archived:
        shelf = "archived"
    elif arguments.trash:
        shelf = "trash"
    elif arguments.all:
        shelf = "all"
    return lists.recent(db, source=arguments.source, limit=arguments.limit, shelf=shelf, tag=arguments.tag)


def add_show(command: Command) -> None:
    command.examples(
        "hermes sessions show 20250305_091523_a1b2c3d4",
        'hermes sessions show "refactoring auth" --last 10',
        "hermes sessions show 20250305 --full",
    )
    add_session(command)
    command.add_argument("--part", action="store_true", help="this session alone, not the whole conversation")
    command.add_argument("--last", type=number(1), metavar="N", help="only the last N messages")
    command.add_argument("--full", action="store_true", help="tool calls, results, reasoning and prompts in full")
    add_json(command, "the sessions, then the messages, one JSON object a line")
    with_store(command, _show, reads=True)


def _show(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    from hermes.commands.transcript import show

    return show(db, arguments.session, part=arguments.part, last=arguments.last, full=arguments.full)


def add_lineage(command: Command) -> None:
    command.examples("hermes sessions lineage 20250305_091523_a1b2c3d4", 'hermes sessions lineage "my project"')
    add_session(command)
    add_json(command)
    with_store(command, _lineage, reads=True)


def _lineage(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    from hermes.commands.transcript import lineage

    return lineage(db, arguments.session)


def add_stats(command: Command) -> None:
    command.examples("hermes sessions stats", "hermes sessions stats --json")
    add_json(command, "one JSON object")
    with_store(command, lambda db, _: lists.stats(db), reads=True)
