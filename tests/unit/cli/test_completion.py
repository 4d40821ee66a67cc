"""Completion scripts, used by the shells that are there."""

import subprocess

import pytest

from hermes.cli.completion import script
from hermes.cli.main import parser
from tests.unit.cli.program import Hermes

_ASK = """
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hermes; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(words: str) -> list[str]:
    """What bash offers for a line; `''` at its end is an empty word."""
    text = script("bash", parser()) + _ASK.format(words=words)
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=30, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_actions_options_and_choices() -> None:
    assert completed("hermes ses") == ["sessions"]
    assert completed("hermes sessions re") == ["recall", "rename", "restore", "restore-backup", "repair"]
    assert completed("hermes sessions list --s") == ["--source"]
    assert completed("hermes sessions trash e") == ["empty"]
    assert completed("hermes completion ''")[:3] == ["bash", "zsh", "fish"]
    assert completed("hermes sessions export list --f") == ["--format", "--force"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_every_action(shell: str, hermes: Hermes) -> None:
    done = hermes("completion", shell)
    assert (done.code, done.err) == (0, "")
    for word in ("sessions", "undo-upgrade", "recall", "older-than"):
        assert word in done.out


def test_an_unknown_shell_is_refused(hermes: Hermes) -> None:
    assert hermes("completion", "tcsh").code == 2
