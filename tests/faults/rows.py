"""The registry: one function per row of the list of faults."""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outcome:
    done: str  # what was done
    figure: str
    held: bool


@dataclass(slots=True)
class Run:
    """One run of one row: its size, its dice, and a folder of its own."""

    folder: Path
    rng: random.Random
    quick: bool = False
    minutes: float | None = None  # where a row is a matter of time

    def size(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def fresh(self, name: str = "store") -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))


Row = Callable[[Run], Outcome]
ROWS: dict[int, Row] = {}


def row(number: int) -> Callable[[Row], Row]:
    def register(function: Row) -> Row:
        ROWS[number] = function
        return function

    return register


@contextmanager
def run_of(number: int, seed: int, *, quick: bool, minutes: float | None = None) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix=f"hermes-faults-{number}-", ignore_cleanup_errors=True) as folder:
        yield Run(Path(folder), random.Random(f"{seed}/{number}"), quick, minutes)
