"""The entry point: parse, run, and turn every error into one line and an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence

from hermes import __version__, log
from hermes.errors import HermesError


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="hermes", description="A personal AI agent that never forgets.")
    top.add_argument("--version", action="version", version=f"hermes {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    version = commands.add_parser("version", help="show the version")
    version.set_defaults(run="hermes.cli.about:version")
    sessions = commands.add_parser("sessions", help="list and look after your sessions")
    from hermes.cli import sessions as sessions_cli

    sessions_cli.add_arguments(sessions)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    top = parser()
    arguments = top.parse_args(argv)
    if not hasattr(arguments, "run"):
        top.print_help()
        return 0
    module, _, function = arguments.run.partition(":")
    handler = getattr(__import__(module, fromlist=[function]), function)
    return int(handler(arguments) or 0)


def entry() -> None:
    """What the console script calls. No traceback reaches a user."""
    log.set_up()
    try:
        code = main()
        sys.stdout.flush()
    except HermesError as error:
        print(f"hermes: {error}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # The reader left; point stdout elsewhere so that the interpreter does not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
