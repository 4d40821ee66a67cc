"""Tools: what the model is told of them, and what running one costs beyond its own work. `python -m bench tools`."""

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any

from tests.servers.scripted import Say, Scripted, Sent

from bench.chatting import configure, whole_process
from bench.corpus import Corpus
from bench.lines import Line, Target
from bench.programs import Program
from bench.recalling import recall_group
from bench.reference import VERSION
from bench.rounds import Figures, Group, measure, report, working_folder
from bench.rounds import add_options as add_shared_options
from bench.stage import Stage
from hermes.config import Settings
from hermes.tools.base import ToolContext
from hermes.tools.registry import registry
from hermes.tools.work import Work, Workplace

ABOUT = "bytes of the first request for each tool, a turn with a command, the overhead of a call, and recall"
NAMES = ("request", "command", "dispatch", "recall")
CALLS = 500


def add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, NAMES)


def run(options: argparse.Namespace) -> int:
    rounds = options.rounds or (2 if options.quick else 3)
    with Scripted(otherwise=_answer) as server, working_folder(options.folder) as folder:
        messages = options.messages or (4000 if options.quick else 68_000)
        stage = Stage(folder, Corpus(options.sessions or max(1, messages // 68), messages, options.seed))
        bench = ToolBench(folder, server, stage)
        groups = {name: group for name, group in bench.groups().items() if name in (options.only or NAMES)}
        measure(groups, rounds)
    return report(groups, bench.notes, {"reference": VERSION, "rounds": rounds}, options.json)


def _answer(sent: Sent) -> Say:
    """A command, when one is asked for and was not run yet; otherwise words."""
    last = sent.messages[-1]
    wants = last.get("role") == "user" and "run it" in str(last.get("content")) and sent.body.get("tools")
    return Say(calls=[("terminal", {"command": "echo hello"})]) if wants else Say("hello")


class ToolBench:
    def __init__(self, folder: Path, server: Scripted, stage: Stage) -> None:
        self.notes: list[str] = []
        self._folder = folder
        self._server = server
        self._stage = stage

    def groups(self) -> dict[str, Group]:
        return {
            "request": Group(self.request, _request_lines(), once=True),
            "command": Group(self.command, _command_lines()),
            "dispatch": Group(self.dispatch, _dispatch_lines()),
            "recall": recall_group(self._stage),
        }

    def _home(self, program: Program) -> Path:
        home = self._folder / f"home-{program.name}"
        if not home.exists():
            configure(home, self._server.url)
            whole_process(program, home, ["-z", "hi"])
        return home

    def request(self, program: Program) -> Figures:
        """The first request of a one-shot question, as it arrives at the provider."""
        home = self._home(program)
        before = len(self._server.sent)
        whole_process(program, home, ["-z", "hi"])
        first = next(sent for sent in self._server.sent[before:] if "/chat/completions" in sent.path)
        tools = first.body.get("tools") or []
        self.notes.append(f"{program.name} offers {len(tools)} tools: {' '.join(sorted(map(_name, tools)))}")
        size = _size(tools)
        return {"each": size / max(1, len(tools)), "tools": size, "whole": _size(first.body), "count": len(tools)}

    def command(self, program: Program) -> Figures:
        ran = whole_process(program, self._home(program), ["-z", "run it"])
        return {"wall": ran.wall, "memory": ran.memory}

    def dispatch(self, program: Program) -> Figures:
        """Ours alone: calls that do next to nothing, in this process."""
        if program.name != "ours":
            return {}
        context = ToolContext("s", "c", "local", "cli", lambda: False, lambda question, choices: None)
        place = Workplace(Settings(), {}, self._folder)
        (self._folder / "small.txt").write_text("one\n")
        calls = {"list": ("process", {"action": "list"}), "read": ("read_file", {"path": "small.txt"}),
                 "shell": ("terminal", {"command": "true"})}  # fmt: skip
        found = {key: _median(name, arguments, Work(context, place)) for key, (name, arguments) in calls.items()}
        place.close()
        return found


def _median(name: str, arguments: dict[str, Any], work: Work) -> float:
    text = json.dumps(arguments)
    taken = []
    for _ in range(CALLS if name != "terminal" else CALLS // 10):
        began = time.perf_counter()
        result = registry.dispatch(name, text, work)
        taken.append(time.perf_counter() - began)
        assert result.ok, result.content
    return median(taken)


def _name(tool: dict[str, Any]) -> str:
    return str(tool["function"]["name"])


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _request_lines() -> dict[str, Line]:
    return {
        "each": Line("first request: bytes a tool", "bytes", target=Target("times", 2, 4)),
        "tools": Line("first request: bytes of all tools", "bytes"),
        "whole": Line("first request: bytes in all", "bytes"),
        "count": Line("tools offered", "", compared=False),
    }


def _command_lines() -> dict[str, Line]:
    return {
        "wall": Line('hermes -z with one "echo" in the terminal, whole process', "s", target=Target("times", 2, 4)),
        "memory": Line("its memory at most", "MB"),
    }


def _dispatch_lines() -> dict[str, Line]:
    return {
        "list": Line("a call that does nothing, through the registry", "ms", target=Target("most", 0.005, 0.001)),
        "read": Line("read_file of one line", "ms", target=Target("most", 0.01, 0.002)),
        "shell": Line('terminal "true", judged and run', "ms", target=Target("most", 0.1, 0.05)),
    }
