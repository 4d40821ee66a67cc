"""The options of a chat, which `hermes` and `hermes chat` share. Imports nothing: every command passes here."""

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hermes.cli.parsing import Command


def add_options(command: "Command", *, again: bool = False) -> None:
    """`again`: the command above has them too, and what was given there stays unless it is given here."""
    default = argparse.SUPPRESS if again else None
    given = command.add_argument_group("chat")

    def add(*names: str, **options: object) -> None:
        given.add_argument(*names, default=default, **options)  # type: ignore[arg-type]

    add("-q", "--query", metavar="TEXT", help="ask this, show the answer, and leave")
    add("-z", "--oneshot", metavar="TEXT", help="ask this and print the answer alone, for scripts")
    add("-c", "--continue", dest="resume", nargs="*", metavar="NAME", help="go on with the newest session, or this one")
    add("-r", "--resume", dest="resume", nargs="+", metavar="SESSION", help="go on with this session: an id or a title")
    add("-m", "--model", metavar="MODEL", help="the model to answer, this time")
    add("--provider", metavar="NAME", help="who serves it, this time")
    add("-t", "--toolsets", metavar="NAMES", help="the toolsets to offer, separated by commas")
    add("-s", "--skills", metavar="NAMES", help="skills that the first message begins with, separated by commas")
    add("--yolo", action="store_true", help="run dangerous commands without asking")
    add("--image", metavar="FILE", action="append", help="a picture that goes with the first message")
