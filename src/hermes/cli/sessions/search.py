"""search and recall."""

import argparse

from hermes.cli.answer import add_json, with_store
from hermes.cli.parsing import Command, number
from hermes.commands import search
from hermes.commands.reply import Reply
from hermes.store import SessionDB


def add_search(command: Command) -> None:
    command.examples(
        "hermes sessions search docker deployment",
        "hermes sessions search '\"exact phrase\"' --source telegram",
        "hermes sessions search 'docker OR kubernetes' --role user --after 2025-03-01",
        "hermes sessions search 'deploy*' --newest --limit 50 --json",
        "hermes sessions search -- -foo",
    )
    command.add_argument("query", nargs="+", metavar="QUERY", help='words, "a phrase", OR, NOT, prefix*, (groups)')
    _add_where(command)
    command.add_argument("--session", help="only in this conversation (an id, the beginning of one, or a title)")
    order = command.add_mutually_exclusive_group()
    order.add_argument("--newest", action="store_true", help="the newest first")
    order.add_argument("--oldest", action="store_true", help="the oldest first")
    command.add_argument("--limit", type=number(0), default=20, metavar="N", help="how many messages (default: 20)")
    add_json(command)
    with_store(command, _search, reads=True)


def _add_where(command: Command) -> None:
    command.add_argument("--source", help="only this platform, such as cli or telegram")
    command.add_argument("--role", choices=("user", "assistant", "tool", "system"), help="only what this role said")
    command.add_argument("--after", metavar="TIME", help="not before: 2025-03-01, 2025-03, yesterday, 7d")
    command.add_argument("--before", metavar="TIME", help="before: the same forms")
    command.add_argument("--tag", type=str.lower, help="only conversations with this tag")


def _where(arguments: argparse.Namespace, session: str | None = None) -> search.Where:
    return search.Where(
        arguments.source, arguments.role, arguments.after, arguments.before, session=session, tag=arguments.tag
    )


def _search(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    order: search.Order = "newest" if arguments.newest else "oldest" if arguments.oldest else "relevance"
    where = _where(arguments, arguments.session)
    return search.search(db, " ".join(arguments.query), where, order=order, limit=arguments.limit)


def add_recall(command: Command) -> None:
    command.examples(
        'hermes sessions recall "where did we deploy the billing service?"',
        'hermes sessions recall "what was the bug last March" --explain',
        "hermes sessions recall weather in Las Vegas --limit 3 --json",
    )
    command.add_argument("question", nargs="+", metavar="QUESTION", help="a question in plain words")
    _add_where(command)
    command.add_argument("--limit", type=number(0), default=5, metavar="N", help="how many conversations (default: 5)")
    command.add_argument("--explain", action="store_true", help="say why each was found")
    add_json(command)
    with_store(command, _recall, reads=True)


def _recall(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    question = " ".join(arguments.question)
    return search.recall(db, question, _where(arguments), limit=arguments.limit, explain=arguments.explain)
