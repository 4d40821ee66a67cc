"""Search: every kind of query, a question in plain words, and how cost grows. `python -m bench search`."""

import argparse
import random
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import vocabulary
from bench.chart import growth_chart
from bench.corpus import Corpus
from bench.lines import Line, Target
from bench.programs import Program
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage

ABOUT = "strict search, CJK, substrings, questions in plain words, and growth up to a million messages"
NAMES = ("search", "cjk", "growth")
QUERIES = {
    "mid": list(vocabulary.MID),
    "and": [f"{one} {other}" for one, other in zip(vocabulary.MID, vocabulary.COMMON, strict=False)],
    "prefix": [f"{vocabulary.PREFIX}*"],
    "or": [f"{one} OR {other}" for one, other in zip(vocabulary.MID, vocabulary.COMMON, strict=False)],
    "common": list(vocabulary.COMMON),
    "rare": list(vocabulary.RARE),
    "phrase": [f'"{vocabulary.PHRASE}"'],
}
OURS_ALONE = {"substring": [vocabulary.MIXED_PART], "question": [vocabulary.QUESTION]}
_PLANTED = {"marlvane": 0.015, "harkenfield": 0.15, "rarequokka": 0.00005}
_GROWN = {"rare": "rarequokka", "mid": "marlvane", "common": "harkenfield"}


@dataclass(frozen=True)
class Size:
    sessions: int = 1000
    messages: int = 68_000
    rounds: int = 5
    cjk: int = 200_000
    steps: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    reference_to: int = 100_000


QUICK = Size(sessions=60, messages=4000, rounds=2, cjk=10_000, steps=(2_000, 10_000), reference_to=10_000)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, NAMES)
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw the growth lines there, as SVG")


def run(options: argparse.Namespace) -> int:
    size = QUICK if options.quick else Size()
    given = {name: getattr(options, name) for name in ("sessions", "messages", "rounds")}
    size = replace(size, **{name: value for name, value in given.items() if value is not None})
    with working_folder(options.folder) as folder:
        bench = SearchBench(Stage(folder, Corpus(size.sessions, size.messages, options.seed)), size)
        wanted = options.only or NAMES
        groups = {name: group for name, group in bench.groups().items() if name.split()[0] in wanted}
        measure(groups, size.rounds)
    if options.chart is not None and "growth" in wanted:
        options.chart.write_text(growth_chart(size.steps, groups), encoding="utf-8")
    heading = {"reference": VERSION, "seed": options.seed, "sessions": size.sessions, "messages": size.messages}
    return report(groups, bench.notes, {**heading, "rounds": size.rounds}, options.json)


class SearchBench:
    def __init__(self, stage: Stage, size: Size) -> None:
        self.notes: list[str] = []
        self._stage = stage
        self._size = size
        self._found: dict[str, list[int]] = {}
        self._words = random.Random("short words").choices(vocabulary.Vocabulary.build().words, k=6000)

    def groups(self) -> dict[str, Group]:
        groups = {
            "search": Group(self.search, _search_lines(self._size.messages)),
            "cjk": Group(self.cjk, {"pair": _line(f"search two CJK characters in {self._size.cjk:,}", 50, 150)}),
        }
        for step in self._size.steps:
            groups[f"growth {step}"] = Group(partial(self.growth, step), _growth_lines(step), once=True)
        return groups

    def search(self, program: Program) -> Figures:
        database = self._stage.filled(program)
        queries = {**QUERIES, **(OURS_ALONE if program.name == "ours" else {})}
        answer = program.run("searching", database=str(database), queries=queries)
        self._stage.remove(database)
        for name, found in answer["found"].items():
            self._compare(name, found)
        figures: Figures = answer["waits"]
        if "question" in figures:
            figures["question"] = answer["slow"]["question"]
        return figures

    def cjk(self, program: Program) -> Figures:
        database = self._short(program, self._size.cjk)
        answer = program.run("searching", database=str(database), queries={"pair": [vocabulary.CJK_PAIR]})
        self._stage.remove(database)
        return answer["waits"]

    def growth(self, messages: int, program: Program) -> Figures:
        if program.name != "ours" and messages > self._size.reference_to:
            return {}
        database = self._short(program, messages)
        question = "When did we last talk about the marlvane of the rarequokka?"
        figures = program.run("growing", database=str(database), queries=_GROWN, question=question)
        self._stage.remove(database)
        return figures

    def _short(self, program: Program, messages: int) -> Path:
        return self._stage.shorted(program, messages, words=self._words, planted=_PLANTED)

    def _compare(self, what: str, found: list[int]) -> None:
        if self._found.setdefault(what, found) != found:
            self.notes.append(f"{what}: the programs find {self._found[what]} and {found} messages")


def _line(what: str, floor: float, goal: float) -> Line:
    return Line(what, "ms", target=Target("times", floor, goal))


def _search_lines(messages: int) -> dict[str, Line]:
    size = f"{messages:,} messages"
    return {
        "mid": _line(f"search a word of 1.5 % of {size}", 2, 4),
        "and": _line("search two words (AND)", 2, 4),
        "prefix": _line("search a prefix", 2, 4),
        "or": _line("search one word or another (OR)", 1.5, 3),
        "common": _line("search a word of 15 %", 1.5, 3),
        "rare": _line("search a rare word", 1, 2),
        "phrase": _line("search a phrase", 1, 2),
        "substring": Line("Latin inside CJK (youer in 修改youer服务端)", "ms", target=Target("most", 0.010, 0.005)),
        "question": Line("a question in plain words, p95", "ms", target=Target("most", 0.060, 0.025)),
    }


def _growth_lines(messages: int) -> dict[str, Line]:
    names = ("append", "list", "open", "rare", "mid", "common", "question")
    lines = {name: Line(f"{messages:>9,} messages: {name}", "ms") for name in names}
    return lines | {"memory": Line(f"{messages:>9,} messages: memory at most", "MB")}
