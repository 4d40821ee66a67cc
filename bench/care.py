"""Care for data: prune beside a writer, export, import, backup, check. `python -m bench care`."""

import argparse
from dataclasses import dataclass, replace

from bench.corpus import Corpus
from bench.lines import Line, Target
from bench.programs import Program
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage, disk_bytes

ABOUT = "prune beside a writer, export, import, backup and check"
NAMES = ("prune", "export", "copies")
_NOW = 1_780_000_000.0  # the corpus ends here
_HALF = 100  # days; it covers 200


@dataclass(frozen=True)
class Size:
    sessions: int = 1000
    messages: int = 68_000
    rounds: int = 3


QUICK = Size(sessions=60, messages=4000, rounds=2)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, NAMES)


def run(options: argparse.Namespace) -> int:
    size = QUICK if options.quick else Size()
    given = {name: getattr(options, name) for name in ("sessions", "messages", "rounds")}
    size = replace(size, **{name: value for name, value in given.items() if value is not None})
    with working_folder(options.folder) as folder:
        bench = CareBench(Stage(folder, Corpus(size.sessions, size.messages, options.seed)))
        groups = {name: group for name, group in bench.groups().items() if name in (options.only or NAMES)}
        measure(groups, size.rounds)
    heading = {"reference": VERSION, "seed": options.seed, "sessions": size.sessions, "messages": size.messages}
    return report(groups, bench.notes, {**heading, "rounds": size.rounds}, options.json)


class CareBench:
    """Measures one group of lines for one program, once."""

    def __init__(self, stage: Stage) -> None:
        self.notes: list[str] = []
        self._stage = stage

    def groups(self) -> dict[str, Group]:
        return {
            "prune": Group(self.prune, _prune_lines()),
            "export": Group(self.export, {"plain": Line("export_all to JSON Lines, nothing masked", "MB/s", "more")}),
            "copies": Group(self.copies, _copy_lines()),
        }

    def prune(self, program: Program) -> Figures:
        """Half of the corpus goes while another process appends."""
        database = self._stage.filled(program)
        stop = database.with_name("stop")
        before = disk_bytes(database)
        writer = program.start("care_writer", {"database": str(database), "stop": str(stop)})
        writer.wait_until_ready()
        figures = program.run("care_prune", database=str(database), now=_NOW, days=_HALF)
        stop.touch()
        figures |= writer.answer()
        after = disk_bytes(database)
        self._stage.remove(database)
        return {**figures, "before": before, "after": after}

    def export(self, program: Program) -> Figures:
        database = self._stage.filled(program)
        figures: Figures = program.run(
            "care_export", database=str(database), file=str(database.with_name("export.jsonl"))
        )
        self._stage.remove(database)
        return figures

    def copies(self, program: Program) -> Figures:
        if program.name != "ours":
            return {}
        database = self._stage.filled(program)
        figures: Figures = program.run("care_copies", database=str(database))
        self._stage.remove(database)
        return figures


def _prune_lines() -> dict[str, Line]:
    return {
        "longest": Line("longest wait of a writer during prune and vacuum", "ms", target=Target("most", 0.3, 0.1)),
        "p99": Line("p99 of its waits", "ms"),
        "failed": Line("appends of the writer that failed", "", compared=False),
        "pruned": Line("sessions pruned", "", compared=False),
        "prune": Line("prune half of the corpus", "s"),
        "vacuum": Line("vacuum afterwards", "s"),
        "before": Line("file before", "MB"),
        "after": Line("file afterwards", "MB"),
    }


def _copy_lines() -> dict[str, Line]:
    return {
        "masked": Line("export to a file, secrets masked", "MB/s", "more"),
        "streamed": Line("export to a file, nothing masked", "MB/s", "more"),
        "import": Line("import of that file, messages", "/s", "more"),
        "backup": Line("backup, verified", "MB/s", "more"),
        "check": Line("check of everything", "s"),
        "problems": Line("problems found, lines refused", "", compared=False, target=Target("most", 0, 0)),
    }
