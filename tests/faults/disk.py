"""A disk that fails on demand: SQLite's calls go through here, in the process that calls `fail_with`."""

import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

CHANGES = ("write", "sync", "truncate", "delete")


class Fault:
    """What happens around each call; `file` is None for those on a path."""

    def before(self, kind: str, path: str, file: "_File | None", data: bytes = b"", offset: int = 0) -> None:
        pass

    def after(self, kind: str, path: str) -> None:
        pass


def fail_with(fault: Fault) -> None:
    """From now on, for the life of this process."""
    _disks.append(_Disk(fault))


_disks: list["_Disk"] = []


class _Disk(apsw.VFS):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__("faulty", base="unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> "_File":
        return _File(self.fault, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.fault.before("delete", filename, None)
        super().xDelete(filename, syncdir)
        self.fault.after("delete", filename)


class _File(apsw.VFSFile):
    def __init__(self, fault: Fault, name: Any, flags: list[int]) -> None:
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self.fault = fault
        super().__init__("unix", name, flags)

    def write_through(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)

    def xRead(self, amount: int, offset: int) -> bytes:
        self.fault.before("read", self.path, self)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.fault.before("write", self.path, self, data, offset)
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self.fault.before("truncate", self.path, self, offset=newsize)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        self.fault.before("sync", self.path, self)
        super().xSync(flags)
        self.fault.after("sync", self.path)


@dataclass
class KillAt(Fault):
    """SIGKILL at the n-th change of the disk, a write half done when `torn`; 0 only counts."""

    number: int = 0
    torn: bool = False
    armed: bool = False
    count: int = 0

    def before(self, kind: str, path: str, file: _File | None, data: bytes = b"", offset: int = 0) -> None:
        if not self.armed or kind not in CHANGES:
            return
        self.count += 1
        if self.count == self.number:
            if self.torn and kind == "write" and file is not None:
                file.write_through(data[: len(data) // 2], offset)
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class FailAt(Fault):
    """An I/O error at the n-th call of one kind, once or from then on."""

    kind: str = ""
    number: int = 0
    sticky: bool = False
    armed: bool = False
    count: int = 0
    struck: int = 0

    def before(self, kind: str, path: str, file: _File | None, data: bytes = b"", offset: int = 0) -> None:
        if not self.armed or kind != self.kind:
            return
        self.count += 1
        if self.count == self.number or (self.sticky and self.count > self.number > 0):
            self.struck += 1
            raise io_error(kind)


@dataclass
class SmallDisk(Fault):
    """Room for so many bytes, the reserve beside the store included; a write past that finds the disk full."""

    room: int = 2**40
    reserve: Path | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    most: int = 0

    def before(self, kind: str, path: str, file: _File | None, data: bytes = b"", offset: int = 0) -> None:
        if kind == "delete":
            self.sizes.pop(path, None)
        elif kind == "truncate":
            self.sizes[path] = min(offset, self.sizes.get(path, 0))
        elif kind == "write":
            grown = max(self.sizes.get(path, 0), offset + len(data))
            if self.taken() - self.sizes.get(path, 0) + grown > self.room:
                raise apsw.FullError("the disk is full")
            self.sizes[path] = grown
            self.most = max(self.most, self.taken())

    def taken(self) -> int:
        return sum(self.sizes.values()) + self.reserved()

    def reserved(self) -> int:
        return self.reserve.stat().st_size if self.reserve is not None and self.reserve.exists() else 0


_CODES = {
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "delete": apsw.SQLITE_IOERR_DELETE,
}


def io_error(kind: str) -> apsw.Error:
    error = apsw.IOError(f"the disk failed in a {kind}")
    error.extendedresult = _CODES[kind]
    return error
