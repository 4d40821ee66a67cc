from pathlib import Path

from hermes.cli.main import parser
from hermes.cli.reference import text
from hermes.cli.tree import commands

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "commands.md"


def test_the_reference_is_what_the_program_says() -> None:
    assert PAGE.read_text() == text(), "stale: python -m hermes.cli.reference > docs/reference/commands.md"


def test_every_command_and_option_is_in_it() -> None:
    page = PAGE.read_text()
    for command in commands(parser()):
        assert f"\n## {command.prog}\n" in page
        section = page.split(f"\n## {command.prog}\n")[1].split("\n## ")[0]
        for action in command._actions:
            assert all(name in section for name in action.option_strings if name not in ("-h", "--help"))
