"""What every subject shares: the options, the alternating rounds, and the report at the end."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.lines import MISSED, Line, table
from bench.programs import Program, ours, reference
from bench.reference import cache_folder

Figures = dict[str, float]


@dataclass(frozen=True)
class Group:
    """Lines that are measured together; `measure` does it once for one program and names its figures as the lines."""

    measure: Callable[[Program], Figures]
    lines: dict[str, Line]
    once: bool = False  # the same in every round, so the first one is enough


def add_options(parser: argparse.ArgumentParser, groups: tuple[str, ...]) -> None:
    parser.add_argument("--sessions", type=int, help="sessions in the corpus")
    parser.add_argument("--messages", type=int, help="messages in the corpus")
    parser.add_argument("--rounds", type=int, help="how often each line is measured; the median is printed")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes another corpus")
    parser.add_argument("--folder", type=Path, help="where the databases lie (default: the cache folder, on disk)")
    parser.add_argument("--only", nargs="+", choices=groups, metavar="LINE", help=f"of {', '.join(groups)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure of every round there too")
    parser.add_argument("--quick", action="store_true", help="a small corpus and two rounds, within two minutes")


@contextmanager
def working_folder(named: Path | None) -> Iterator[Path]:
    """A folder for this run's databases, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=named or cache_folder()) as folder:
        yield Path(folder)


def measure(groups: dict[str, Group], rounds: int) -> None:
    """Both programs, turn by turn: whoever went first in one round goes second in the next."""
    programs = [ours(), reference()]
    for number in range(rounds):
        for name, group in groups.items():
            if group.once and number > 0:
                continue
            for program in programs[:: -1 if number % 2 else 1]:
                print(f"bench: round {number + 1} of {rounds}, {name}, {program.name}", file=sys.stderr, flush=True)
                os.sync()
                for key, value in group.measure(program).items():
                    group.lines[key].values[program.name].append(value)


def report(groups: dict[str, Group], notes: list[str], heading: dict[str, object], file: Path | None) -> int:
    """Print the table; 1 when a floor is missed."""
    lines = [line for group in groups.values() for line in group.lines.values()]
    heading |= {"load average": " ".join(f"{load:.1f}" for load in os.getloadavg())}
    heading = {**heading, "python": platform.python_version(), "cores": os.cpu_count(), "system": platform.platform()}
    print(", ".join(f"{name} {value}" for name, value in heading.items()))
    print(table(lines))
    for note in dict.fromkeys(notes):
        print(f"note: {note}")
    if file is not None:
        figures = {**heading, "notes": notes, "lines": [line.as_json() for line in lines]}
        file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(line.verdict == MISSED for line in lines))
