"""A rule for each program that is known: what it would do with these arguments. One without a rule is asked about."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

Rule = Callable[["Judge", "Run"], None]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    def add(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


def is_known(name: str) -> bool:
    return rule_for(name) is not None


def rule_for(name: str) -> Rule | None:
    from hermes.tools.approvals.rules import files, git, interpreters, network, packages, system, texts, wrappers

    assert all((files, git, interpreters, network, packages, system, texts, wrappers))
    return RULES.get(name)


def options(arguments: Sequence[Any]) -> set[str]:
    """Every option: `-abc` as -a, -b, -c and -abc, `--long=x` as --long."""
    found: set[str] = set()
    for field in arguments:
        text = field.text
        if text == "--":
            break
        if text.startswith("--"):
            found.add(text.partition("=")[0])
        elif text.startswith("-") and len(text) > 1:
            found |= {text, *(f"-{letter}" for letter in text[1:])}
    return found


def apart(arguments: Sequence[Any], valued: str) -> list[Any]:
    """Short options one by one: `-sd x` as -s, -d, x and `-qO-` as -q, -O, -. `valued` are the letters that take a
    value."""
    found: list[Any] = []
    ended = False
    for field in arguments:
        text = field.text
        ended = ended or text == "--"
        if ended or not text.startswith("-") or text.startswith("--") or len(text) < 3:
            found.append(field)
            continue
        for place, letter in enumerate(text[1:], 1):
            found.append(field._replace(text=f"-{letter}"))
            if letter in valued:
                if text[place + 1 :]:
                    found.append(field._replace(text=text[place + 1 :]))
                break
    return found


def operands(arguments: Sequence[Any], valued: frozenset[str] = frozenset()) -> list[Any]:
    """Arguments that are no options; `valued` options take the argument behind them."""
    found, skip, ended = [], False, False
    for field in arguments:
        if skip:
            skip = False
        elif ended or not field.text.startswith("-") or field.text == "-":
            found.append(field)
        elif field.text == "--":
            ended = True
        elif field.text in valued:
            skip = True
    return found


def value_of(arguments: Sequence[Any], *names: str) -> Any:
    """The value of an option: `-o x`, `-ox`, `--out=x` or `--out x`; None: it is not given."""
    for place, field in enumerate(arguments):
        for name in names:
            if field.text == name:
                return arguments[place + 1] if place + 1 < len(arguments) else None
            if name.startswith("--") and field.text.startswith(name + "="):
                return field._replace(text=field.text.partition("=")[2])
            if len(name) == 2 and not field.text.startswith("--") and field.text.startswith(name):
                return field._replace(text=field.text[2:])
    return None


def unknown(arguments: Sequence[Any]) -> bool:
    """Whether an argument may be an option that cannot be told."""
    return any(not field.known and (field.several or field.text[0] not in "./=:+") for field in arguments if field.text)
