"""A text file as it is on disk: its encoding, its line ends, and a way to put it back whole."""

import codecs
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from hermes.errors import ToolError

LARGEST = 50_000_000  # bytes of a file that is changed in memory
_LOOK = 8192
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class TextFile(NamedTuple):
    """`text` has \\n for every line end; `newline` is what the file has."""

    text: str
    encoding: str = "utf-8"
    newline: str = "\n"


def encoding_of(head: bytes) -> str | None:
    """The encoding a beginning of a file speaks for; None: it is not text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1"  # keeps every byte, whatever the file is in
    return "utf-8"


def read(path: Path) -> TextFile:
    """The whole file. Binary and huge files are a ToolError."""
    size = path.stat().st_size
    if size > LARGEST:
        raise ToolError(f"{path} is {size:,} bytes; files up to {LARGEST:,} can be changed here.")
    raw = path.read_bytes()
    encoding = encoding_of(raw[:_LOOK])
    if encoding is None:
        raise ToolError(f"{path} is binary ({size:,} bytes).")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"
        text = raw.decode(encoding)
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    return TextFile(text.replace("\r\n", "\n") if newline == "\r\n" else text, encoding, newline)


def write(path: Path, file: TextFile) -> int:
    """The file has the new content or the old one, whatever happens in between; its mode stays, a link stays a link.
    Returns the bytes written."""
    text = file.text.replace("\r\n", "\n").replace("\n", "\r\n") if file.newline == "\r\n" else file.text
    try:
        raw = text.encode(file.encoding)
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogatepass")
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, raw)
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}; nothing was changed.") from None
    return len(raw)


def _replace(target: Path, raw: bytes) -> None:
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(raw)
            new.flush()
            os.fchmod(new.fileno(), mode)
            os.fsync(new.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    """The process's own; it can only be read by setting it, so the kernel is asked where that is possible."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    except OSError:
        pass
    return 0o022
