"""What a command is made of."""

from collections.abc import Sequence
from typing import NamedTuple


class NotUnderstood(Exception):
    """What a command would do cannot be told; the message says why."""


class Text(NamedTuple):
    """Characters as they are. `bare`: not quoted, so that patterns and braces in it count."""

    text: str
    bare: bool = False


class Variable(NamedTuple):
    """`$name` or `${name}`; with an operation (`${name:-…}`) `inside` are the words of that."""

    name: str
    bare: bool
    operation: bool = False
    inside: "Word" = ()


class Output(NamedTuple):
    """`$(…)` or backticks: what a script writes. `bare` as for Text."""

    script: "Script"
    bare: bool


class Stream(NamedTuple):
    """`<(…)` or `>(…)`: a script as a file."""

    script: "Script"


class Number(NamedTuple):
    """`$((…))`"""


Part = Text | Variable | Output | Stream | Number
Word = Sequence[Part]


class Redirect(NamedTuple):
    """`operator` as it is written; of a here-document or a here-string `target` is its content."""

    operator: str
    target: Word


class Simple(NamedTuple):
    """Assignments, words and redirections of one command."""

    assigned: Sequence[tuple[str, Word]]
    words: Sequence[Word]
    redirects: Sequence[Redirect]


class Pipeline(NamedTuple):
    """Commands that read what the one before writes."""

    commands: "Sequence[Node]"


class Group(NamedTuple):
    """A compound command: everything that may run in it, the words it looks at, its redirections. `sets` are variables
    that it gives values no one knows."""

    body: "Script"
    words: Sequence[Word] = ()
    redirects: Sequence[Redirect] = ()
    sets: Sequence[str] = ()


class Function(NamedTuple):
    name: str
    body: "Script"


Node = Simple | Pipeline | Group | Function
Script = Sequence[Node]
