"""The tree of commands: lazy, helpful, and short about mistakes."""

import subprocess
import sys

import pytest

from hermes.cli.main import parser
from hermes.cli.tree import commands
from tests.unit.cli.program import Hermes, refused

COMMANDS = [command.prog for command in commands(parser())]


@pytest.mark.parametrize("prog", COMMANDS)
def test_every_command_has_help_with_examples(prog: str, hermes: Hermes) -> None:
    done = hermes(*prog.split()[1:], "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: {prog}")
    assert f"examples:\n  {prog}" in done.out or prog in ("hermes", "hermes completion")
    assert "examples:\n" in done.out


def test_a_command_that_only_leads_to_others_shows_them(hermes: Hermes) -> None:
    assert hermes("sessions").out == hermes("sessions", "--help").out
    assert "nothing to answer" in refused(hermes(), 2)  # without a command it is a chat


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["sesions"], "no command 'sesions'; did you mean 'sessions'? (see `hermes --help`)"),
        (["sessions", "lits"], "no command 'lits'; did you mean 'list'? (see `hermes sessions --help`)"),
        (["sessions", "xyzzy"], "no command 'xyzzy' (see `hermes sessions --help`)"),
        (["sessions", "list", "--lim", "3"], "unrecognized arguments: --lim 3 (see `hermes sessions list --help`)"),
        (["sessions", "list", "--limit", "x"], "argument --limit: has to be a whole number from 0 to 1,000,000"),
        (["sessions", "search", "x", "--limit", "-1"], "argument --limit: has to be a whole number from 0"),
        (["sessions", "prune", "--older-than", "9" * 30], "argument --older-than: has to be a number from 0 to 1,000,"),
        (["sessions", "prune", "--older-than", "nan"], "argument --older-than: has to be a number from 0 to 1,000,000"),
        (["logs", "-n", "9" * 30], "argument --lines/-n: has to be a whole number from 0 to 1,000,000"),
        (["sessions", "delete"], "the following arguments are required: SESSION"),
    ],
)
def test_a_mistake_gets_one_line_that_names_the_command(typed: list[str], told: str, hermes: Hermes) -> None:
    assert told in refused(hermes(*typed), 2)


def imported_by(*arguments: str) -> set[str]:
    """The modules a command line loads."""
    code = "import sys; from hermes.cli.main import run\ntry: run(sys.argv[1:])\nexcept SystemExit: pass\n"
    done = subprocess.run(
        [sys.executable, "-c", code + "print('\\n'.join(sys.modules), file=sys.stderr)", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.splitlines())


def test_help_loads_neither_the_store_nor_any_command() -> None:
    loaded = imported_by("--help")
    assert "hermes.cli.main" in loaded
    assert not {"apsw", "hermes.store", "hermes.cli.sessions", "hermes.commands.reply", "logging"} & loaded


def test_a_list_loads_nothing_that_only_other_commands_need() -> None:
    loaded = imported_by("sessions", "list")
    assert "hermes.commands.lists" in loaded
    others = {"hermes.cli.config", "hermes.cli.sessions.care", "hermes.commands.formats", "hermes.cli.pager"}
    heavy = {"rich", "yaml", "asyncio", "difflib", "subprocess", "hermes.model.secrets", "snowballstemmer"}
    assert not (others | heavy) & loaded


@pytest.mark.parametrize(
    ("before", "code", "advice"),
    [
        (["sessions", "show"], 1, "`hermes sessions list` shows what there is."),
        (["sessions"], 2, "(see `hermes sessions --help`)"),
        (["sessions", "list"], 2, "(see `hermes sessions list --help`)"),
        (["config", "get"], 1, "`hermes config show` lists all there are."),
    ],
)
def test_a_very_long_argument_is_not_repeated_whole(before: list[str], code: int, advice: str, hermes: Hermes) -> None:
    line = refused(hermes(*before, "\x1b[31m" + "word " * 20_000), code)
    assert len(line) < 1100
    assert line.endswith(advice)
    assert "\x1b" not in line
