"""Processes that run behind a conversation: started, looked at, ended, and never outliving it."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from hermes.errors import ToolError
from hermes.tools.base import ToolResult
from hermes.tools.results import spill_file
from hermes.tools.terminal.ending import end
from hermes.tools.terminal.output import Output
from hermes.tools.terminal.running import started
from hermes.tools.work import Work, Workplace

_MOST = 16  # at once
_REMEMBERED = 50  # ended ones
_LARGEST = 1_000_000_000  # bytes after which a process that writes for ever is ended


class Process:
    """One of them. A thread reads what it writes; memory stays small however much that is."""

    def __init__(self, name: str, command: str, process: "subprocess.Popen[bytes]", mark: str, work: Work) -> None:
        self.name, self.command = name, command
        self.output = Output(lambda: spill_file(work))
        self.began = time.monotonic()
        self.seconds: float | None = None
        self._process, self._mark = process, mark
        self._told = 0
        self._reader = threading.Thread(target=self._read, name=f"hermes-{name}", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        while raw := os.read(pipe.fileno(), 65536):
            self.output.add(raw)
            if self.output.total > _LARGEST:
                end(self._process.pid, self._mark, grace=0)
        self._process.wait()
        self.seconds = time.monotonic() - self.began
        self.output.close()
        pipe.close()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def state(self) -> str:
        if self.running:
            return f"running for {time.monotonic() - self.began:.0f} s"
        return f"ended with code {self._process.returncode}"

    def news(self) -> str:
        """What it wrote since the last time it was asked."""
        new, self._told = self.output.since(self._told)
        return new

    def wait(self, seconds: float, work: Work) -> None:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline and not work.context.stopped():
            time.sleep(0.02)
        if not self.running:
            self._reader.join(0.5)  # its last words

    def kill(self) -> None:
        end(self._process.pid, self._mark)
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            pass  # stuck in the kernel; nothing more can be done about it
        self._reader.join(0.5)


class Processes:
    """Those of one conversation, by name: p1, p2 …"""

    def __init__(self) -> None:
        self._all: dict[str, Process] = {}
        self._count = 0
        self._lock = threading.Lock()

    def start(self, command: str, work: Work, folder: Path, variables: Mapping[str, str]) -> ToolResult:
        with self._lock:
            if sum(one.running for one in self._all.values()) >= _MOST:
                raise ToolError(f"{_MOST} processes run already; end one first.")
            process, mark = started(["bash", "--noprofile", "--norc", "-c", command], folder, variables)
            self._count += 1
            one = Process(f"p{self._count}", command, process, mark, work)
            self._forget()
            self._all[one.name] = one
        one.wait(0.3, work)  # a mistake shows at once
        return ToolResult(f"{one.name}: {one.state}\n{one.news()}".rstrip(), ok=one.running or not process.returncode)

    def _forget(self) -> None:
        ended = [name for name, one in self._all.items() if not one.running]
        for name in ended[:-_REMEMBERED]:
            del self._all[name]

    def all(self) -> list[Process]:
        return list(self._all.values())

    def get(self, name: str) -> Process:
        found = self._all.get(name)
        if found is None:
            raise ToolError(f"There is no process '{name}'; there are: {', '.join(self._all) or 'none'}.")
        return found

    def close(self) -> None:
        for one in self.all():
            one.kill()
        self._all.clear()


def processes_of(place: Workplace) -> Processes:
    return place.keep("processes", Processes, Processes.close)
