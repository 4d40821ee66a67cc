"""Small file systems in memory, mounted where the run wants them. Needs root."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of its own with so much room."""
    folder.mkdir(exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0700", "hermes-faults", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "-l", str(folder))


def make_read_only(folder: Path) -> None:
    _run("mount", "-o", "remount,ro", str(folder))


def _run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise AssertionError(f"{' '.join(command)}: {result.stderr.strip()} (the full runs need root)")


def free_bytes(folder: Path) -> int:
    info = os.statvfs(folder)
    return info.f_bavail * info.f_frsize


def fill_up(folder: Path, leave: int = 0) -> Path:
    """A file that takes all the room but so many bytes."""
    ballast = folder / "ballast"
    size = 0
    with open(ballast, "wb", buffering=0) as file:
        for piece in (1024 * 1024, 64 * 1024, 4096):
            while free_bytes(folder) - leave >= piece:
                try:
                    os.posix_fallocate(file.fileno(), size, piece)
                except OSError:  # the store takes its share at the same time
                    break
                size += piece
    return ballast
