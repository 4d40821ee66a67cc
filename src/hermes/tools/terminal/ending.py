"""Ending a process with everything it started: its group, its session, and whoever carries its mark.

A mark is a variable in the environment that children inherit, so that a daemon that left the session is found too.
"""

import os
import signal
import time
from pathlib import Path

MARK = "HERMES_RUN"
_GRACE = 1.0


def family(leader: int, mark: str) -> list[int]:
    """Processes of this leader's group or session, and all that carry the mark; never ourselves."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir() if Path("/proc/self/stat").exists() else ():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and _belongs(entry, leader, wanted):
            found.append(int(entry.name))
    return found


def _belongs(entry: Path, leader: int, wanted: bytes) -> bool:
    try:
        fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X"):
            return False
        if leader in (int(fields[2]), int(fields[3])):  # its group, its session
            return True
        return wanted in (entry / "environ").read_bytes().split(b"\0")
    except (OSError, IndexError, ValueError):
        return False  # gone by now, or not ours to look at


def end(leader: int, mark: str, *, grace: float = _GRACE) -> int:
    """End all of them, politely first. Returns how many there were."""
    there = family(leader, mark)
    _signal(leader, there, signal.SIGTERM)
    deadline = time.monotonic() + grace
    left = there
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = family(leader, mark)
    for _ in range(20):  # a family that grows while it is ended
        if not left:
            break
        _signal(leader, left, signal.SIGKILL)
        time.sleep(0.01)
        left = family(leader, mark)
    _signal(leader, [], signal.SIGKILL)
    return len(there)


def _signal(leader: int, members: list[int], which: signal.Signals) -> None:
    try:
        os.killpg(leader, which)
    except (ProcessLookupError, PermissionError):
        pass  # the group is gone
    for pid in members:
        try:
            os.kill(pid, which)
        except (ProcessLookupError, PermissionError):
            pass
