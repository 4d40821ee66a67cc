"""The reference of commands, made from the live parser: `python -m hermes.cli.reference` prints it."""

import argparse
from collections.abc import Iterator

from hermes.cli.main import parser
from hermes.cli.parsing import Command
from hermes.cli.tree import commands

_TOP = """# Commands

Made from the program itself (`python -m hermes.cli.reference`); a test fails when this page is stale.

Exit codes: 0 done, 1 not found, 2 a mistake in what was typed, 3 the store, 130 Ctrl-C. Errors are one line on stderr.
A SESSION is an id, the beginning of one that only one session has, or a title.
"""


def text() -> str:
    return _TOP + "".join(_section(command) for command in commands(parser()))


def _section(command: Command) -> str:
    lines = [f"\n## {command.prog}\n", f"{command.description}\n"]
    rows = list(_rows(command))
    if rows:
        lines += ["| argument | what it does |", "|---|---|", *rows, ""]
    if command.epilog:
        examples = command.epilog.split("\n", 1)[1].replace("\n  ", "\n").removeprefix("  ")
        lines.append(f"```bash\n{examples}\n```\n")
    return "\n".join(lines)


def _rows(command: Command) -> Iterator[str]:
    for name, child in command.children.items():
        yield f"| [`{name}`](#{child.prog.replace(' ', '-')}) | {_cell(child.description)} |"
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            continue
        yield f"| `{_form(action)}` | {_cell(action.help)} |"


def _form(action: argparse.Action) -> str:
    chosen = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    value = action.metavar or chosen
    if not action.option_strings:
        return f"[{value}]" if action.nargs in ("?", "*") else f"{value}..." if action.nargs == "+" else str(value)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {value}"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    print(text(), end="")
