"""The command line: whole processes from start to exit. `python -m bench cli`."""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.corpus import Corpus
from bench.lines import Line, Target
from bench.programs import Program, WorkerFailed, reference
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage

ABOUT = "whole-process time of the commands"
NAMES = ("help", "list", "search", "insights", "many", "days")
SOURCE = Path(__file__).parents[1] / "src"
_HALF_AND_QUARTER = Target("times", 2.0, 4.0)
_SOUGHT = "config container"
# The reference has no command that searches; what it offers is its documented class.
_SEARCH = f"from hermes_state import SessionDB; print(SessionDB().search_messages({_SOUGHT!r}, limit=10))"
_SPAN = 1000  # days that the store with very many sessions covers
_DAYS = (30, 120, 480)


@dataclass(frozen=True)
class Size:
    sessions: int = 1000
    messages: int = 68_000
    rounds: int = 20
    many: int = 100_000


QUICK = Size(sessions=60, messages=4000, rounds=3, many=3000)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, NAMES)
    parser.add_argument("--many", type=int, help="sessions in the store with very many")


def run(options: argparse.Namespace) -> int:
    size = QUICK if options.quick else Size()
    given = {name: getattr(options, name) for name in ("sessions", "messages", "rounds", "many")}
    size = replace(size, **{name: value for name, value in given.items() if value is not None})
    with working_folder(options.folder) as folder:
        bench = CliBench(Stage(folder, Corpus(size.sessions, size.messages, options.seed)), size)
        wanted = options.only or (NAMES[:-1] if options.quick else NAMES)  # a few sessions a day tell nothing
        groups = {name: group for name, group in bench.groups().items() if name in wanted}
        measure(groups, size.rounds)
    heading = {"reference": VERSION, "seed": options.seed, "sessions": size.sessions, "messages": size.messages}
    return report(groups, [], {**heading, "rounds": size.rounds, "many": size.many}, options.json)


class CliBench:
    """Runs one command line of one program, once. Homes are made before the first is timed, and files are warm."""

    def __init__(self, stage: Stage, size: Size) -> None:
        self._stage = stage
        self._size = size
        self._homes: dict[tuple[str, str], Path] = {}

    def groups(self) -> dict[str, Group]:
        compared = {
            "help": ("hermes --help", ["--help"]),
            "list": ("hermes sessions list", ["sessions", "list"]),
            "search": ("hermes sessions search, two words", ["sessions", "search", _SOUGHT, "--limit", "10"]),
            "insights": (f"hermes insights, all {self._size.messages:,} messages", ["insights", "--days", "3650"]),
        }
        groups = {
            name: Group(partial(self.one, arguments), {"wall": Line(what, "ms", target=_HALF_AND_QUARTER)})
            for name, (what, arguments) in compared.items()
        }
        return {**groups, "many": Group(self.many, self._many_lines()), "days": Group(self.days, self._days_lines())}

    def _many_lines(self) -> dict[str, Line]:
        beside = f"{self._size.many:,} sessions beside {self._size.sessions:,}"
        bound = Target("most", 1.5, 1.1)
        return {
            "list": Line(f"hermes sessions list, {beside}", "x", target=bound, compared=False),
            "help": Line(f"hermes --help, {beside}", "x", target=bound, compared=False),
        }

    def _days_lines(self) -> dict[str, Line]:
        lines = {
            str(days): Line(f"hermes insights, {days} days of {self._size.many // _SPAN} sessions", "ms")
            for days in _DAYS
        }
        first, middle, last = _DAYS
        what = f"{last} days over {middle}, above {first}: {(last - first) / (middle - first):g} is linear"
        lines["linear"] = Line(what, "x", target=Target("most", 7.5, 5.5), compared=False)
        return lines

    def one(self, arguments: list[str], program: Program) -> Figures:
        return {"wall": self._run(program, self._home(program), arguments)}

    def many(self, program: Program) -> Figures:
        """Ours alone: how much slower with a hundred times as many."""
        if program.name != "ours":
            return {}
        lines = {"list": ["sessions", "list"], "help": ["--help"]}
        figures = {}
        for name, arguments in lines.items():
            large, small = [], []
            for _ in range(3):
                small.append(self._run(program, self._home(program), arguments))
                large.append(self._run(program, self._many(program), arguments))
            figures[name] = statistics.median(large) / statistics.median(small)
        return figures

    def days(self, program: Program) -> Figures:
        if program.name != "ours":
            return {}
        home = self._many(program)
        figures = {str(days): self._run(program, home, ["insights", "--days", str(days)]) for days in _DAYS}
        few, more, most = figures.values()
        return {**figures, "linear": (most - few) / max(more - few, 1e-4)}

    def _home(self, program: Program) -> Path:
        """The same file for both: what the reference stored. Ours upgrades its copy with the first command."""
        return self._made(program, "corpus", lambda: self._stage.filled(reference()))

    def _many(self, program: Program) -> Path:
        return self._made(
            program, "many", lambda: self._stage.of_five(program, self._size.many, self._size.many // _SPAN)
        )

    def _made(self, program: Program, name: str, make: Callable[[], Path]) -> Path:
        """The folder of a filled store, used as a home; the first command in it is not timed."""
        key = (program.name, name)
        if key not in self._homes:
            self._homes[key] = make().parent
            first = [["sessions", "list"]]
            if name == "corpus":  # only there the words are found
                first.append(["sessions", "search", _SOUGHT, "--limit", "10"])
            for arguments in first:
                self._run(program, self._homes[key], arguments)
        return self._homes[key]

    def _run(self, program: Program, home: Path, arguments: list[str]) -> float:
        command = [str(program.python.parent / "hermes"), *arguments]
        if program.name == "reference" and arguments[:2] == ["sessions", "search"]:
            command = [str(program.python), "-c", _SEARCH]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HERMES_"))}
        environment = {**kept, "HERMES_HOME": str(home), "HOME": str(home)}
        if program.name == "ours":
            environment["PYTHONPATH"] = str(SOURCE)  # this checkout, wherever the environment was installed from
        begun = time.perf_counter()
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        took = time.perf_counter() - begun
        if done.returncode != 0:
            print(done.stderr.decode("utf-8", "replace"), file=sys.stderr)
            raise WorkerFailed(f"{program.name}: hermes {' '.join(arguments)} ended with {done.returncode}")
        return took
