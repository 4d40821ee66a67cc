"""Commands as a tree that is read only where somebody goes.

A table names each command, the module that knows it, and one line of help. The module is imported, and its
arguments are added, when the command is asked for: `hermes sessions list` never pays for the other forty.
"""

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module

from hermes.cli import terminal

TYPE_CHECKING = False  # `typing` itself takes longer to load than all of this
if TYPE_CHECKING:
    from typing import Any, NoReturn

Table = Mapping[str, tuple[str, str]]


_EXAMPLES = "examples:\n"


class _Help(argparse.HelpFormatter):
    """Wraps everything but the examples, which are to be copied."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal.size()[0] - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(_EXAMPLES) else super()._fill_text(text, width, indent)


class Command(argparse.ArgumentParser):
    """One command. `fill` adds its arguments at first use."""

    def __init__(self, *args: "Any", fill: "Callable[[Command], None] | None" = None, **options: "Any") -> None:
        options = {"formatter_class": _Help, "allow_abbrev": False, **options}
        super().__init__(*args, **options)
        self._fill = fill
        self.children: dict[str, Command] = {}

    def load(self) -> "Command":
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self)
        return self

    def add_commands(self, table: Table, metavar: str) -> None:
        """Subcommands by name: (module, help). The module's `add_<name>` adds the arguments."""
        group = self.add_subparsers(metavar=metavar, title="commands")
        for name, (module, summary) in table.items():
            self.children[name] = group.add_parser(
                name, help=summary, description=summary[:1].upper() + summary[1:] + ".", fill=_loader(module, name)
            )
        self.set_defaults(run=self._explain)

    def _explain(self, _arguments: argparse.Namespace) -> int:
        """A command that only leads to others says which."""
        self.print_help()
        return 0

    def examples(self, *lines: str) -> None:
        """Shown under the help of this command, and run by a test."""
        self.epilog = _EXAMPLES + "\n".join(f"  {line}" for line in lines)

    def parse_known_args(self, *args: "Any", **options: "Any") -> "Any":
        self.load()
        namespace, unknown = super().parse_known_args(*args, **options)
        if unknown and not self.children:  # here, so that the error names the command that was typed
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def _check_value(self, action: argparse.Action, value: "Any") -> None:
        """A mistyped command gets one line with the nearest name, not the list of them all."""
        if not isinstance(action, argparse._SubParsersAction) or value in action.choices:
            super()._check_value(action, value)
            return
        from difflib import get_close_matches

        near = get_close_matches(value, list(action.choices), 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        raise argparse.ArgumentError(None, f"no command '{value}'{meant}")

    def error(self, message: str) -> "NoReturn":
        from hermes.cli.screen import say

        say(f"{message} (see `{self.prog} --help`)")
        self.exit(2)


def number(least: int, most: int = 1_000_000, *, whole: bool = True) -> "Callable[[str], float]":
    """What an option takes; a mistake is told with the option as it was typed."""

    def read(typed: str) -> float:
        try:
            value = int(typed) if whole else float(typed)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            kind = "whole number" if whole else "number"
            raise argparse.ArgumentTypeError(f"has to be a {kind} from {least} to {most:,}")
        return value

    return read


def _loader(module: str, name: str) -> Callable[[Command], None]:
    def load(command: Command) -> None:
        getattr(import_module(module), "add_" + name.replace("-", "_"))(command)

    return load
