"""export and import."""

import argparse
import io
import sys
from pathlib import Path

from hermes.cli.answer import add_json, with_store
from hermes.cli.parsing import Command
from hermes.cli.screen import safe, write
from hermes.commands import transfer
from hermes.commands.formats import FORMATS
from hermes.commands.reply import Reply
from hermes.errors import BadInput
from hermes.store import SessionDB


def add_export(command: Command) -> None:
    command.description = (
        "Write sessions to a file, or with - to the output. Secrets are masked unless --include-secrets."
    )
    command.examples(
        "hermes sessions export backup.jsonl",
        "hermes sessions export telegram-history.jsonl --source telegram",
        "hermes sessions export session.jsonl --session-id 20250305_091523_a1b2c3d4",
        'hermes sessions export auth.html --session-id "refactoring auth" --lineage',
        "hermes sessions export - --format csv",
    )
    command.add_argument("output", metavar="FILE", help="where to; - is the output")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--source", help="only sessions of this platform")
    which.add_argument("--session-id", metavar="SESSION", help="one session: an id, the beginning of one, or a title")
    command.add_argument("--lineage", action="store_true", help="with --session-id: every part of its conversation")
    command.add_argument(
        "--format", choices=tuple(FORMATS), help="default: by the file's name (.json .md .html .csv), else jsonl"
    )
    command.add_argument("--include-secrets", action="store_true", help="do not mask keys, tokens and passwords")
    command.add_argument("--force", action="store_true", help="replace a file, or a link, that is there")
    with_store(command, _export, reads=True, label="Exporting")


def _export(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    if arguments.output == "-" and sys.stdout is None:
        raise BadInput("The output is closed; name a file to export to.")
    to_terminal = arguments.output == "-" and sys.stdout.isatty()
    target = Path(arguments.output) if arguments.output != "-" else _Terminal() if to_terminal else sys.stdout.buffer
    return transfer.export(
        db,
        target,
        transfer.What(arguments.source, arguments.session_id, arguments.lineage),
        format=arguments.format,
        include_secrets=arguments.include_secrets,
        force=arguments.force,
        progress=None if to_terminal else arguments.progress,
    )


class _Terminal(io.BytesIO):
    """The terminal as a file: what was exported is shown there, never obeyed."""

    def write(self, data: bytes) -> int:  # type: ignore[override]  # every piece is whole text
        write(sys.stdout, safe(data.decode()))
        return len(data)


def add_import(command: Command) -> None:
    command.description = (
        "Take in sessions from a JSONL export or from another Hermes state.db, which is only read. "
        "What is known already is left as it is."
    )
    command.examples(
        "hermes sessions import backup.jsonl",
        "hermes sessions import my-own-backup.jsonl --keep-owners",
        "hermes sessions import ~/old-laptop/.hermes/state.db",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a JSONL export, or a state.db of any version")
    command.add_argument(
        "--keep-owners",
        action="store_true",
        help="of a file you trust: whose sessions they were, and system messages, stay as they are",
    )
    add_json(command, "one JSON object")
    with_store(command, _import, label="Importing")


def _import(db: SessionDB, arguments: argparse.Namespace) -> Reply:
    return transfer.import_sessions(db, arguments.file, keep_owners=arguments.keep_owners, progress=arguments.progress)
