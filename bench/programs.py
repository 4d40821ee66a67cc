"""The two programs under comparison, and how a worker runs inside each."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.reference import reference_python

WORKERS = Path(__file__).parent / "workers"


class WorkerFailed(Exception):
    """A worker ended without an answer."""


@dataclass(frozen=True)
class Program:
    name: str
    python: Path

    def start(self, worker: str, job: dict[str, Any]) -> "Running":
        """Start a worker; it has a home folder of its own, so that no setting of this machine's user counts."""
        home = tempfile.mkdtemp(prefix="hermes-bench-home-")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HERMES_"))}
        process = subprocess.Popen(
            [self.python, WORKERS / f"{worker}.py", json.dumps({**job, "program": self.name})],
            env={**environment, "HERMES_HOME": home},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return Running(f"{self.name}: {worker}", process, Path(home))

    def run(self, worker: str, **job: Any) -> dict[str, Any]:
        return self.start(worker, job).answer()


@dataclass(frozen=True)
class Running:
    what: str
    process: "subprocess.Popen[str]"
    home: Path

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        if self.process.stdout.readline().strip() != "ready":
            raise WorkerFailed(f"{self.what} did not get ready")

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        out, _ = self.process.communicate()
        shutil.rmtree(self.home)
        if self.process.returncode != 0 or not out.strip():
            raise WorkerFailed(f"{self.what} ended with {self.process.returncode}")
        return json.loads(out.splitlines()[-1])


def ours() -> Program:
    return Program("ours", Path(sys.executable))


def reference() -> Program:
    return Program("reference", reference_python())
