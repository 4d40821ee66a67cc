"""The whole tree of commands, for what is made from it: shell completion and the reference."""

import argparse
from collections.abc import Iterator

from hermes.cli.parsing import Command


def commands(top: Command) -> Iterator[Command]:
    """Every command, parents first, each with its arguments."""
    top.load()
    yield top
    for child in top.children.values():
        yield from commands(child)


def options(command: Command) -> list[str]:
    """`--yes`, `-y`, … of one command."""
    return [name for action in command._actions for name in action.option_strings]


def choices(command: Command) -> list[str]:
    """The fixed words a positional argument can be."""
    return [
        str(choice)
        for action in command._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
        for choice in action.choices or ()
    ]
