"""The agent at work: a one-shot answer, the first prompt, turns of a chat. `python -m bench agent`."""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from tests.servers.scripted import Scripted

from bench.chatting import Chat, configure, scripted, whole_process
from bench.corpus import Corpus
from bench.lines import Line, Target
from bench.programs import Program
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage

ABOUT = "a one-shot answer, the first prompt, and turns of a chat"
NAMES = ("oneshot", "prompt", "turns", "many")


@dataclass(frozen=True)
class Size:
    sessions: int = 1_000
    many: int = 100_000
    turns: int = 8
    rounds: int = 3


QUICK = Size(many=3_000, turns=3, rounds=2)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, NAMES)


def run(options: argparse.Namespace) -> int:
    size = QUICK if options.quick else Size()
    given = {name: getattr(options, name) for name in ("sessions", "rounds")}
    size = replace(size, **{name: value for name, value in given.items() if value is not None})
    with Scripted(otherwise=scripted) as server, working_folder(options.folder) as folder:
        bench = AgentBench(Stage(folder, Corpus(1, 1, options.seed)), server, size)
        groups = {name: group for name, group in bench.groups().items() if name in (options.only or NAMES)}
        measure(groups, size.rounds)
    heading = {"reference": VERSION, "turns": size.turns, "rounds": size.rounds}
    return report(groups, bench.notes, heading, options.json)


class AgentBench:
    """Measures one group of lines for one program, once. The provider is one scripted server for both, on loopback,
    that answers at once: whatever time passes is the program's own."""

    def __init__(self, stage: Stage, server: Scripted, size: Size) -> None:
        self.notes = ["the reference looks for updates and models on the network, which may not be there"]
        self._stage = stage
        self._server = server
        self._size = size
        self._warm: dict[str, Path] = {}

    def groups(self) -> dict[str, Group]:
        return {
            "oneshot": Group(self.oneshot, _oneshot_lines()),
            "prompt": Group(self.prompt, _prompt_lines()),
            "turns": Group(lambda program: self.turns(program, self._size.sessions), _turn_lines(self._size.sessions)),
            "many": Group(lambda program: self.turns(program, self._size.many), _turn_lines(self._size.many)),
        }

    def _home(self, program: Program) -> Path:
        """A home that was used before: whatever a program does once is done."""
        if program.name not in self._warm:
            home = self._stage.folder / f"home-{program.name}"
            configure(home, self._server.url)
            whole_process(program, home, ["-z", "token1 hi"])
            self._warm[program.name] = home
        return self._warm[program.name]

    def oneshot(self, program: Program) -> Figures:
        home = self._home(program)
        ran = whole_process(program, home, ["-z", "token2 hi"])
        return {"wall": ran.wall, "processor": ran.processor, "memory": ran.memory}

    def prompt(self, program: Program) -> Figures:
        with Chat(program, self._home(program)) as chat:
            chat.turn(3)
            return {"prompt": chat.first_prompt, "memory": chat.memory()}

    def turns(self, program: Program, sessions: int) -> Figures:
        database = self._stage.listed(program, sessions)
        home = database.parent
        configure(home, self._server.url)
        with Chat(program, home) as chat:
            chat.turn(1000)  # the first one of a chat loads things
            taken = [chat.turn(1001 + number) for number in range(self._size.turns)]
        self._stage.remove(database)
        return {"turn": median(taken)}


def _oneshot_lines() -> dict[str, Line]:
    return {
        "wall": Line('hermes -z "hi", the whole process', "s", target=Target("times", 3, 6)),
        "processor": Line("its processor time", "s"),
        "memory": Line("its memory at most", "MB", target=Target("times", 2, 3)),
    }


def _prompt_lines() -> dict[str, Line]:
    return {
        "prompt": Line("hermes, until the first prompt is there", "ms", target=Target("most", 0.3, 0.15)),
        "memory": Line("memory of an idle chat, after one answer", "MB"),
    }


def _turn_lines(sessions: int) -> dict[str, Line]:
    return {"turn": Line(f"a turn beyond the provider, {sessions:,} sessions stored", "ms")}
