"""How long a whole process takes: `python -m tests.unit.cli.startup [ROUNDS]`.

`hermes --help` and `hermes sessions list` (20 sessions) beside a bare interpreter, in alternating rounds. Wall times
are medians; on a machine that does other things, the processor times tell more.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hermes.store import SessionDB

BIN = Path(sys.executable).parent
LINES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "argparse + one SQLite query": [
        sys.executable,
        "-c",
        "import argparse, os, apsw; c = apsw.Connection(os.environ['HERMES_HOME'] + '/state.db');"
        "print(c.execute('SELECT id FROM sessions LIMIT 20').fetchall())",
    ],
    "hermes --help": [str(BIN / "hermes"), "--help"],
    "hermes sessions --help": [str(BIN / "hermes"), "sessions", "--help"],
    "hermes sessions list": [str(BIN / "hermes"), "sessions", "list"],
}


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HERMES_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second start finds everything compiled
        with SessionDB(Path(home) / "state.db") as db:
            for number in range(20):
                db.create_session(f"session-{number}", "cli")
                db.append_message(f"session-{number}", "user", "Help me refactor the auth module please")
        wall: dict[str, list[float]] = {name: [] for name in LINES}
        processor: dict[str, list[float]] = {name: [] for name in LINES}
        for command in LINES.values():
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        for _ in range(rounds):
            for name, command in LINES.items():
                before, started = _used(), time.perf_counter()
                subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
                wall[name].append((time.perf_counter() - started) * 1000)
                processor[name].append((_used() - before) * 1000)
    for name in LINES:
        print(
            f"{name:<30} wall {statistics.median(wall[name]):6.1f} ms (best {min(wall[name]):6.1f})"
            f"   processor {statistics.median(processor[name]):6.1f} ms (best {min(processor[name]):6.1f})"
        )


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
