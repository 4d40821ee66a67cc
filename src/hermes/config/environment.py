"""Variables: the process's own, and behind them those of `.env` in the home, which is where secrets are kept.

What `.env` says is handed on as a mapping and never put into the process's environment, where every program Hermes
starts would see it.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_LINE = r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)"
_QUOTED = r"""'([^']*)'|"((?:[^"\\]|\\.)*)\""""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Environment(Mapping[str, str]):
    """The variables of the process over those of `.env`. `problems` are the lines of `.env` that make no sense."""

    def __init__(self, process: Mapping[str, str], dotenv: Mapping[str, str], problems: list[str]) -> None:
        self._process = process
        self._dotenv = dotenv
        self.problems = problems

    def __getitem__(self, name: str) -> str:
        return self._process[name] if name in self._process else self._dotenv[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._process
        yield from (name for name in self._dotenv if name not in self._process)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Environment({len(self._process)} of the process, {len(self._dotenv)} of .env)"

    def is_from_dotenv(self, name: str) -> bool:
        return name not in self._process and name in self._dotenv


def of_process() -> Mapping[str, str]:
    """The process's own variables alone, as programs that are started inherit them."""
    return os.environ


def read(dotenv: Path, process: Mapping[str, str] | None = None) -> Environment:
    """Both together. A `.env` that is not there is empty; one that cannot be read is a problem, not a failure."""
    variables: dict[str, str] = {}
    problems: list[str] = []
    try:
        if dotenv.exists():
            variables, problems = parse(dotenv.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        problems = [f".env cannot be read ({getattr(error, 'strerror', None) or 'it is not UTF-8 text'})."]
    return Environment(os.environ if process is None else process, variables, problems)


def parse(text: str) -> tuple[dict[str, str], list[str]]:
    """The variables of a `.env` file, and a line about each line that is not `NAME=value`. No value is repeated."""
    variables: dict[str, str] = {}
    problems = []
    for number, raw in enumerate(_lines(text), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(_LINE, line)
        if match is None:
            problems.append(f".env line {number}: not of the form NAME=value; ignored.")
        else:
            variables[match[1]] = _value(match[2])
    return variables, problems


def _value(written: str) -> str:
    """Quotes keep everything; without them a ` #` begins a comment."""
    quoted = re.match(_QUOTED, written)
    if quoted is None:
        return re.split(r"\s#", written, maxsplit=1)[0].strip() if not written.startswith("#") else ""
    if quoted[1] is not None:
        return quoted[1]
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted[2])


def with_variable(text: str, name: str, value: str | None) -> str:
    """The text of a `.env` file with one variable set, or without it when `value` is None; other lines stay."""
    lines = _lines(text)
    kept = [line for line in lines if not _is_line_of(line, name)]
    first = next((at for at, line in enumerate(lines) if _is_line_of(line, name)), len(kept))
    if value is not None:
        kept.insert(first, f"{name}={_written(value)}")
    return "".join(line + "\n" for line in kept)


def _lines(text: str) -> list[str]:
    """Only a newline ends a line; `str.splitlines` knows ten more characters that do."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _is_line_of(line: str, name: str) -> bool:
    match = re.fullmatch(_LINE, line.strip())
    return match is not None and match[1] == name


def _written(value: str) -> str:
    if re.fullmatch(r"[\w.,:/@%+=~-]+", value):
        return value
    for plain, letter in (("\\", "\\"), ('"', '"'), ("\n", "n"), ("\t", "t"), ("\r", "r")):
        value = value.replace(plain, "\\" + letter)
    return f'"{value}"'


def has_editor() -> bool:
    """Whether the person named one."""
    return bool(os.environ.get("VISUAL") or os.environ.get("EDITOR"))


def editor() -> list[str]:
    """The command a person edits text with."""
    import shlex

    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        return shlex.split(named) or ["vi"]
    except ValueError:  # unbalanced quotes
        return [named]
