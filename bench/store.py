"""The store: append, contention, list, open, load, size. `python -m bench store`."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench import store_lines
from bench.corpus import LONGEST, Corpus
from bench.programs import Program
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage, disk_bytes, stored_messages, unindexed_messages

ABOUT = "append, contention, lists, open, load and size of the session store"


@dataclass(frozen=True)
class Size:
    sessions: int = 1000
    messages: int = 68_000
    rounds: int = 5
    appended: int = 5000  # messages in each round of the append lines
    seconds: float = 10  # of contention
    listed: int = 100_000  # sessions in the lists


QUICK = Size(sessions=60, messages=4000, rounds=2, appended=400, seconds=1.5, listed=3000)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, store_lines.NAMES)


def run(options: argparse.Namespace) -> int:
    size = QUICK if options.quick else Size()
    given = {name: getattr(options, name) for name in ("sessions", "messages", "rounds")}
    size = replace(size, **{name: value for name, value in given.items() if value is not None})
    with working_folder(options.folder) as folder:
        bench = StoreBench(Stage(folder, Corpus(size.sessions, size.messages, options.seed)), size)
        wanted = options.only or store_lines.NAMES
        groups = {name: group for name, group in bench.groups().items() if name.split()[0] in wanted}
        measure(groups, size.rounds)
    heading = {"reference": VERSION, "seed": options.seed, "sessions": size.sessions, "messages": size.messages}
    return report(groups, bench.notes, {**heading, "rounds": size.rounds}, options.json)


class StoreBench:
    """Measures one group of lines for one program, once."""

    def __init__(self, stage: Stage, size: Size) -> None:
        self.notes: list[str] = []
        self._stage = stage
        self._size = size
        self._extra = Corpus(max(1, size.appended // 68), size.appended, stage.corpus.seed + 1)
        self._answers: dict[str, object] = {}

    def groups(self) -> dict[str, Group]:
        longest = min(LONGEST, self._size.messages // 2)
        return {
            "append fresh": Group(partial(self.append, self._stage.fresh), store_lines.append("fresh file")),
            "append filled": Group(partial(self.append, self._stage.filled), store_lines.append("filled file")),
            "append raw": Group(self.raw, store_lines.raw()),
            "contention 8": Group(partial(self.contention, _alone(8)), store_lines.processes(8)),
            "contention 32": Group(partial(self.contention, _alone(32)), store_lines.processes(32)),
            "contention threads": Group(partial(self.contention, [[*range(8)]]), store_lines.threads(8)),
            "list": Group(self.lists, store_lines.lists(self._size.listed)),
            "open": Group(self.open, store_lines.opening()),
            "load": Group(self.load, store_lines.loading(longest)),
            "size": Group(self.sizes, store_lines.sizes(), once=True),
        }

    def append(self, database_for: Callable[[Program], Path], program: Program) -> Figures:
        database = database_for(program)
        figures: Figures = program.run("append", database=str(database), corpus=str(self._extra.file()))
        if program.name == "ours":
            figures["behind"] = unindexed_messages(database)
        self._stage.remove(database)
        return figures

    def raw(self, program: Program) -> Figures:
        """Neither program, but what is below both; measured once a round."""
        if program.name != "ours":
            return {}
        database = self._stage.fresh(program)
        figures: Figures = program.run("raw", database=str(database), corpus=str(self._extra.file()))
        self._stage.remove(database)
        return figures

    def contention(self, processes: list[list[int]], program: Program) -> Figures:
        database = self._stage.filled(program)
        before = stored_messages(database)
        begin, answers = self._write_together(program, database, processes)
        figures = _together(answers, begin)
        figures["lost"] = before + figures.pop("written") - stored_messages(database)
        if program.name == "ours":
            figures["behind"] = unindexed_messages(database)
        self._stage.remove(database)
        self._note_errors(program, answers)
        return figures

    def _write_together(
        self, program: Program, database: Path, processes: list[list[int]]
    ) -> tuple[float, list[dict[str, Any]]]:
        """Start a process for each list of writer numbers, let all begin at once, and collect what they say."""
        shared = {"database": str(database), "corpus": str(self._extra.file()), "seconds": self._size.seconds}
        workers = [program.start("contend", {**shared, "numbers": numbers}) for numbers in processes]
        for worker in workers:
            worker.wait_until_ready()
        begin = time.perf_counter() + 0.2
        for worker in workers:
            worker.tell(repr(begin))
        return begin, [worker.answer() for worker in workers]

    def _note_errors(self, program: Program, answers: list[dict[str, Any]]) -> None:
        for error in sorted({error for answer in answers for error in answer["errors"]}):
            times = sum(answer["errors"].get(error, 0) for answer in answers)
            self.notes.append(f"{program.name}, {len(answers)} processes: {error} ({times} times)")

    def lists(self, program: Program) -> Figures:
        database = self._stage.listed(program, self._size.listed)
        found = program.run("lists", database=str(database))
        self._stage.remove(database)
        for name, ids in found["ids"].items():
            self._compare(f"list {name}", ids)
        return found["waits"]

    def open(self, program: Program) -> Figures:
        database = self._stage.filled(program)
        found = program.run("opening", database=str(database), session=self._stage.corpus.longest())
        self._stage.remove(database)
        return found

    def load(self, program: Program) -> Figures:
        database = self._stage.filled(program)
        found = program.run("loading", database=str(database), session=self._stage.corpus.longest())
        self._stage.remove(database)
        self._compare("load", found.pop("loaded"))
        return found

    def sizes(self, program: Program) -> Figures:
        database = self._stage.filled(program)
        figures: Figures = {"closed": disk_bytes(database)}
        program.run("merge", database=str(database))
        figures["merged"] = disk_bytes(database)
        self._stage.remove(database)
        return figures

    def _compare(self, what: str, answer: object) -> None:
        """Both programs are to do the same work; when what they answer differs, the reader is told."""
        if self._answers.setdefault(what, answer) != answer:
            self.notes.append(f"{what}: the two programs do not answer the same")


def _alone(count: int) -> list[list[int]]:
    """One writer in each process."""
    return [[number] for number in range(count)]


def _together(answers: list[dict[str, Any]], begin: float) -> Figures:
    """What all writers did and waited, and how evenly; the clock stops when the last store is closed."""
    waits = sorted(wait for answer in answers for writer in answer["waits"] for wait in writer)
    written = [
        len(writer) - failed
        for answer in answers
        for writer, failed in zip(answer["waits"], answer["failed"], strict=True)
    ]
    return {
        "rate": sum(written) / (max(answer["closed"] for answer in answers) - begin),
        "p50": waits[len(waits) // 2],
        "p99": waits[int(len(waits) * 0.99)],
        "max": waits[-1],
        "spread": max(written) / max(1, min(written)),
        "failed": sum(sum(answer["failed"]) for answer in answers),
        "written": sum(written),
    }
