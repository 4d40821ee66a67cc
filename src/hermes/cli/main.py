"""The entry point: parse, run, and turn every error into one line and an exit code."""

import atexit
import gc
import os
import sys
from collections.abc import Sequence

from hermes import __version__
from hermes.cli.chat.options import add_options
from hermes.cli.parsing import Command
from hermes.errors import HermesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import NoReturn

# name: (the module whose `add_<name>` adds the arguments, one line of help)
COMMANDS = {
    "chat": ("hermes.cli.chat", "talk with the agent; the same as hermes without a command"),
    "sessions": ("hermes.cli.sessions", "list, search and look after your sessions"),
    "batch": ("hermes.cli.batch", "ask many prompts from a file, some at once; stop and go on"),
    "gateway": ("hermes.cli.gateway", "serve the agent in chats and over an API: start, stop, who may talk"),
    "cron": ("hermes.cli.cron", "what the agent does by itself, on a schedule"),
    "insights": ("hermes.cli.insights", "what the last days looked like: tokens, cost, tools, habits"),
    "demo": ("hermes.cli.demo", "a throw-away home with made-up sessions, to try everything on"),
    "setup": ("hermes.cli.setup", "a short guided start"),
    "profile": ("hermes.cli.profiles", "homes of their own: list, create, delete"),
    "backup": ("hermes.cli.homes", "write this home to one archive"),
    "import": ("hermes.cli.homes", "take a home back from an archive"),
    "model": ("hermes.cli.model", "choose and test the model that answers"),
    "auth": ("hermes.cli.auth", "keys of model providers"),
    "fallback": ("hermes.cli.fallback", "models to go on with when the first fails"),
    "config": ("hermes.cli.config", "see and change settings"),
    "approvals": ("hermes.cli.approvals", "dangerous commands you allowed, and taking that back"),
    "tools": ("hermes.cli.tools", "which tools the agent has, and why one is missing"),
    "mcp": ("hermes.cli.mcp", "MCP servers whose tools the agent has"),
    "skills": ("hermes.cli.skills", "what the agent has learnt to do: list, make, check, install"),
    "curator": ("hermes.cli.curator", "which skills are used, and what could be merged or retired"),
    "plugins": ("hermes.cli.plugins", "what others add to Hermes: list, switch, install, make"),
    "memory": ("hermes.cli.memory", "what the agent has noted, and what stands beside its notes"),
    "status": ("hermes.cli.about", "where everything is, and how large"),
    "doctor": ("hermes.cli.about", "check this installation, and say what mends it"),
    "logs": ("hermes.cli.about", "show the log"),
    "completion": ("hermes.cli.about", "completion for bash, zsh or fish"),
    "version": ("hermes.cli.about", "show the version"),
}


def parser() -> Command:
    top = Command(prog="hermes", description="A personal AI agent that never forgets.")
    top.add_argument("--version", action="version", version=f"hermes {__version__}")
    top.add_argument("--profile", metavar="NAME", help="use the home of this profile")
    add_options(top)
    top.examples("hermes", 'hermes -c "my project"', 'hermes -z "What is a monad?"', "hermes sessions list")
    top.add_commands(COMMANDS, "COMMAND")
    top.set_defaults(run=_chat)
    return top


def _chat(arguments: "Namespace") -> int:
    """Without a command: a conversation."""
    from hermes.cli.chat import run

    return run(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    if arguments.profile is not None:
        from hermes import paths

        paths.use_profile(arguments.profile)
    return int(arguments.run(arguments) or 0)


def entry() -> None:
    """What the console script calls. No traceback reaches a user."""
    gc.set_threshold(100_000, 20, 20)  # thousands of objects are made while modules load, and none of them is garbage
    try:
        code = run()
    except SystemExit as left:  # --help, or a mistake in what was typed
        code = left.code if isinstance(left.code, int) else 0
    _leave(code)


def _leave(code: int) -> "NoReturn":
    """End without taking the interpreter apart, which is a tenth of the time a short command takes.

    What has to happen at an end still does: exit functions run, and both streams are flushed.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            pass  # nobody listens to it, or there is none
    os._exit(code)


def run(argv: Sequence[str] | None = None) -> int:
    """Run a command line; every error becomes one line on stderr and an exit code."""
    try:
        code = main(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except HermesError as error:
        _say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _leave_pipe()
        return 0
    except OSError as error:
        _leave_pipe()
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return 3
    except Exception as error:  # the top of the process: a bug is logged, and told in one line
        return _unexpected(error)


def _leave_pipe() -> None:
    """The reader left, or the output cannot be written: the interpreter must not try again at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected(error: Exception) -> int:
    import logging

    from hermes import log, paths

    log.set_up()
    logging.getLogger("hermes.cli").error("a command failed", exc_info=error)
    _say(f"this should not have happened ({type(error).__name__}: {error}); details are in {paths.logs_dir()}")
    return 3


def _say(message: str) -> None:
    from hermes.cli.screen import say

    say(message)
