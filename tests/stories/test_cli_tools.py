"""`hermes tools`: which tools there are, why one is missing, and switching them for a platform."""

import json
from pathlib import Path

import pytest

from hermes.agent.toolbox import chosen
from hermes.config import load
from hermes.tools.toolsets import resolve
from tests.unit.cli.program import Hermes, refused


def sets(hermes: Hermes, *arguments: str) -> dict[str, bool]:
    lines = hermes("tools", "list", "--json", *arguments).lines
    return {row["toolset"]: row["enabled"] for row in map(json.loads, lines)}


def test_a_toolset_is_taken_from_one_platform_alone(hermes: Hermes) -> None:
    assert sets(hermes)["browser"]
    done = hermes("tools", "disable", "browser", "--platform", "telegram")
    assert done.out == "telegram no longer has browser (from the next conversation).\n"
    assert not sets(hermes, "--platform", "telegram")["browser"]
    assert sets(hermes)["browser"]
    hermes("tools", "enable", "browser", "--platform", "telegram")
    assert sets(hermes, "--platform", "telegram")["browser"]


def test_a_single_tool_can_be_taken_out_and_given_back(hermes: Hermes) -> None:
    hermes("tools", "disable", "write_file")
    assert "write_file" not in resolve(chosen(load()))
    assert "read_file" in resolve(chosen(load()))
    assert "off: hermes tools enable write_file" in hermes("tools", "show", "file").out
    hermes("tools", "enable", "write_file")
    assert "write_file" in resolve(chosen(load()))


def test_the_command_line_goes_before_the_platforms_own_sets(hermes: Hermes) -> None:
    hermes("tools", "disable", "web")
    assert chosen(load({"toolsets": ["web"]})) == ["web"]


def test_what_is_barred_everywhere_stays_out(hermes: Hermes, hermes_home: Path) -> None:
    hermes("config", "set", "agent.disabled_toolsets", "[terminal]")
    assert "terminal" not in resolve(chosen(load()))
    line = refused(hermes("tools", "enable", "terminal"), 2)
    assert "agent.disabled_toolsets" in line


def test_a_missing_tool_is_listed_with_the_reason(hermes: Hermes) -> None:
    assert "missing: no platform is set up for the gateway" in hermes("tools", "show", "messaging").out
    hermes("config", "set", "TELEGRAM_BOT_TOKEN", "4242:abc")
    assert "missing" not in hermes("tools", "show", "messaging").out + hermes("tools", "show", "cronjob").out
    assert "missing: not part of this Hermes yet" in hermes("tools", "show", "computer_use").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "termnal"), "did you mean 'terminal'"),
        (("disable", "nothing-like-it"), "`hermes tools list` shows them"),
        (("list", "--platform", "fax"), "There is no platform 'fax'"),
    ],
)
def test_a_name_that_is_not_there_is_one_clear_line(hermes: Hermes, arguments: tuple[str, ...], told: str) -> None:
    assert told in refused(hermes("tools", *arguments), 2)


def test_the_same_is_said_of_the_command_line_without_a_model(hermes: Hermes) -> None:
    assert "did you mean 'terminal'" in refused(hermes("-t", "web,termnal", "-z", "hi"), 2)
    assert "no toolset 'mcp-nobody'" in refused(hermes("-t", "mcp-nobody", "-z", "hi"), 2)
    assert hermes("sessions", "list").out == "No sessions yet.\n"
