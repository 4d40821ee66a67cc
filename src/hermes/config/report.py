"""What is told about a config file: with the line it is on, the name that was probably meant, and no secret in it."""

from collections.abc import Iterator

from hermes.config import document
from hermes.config.document import KeyPath
from hermes.config.foreign import is_foreign
from hermes.config.keys import unknown
from hermes.config.load import Findings
from hermes.config.resolve import Problem
from hermes.config.upgrades import Step
from hermes.model.secrets import redact


def problems(findings: Findings) -> list[Problem]:
    """In the order of the file; what is not about a line of it comes first."""
    found = [
        *findings.problems,
        *(Problem(path, unknown(path)) for path in findings.unknown if not is_foreign(path)),
        *_foreign(findings.unknown),
        *(_old(step) for step in findings.steps),
    ]
    lines = document.lines(findings.content.text)
    repeated = [(line, _twice(key)) for key, line in findings.content.repeated]
    located = [(_line(problem.path, lines), problem) for problem in found] + repeated
    return [_worded(line, problem) for line, problem in sorted(located, key=lambda pair: pair[0])]


def _line(path: KeyPath, lines: dict[KeyPath, int]) -> int:
    """The line of the key, or of the section it is in; 0 where there is none."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 0)


def _foreign(strangers: list[KeyPath]) -> Iterator[Problem]:
    names = [".".join(path) for path in strangers if is_foreign(path)]
    if names:
        count = "1 key is" if len(names) == 1 else f"{len(names)} keys are"
        text = f"{count} known to Hermes Agent and without effect here: {', '.join(names)}."
        yield Problem((), text, serious=False)


def _old(step: Step) -> Problem:
    text = f"{step.about} now ({step.name}). The old form works; `hermes config upgrade` rewrites it."
    return Problem((), text, serious=False)


def _twice(key: str) -> Problem:
    return Problem((), f"{key} stands there twice; the last one is in force.")


def _worded(line: int, problem: Problem) -> Problem:
    text = redact(problem.text)[0]
    return problem._replace(text=f"config.yaml line {line}: {text}" if line else text)
