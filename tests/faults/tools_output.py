"""Row 29: programs that write without end, write what is no text, or do not want to end. Memory stays small, time is
kept, and nothing is left running."""

import os
import resource
import time
from pathlib import Path
from typing import NamedTuple

from hermes.config import Settings
from hermes.config.areas.execution import Terminal
from hermes.tools.base import ToolContext
from hermes.tools.registry import registry
from hermes.tools.work import Work, Workplace
from tests.faults.children import ask
from tests.faults.rows import Outcome, Run, row

MOST_MEMORY_MB = 60
LONGEST_SECONDS = 30.0
LONGEST_ANSWER = 60_000
MARK = "424242.5"  # the seconds they would sleep, by which they are found


class Bomb(NamedTuple):
    name: str
    command: str


BOMBS = (
    Bomb("endless lines", "yes"),
    Bomb("endless, in one line", "cat /dev/zero | tr '\\0' x"),
    Bomb("10 GB", "head -c 10737418240 /dev/zero | tr '\\0' 'a\\n'"),
    Bomb("endless, binary", "cat /dev/urandom"),
    Bomb("endless, to stderr", "yes >&2"),
    Bomb("ANSI", "yes $'\\e[31mred\\e[0m\\e]0;title\\a\\e[2J'"),
    Bomb("a progress bar for ever", "while :; do printf '\\r%s' $RANDOM; done"),
    Bomb("silence for ever", f"sleep {MARK}"),
    Bomb("signals ignored", f"trap '' TERM INT HUP; sleep {MARK} & wait; sleep {MARK}"),
    Bomb("a daemon", f"setsid nohup sleep {MARK} >/dev/null 2>&1 & echo started"),
    Bomb("a daemon that holds the output", f"(setsid sleep {MARK} &) ; echo started"),
    Bomb("a family", f"for i in $(seq 30); do (sleep {MARK} &) ; done; yes"),
    Bomb("families one after the other", f"for i in 1 2 3; do (sleep {MARK}; sleep {MARK}) & done; sleep {MARK}"),
    Bomb("output closed, still at work", f"exec >&- 2>&-; sleep {MARK}"),
    Bomb("a million lines", "seq 1000000"),
    Bomb("a line of 50 MB", "head -c 50000000 /dev/zero | tr '\\0' x"),
)  # fmt: skip


@row(29)
def output_bombs(run: Run) -> Outcome:
    bombs = BOMBS[:: run.size(1, 4)]
    results = ask(_all, str(run.fresh()), bombs, run.size(10, 1), patience=1200)
    wrong = [f"{name}: {problem}" for name, problem, _, _ in results if problem]
    slowest = max(results, key=lambda one: one[2])
    memory = max(one[3] for one in results)
    return Outcome(
        f"{len(bombs)} programs in the foreground and behind",
        f"wrong {len(wrong)}{f' (first: {wrong[0]})' if wrong else ''}; memory {memory:.0f} MB more at most; "
        f"slowest {slowest[2]:.1f} s ({slowest[0]}); orphans {len(left_running())}",
        not wrong and memory < MOST_MEMORY_MB and slowest[2] < LONGEST_SECONDS and not left_running(),
    )


def _all(folder: str, bombs: tuple[Bomb, ...], seconds: int) -> list[tuple[str, str, float, float]]:
    os.environ["HERMES_HOME"] = str(Path(folder) / "home")
    _one(folder, Bomb("warm-up", "echo"), seconds, background=False)
    before = _peak()
    found = []
    for bomb in bombs:
        for background in (False, True):
            began = time.monotonic()
            problem = _one(folder, bomb, seconds, background=background)
            name = f"{bomb.name}{' (behind)' if background else ''}"
            found.append((name, problem, time.monotonic() - began, _peak() - before))
    return found


def _one(folder: str, bomb: Bomb, seconds: int, *, background: bool) -> str:
    """What was wrong, if something was."""
    context = ToolContext("s", "c", "local", "cli", lambda: False, lambda question, choices: None)
    settings = Settings(terminal=Terminal(auto_source_bashrc=False))
    place = Workplace(settings, {}, Path(folder), yolo=True)
    arguments = {"command": bomb.command, "timeout": seconds, "background": background}
    answers = [registry.dispatch("terminal", arguments, Work(context, place)).content]
    if background:
        time.sleep(min(1.0, seconds / 4))
        answers.append(registry.dispatch("process", {"action": "log", "id": "p1"}, Work(context, place)).content)
    place.close()
    if left_running():
        return f"left {len(left_running())} processes running"
    longest = max(len(answer) for answer in answers)
    return f"an answer of {longest:,} characters" if longest > LONGEST_ANSWER else ""


def left_running() -> list[int]:
    """Processes of a bomb that are still there, by the time they sleep or by the mark of their family."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            marked = b"HERMES_RUN=" in (entry / "environ").read_bytes() if line else False
        except OSError:
            continue
        if MARK.encode() in line or (marked and line.split(b"\0")[0] in (b"yes", b"cat", b"tr", b"head", b"seq")):
            found.append(int(entry.name))
    return found


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
