"""What a command writes: the beginning and the end are kept, the whole goes to a private file, memory stays small."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

_HEAD = 16_000
_TAIL = 32_000
_LARGEST_FILE = 20_000_000
# Escape sequences: CSI, OSC and the like with their ends, and two-character ones.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BINARY_SHARE = 0.1


class Output:
    """Takes bytes from one thread, is read from any. `file` makes the file for what does not fit."""

    def __init__(self, file: Callable[[], Path] | None = None) -> None:
        self._make_file = file
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()
        self._descriptor: int | None = None
        self.file: Path | None = None
        self.total = 0

    def add(self, raw: bytes) -> None:
        with self._lock:
            self.total += len(raw)
            room = _HEAD - len(self._head)
            self._head += raw[:room] if room > 0 else b""
            rest = raw[room:] if room > 0 else raw
            if rest:
                self._tail += rest
                self._spill(raw)
                if len(self._tail) > 2 * _TAIL:
                    del self._tail[:-_TAIL]

    def _spill(self, raw: bytes) -> None:
        if self._make_file is None or self.total <= _HEAD + _TAIL or self.total > _LARGEST_FILE:
            return
        if self._descriptor is None:
            self.file = self._make_file()
            self._descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            raw = bytes(self._head + self._tail)
        os.write(self._descriptor, raw)

    def close(self) -> None:
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def text(self) -> str:
        """As the model reads it; what is left out is named."""
        with self._lock:
            head, tail, total = bytes(self._head), bytes(self._tail[-_TAIL:]), self.total
        left = total - len(head) - len(tail)
        if left <= 0:
            return readable(head + tail)
        whole = f"; the first {_LARGEST_FILE // 1_000_000} MB are in {self.file}" if self.file else ""
        return f"{readable(head)}\n[… {left:,} bytes left out{whole} …]\n{readable(tail)}"

    def since(self, position: int) -> tuple[str, int]:
        """What came after this many bytes, or the end of it when that is much, and the position now."""
        with self._lock:
            kept, total = bytes(self._head + self._tail), self.total
        new = total - position
        if new <= 0:
            return "", total
        shown = min(new, _TAIL, len(kept))
        left = f"[… {new - shown:,} bytes left out …]\n" if new > shown else ""
        return left + readable(kept[-shown:]), total


def readable(raw: bytes) -> str:
    """Text without anything a terminal would obey. What is no text is said to be none."""
    text = raw.decode("utf-8", "replace")
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    controls = len(_CONTROLS.findall(text)) + text.count("\ufffd")
    if controls > len(text) * _BINARY_SHARE:
        return f"[{len(raw):,} bytes that are not text]"
    shown = "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))  # a progress bar writes over itself
    return _CONTROLS.sub("", shown)
