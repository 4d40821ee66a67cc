"""demo."""

import argparse
from pathlib import Path

from hermes.cli.answer import add_json, screen
from hermes.cli.parsing import Command


def add_demo(command: Command) -> None:
    command.description = (
        "Make a throw-away home with a few hundred made-up sessions, and say what to try on it. "
        "Your own home is not touched."
    )
    command.examples("hermes demo", "hermes demo ~/hermes-demo", "hermes demo --json")
    command.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="a new folder (default: a temporary one)"
    )
    add_json(command, "one JSON object")
    command.set_defaults(run=_demo)


def _demo(arguments: argparse.Namespace) -> int:
    """Without the log, which would lie in the user's own home."""
    from hermes.commands.demo import demo

    return screen(arguments).show(demo(arguments.folder))
