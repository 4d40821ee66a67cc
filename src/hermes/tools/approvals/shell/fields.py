"""From words to fields: what a program would be given, where that can be told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hermes.tools.approvals.shell.tree import Text, Variable, Word

UNKNOWN = "\ufffc"  # stands for what cannot be told
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_FIELDS = 200
_BY_THE_SHELL = re.compile(
    r"_|BASH\w*|COMP_\w+|DIRSTACK|E?UID|EPOCH\w+|FUNCNAME|GROUPS|HIST\w+|HOST\w+|LINENO|MACHTYPE|OLDPWD|OPT\w+|OSTYPE|"
    r"PIPESTATUS|PPID|PS\d|PATH|RANDOM|SRANDOM|READLINE_\w+|REPLY|SECONDS|SHELL\w*|SHLVL|TERM|COLUMNS|LINES|MAPFILE|COPROC"
)


class Field(NamedTuple):
    """One argument. `text` has UNKNOWN where it cannot be told; `pattern`: it may stand for several files; `several`:
    it may be any number of arguments."""

    text: str
    pattern: bool = False
    several: bool = False

    @property
    def known(self) -> bool:
        return UNKNOWN not in self.text


@dataclass(slots=True)
class Scope:
    """What is known while a script is read: variables (None: not known), and the folders it may be in."""

    variables: dict[str, str | None]
    folders: list[Path]
    functions: set[str] = field(default_factory=set)
    anywhere: bool = False  # it may be in a folder that is not known

    def value(self, name: str) -> str | None:
        """A variable's value; one that nobody set is empty, one that the shell itself sets is not known."""
        if name == "IFS":
            return " \t\n"
        return self.variables.get(name, None if not name.isidentifier() or _BY_THE_SHELL.fullmatch(name) else "")


def scope_of(variables: Mapping[str, str], folder: Path) -> Scope:
    known: dict[str, str | None] = {name: value for name, value in variables.items() if name != "_"}
    return Scope({**known, "PWD": str(folder)}, [folder])


def fields(word: Word, scope: Scope) -> list[Field]:
    """The fields a word becomes."""
    if all(isinstance(part, Text) and part.bare for part in word):
        braced = _braced(word)
        if braced:
            return [_field(text, scope) for text in braced]
    elif any(isinstance(part, Text) and part.bare and "{" in part.text for part in word):
        return [Field(UNKNOWN, several=True)]  # braces around what has yet to be expanded, or among quotes
    if _has_lone_dollar(word) and any(isinstance(part, Variable) for part in word):
        return [Field(UNKNOWN, several=True)]  # bash splits such a word in ways of its own
    made = [Field("")]
    solid = set[int]()  # places of fields that are there even when they are empty
    for place, part in enumerate(word):
        if isinstance(part, Text):
            made[-1] = _with_text(made[-1], part, scope, first=place == 0, only=len(word) == 1)
        elif isinstance(part, Variable) and not part.operation and scope.value(part.name) is not None:
            _expand(made, scope.value(part.name) or "", bare=part.bare)
            if part.bare:
                continue
        else:
            several = made[-1].several or getattr(part, "bare", False)
            made[-1] = Field(made[-1].text + UNKNOWN, made[-1].pattern, several)
        solid.add(len(made) - 1)
    return [field for place, field in enumerate(made) if field.text or place in solid]


def _has_lone_dollar(word: Word) -> bool:
    return any(isinstance(part, Text) and part.bare and "$" in part.text for part in word)


def _with_text(so_far: Field, part: Text, scope: Scope, *, first: bool, only: bool) -> Field:
    text = part.text
    if part.bare and first and text.startswith("~"):
        text = _home(text, scope) if only or "/" in text else UNKNOWN
    if part.bare and re.search("[=:]~", text):
        text = UNKNOWN  # a home folder behind a name
    pattern = part.bare and any(char in part.text for char in "*?[")
    return Field(so_far.text + text, so_far.pattern or pattern, so_far.several or pattern)


def _home(text: str, scope: Scope) -> str:
    name, slash, rest = text.partition("/")
    home = scope.value("HOME") if name == "~" else None
    return (home or UNKNOWN) + slash + rest


def _expand(made: list[Field], value: str, *, bare: bool) -> None:
    """A known value; unquoted it is split at blanks, and patterns in it count."""
    if not bare:
        made[-1] = made[-1]._replace(text=made[-1].text + value)
        return
    first, *others = re.split(r"[ \t\n]+", value)
    pattern = any(char in value for char in "*?[")
    made[-1] = Field(made[-1].text + first, made[-1].pattern or pattern, made[-1].several or pattern)
    made.extend(Field(piece, pattern, pattern) for piece in others[:_MOST_FIELDS])


def _field(text: str, scope: Scope) -> Field:
    text = _home(text, scope) if text.startswith("~") else text
    pattern = any(char in text for char in "*?[")
    return Field(text, pattern, pattern)


def _braced(word: Word) -> list[str]:
    """`a{b,c}` as `ab`, `ac`; empty: there is nothing to expand."""
    text = "".join(part.text for part in word if isinstance(part, Text))
    if re.search(r"\{[^{}]*\.\.[^{}]*\}", text):
        return [UNKNOWN]
    if not _BRACES.search(text):
        return []
    found = [text]
    while len(found) <= _MOST_FIELDS:
        grown = [piece for one in found for piece in _once(one)]
        if grown == found:
            return found
        found = grown
    return [UNKNOWN]


def _once(text: str) -> list[str]:
    match = _BRACES.search(text)
    if match is None:
        return [text]
    return [text[: match.start()] + choice + text[match.end() :] for choice in match[1].split(",")]
