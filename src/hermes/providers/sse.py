"""Server-sent events from bytes as they arrive, however they are cut, and never more of them than fits."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hermes.errors import AnswerBroken

LARGEST_EVENT = 8 * 2**20
LARGEST_ANSWER = 64 * 2**20


class ServerEvent(NamedTuple):
    name: str
    data: str


def server_events(chunks: Iterable[bytes], *, largest: int = LARGEST_EVENT) -> Iterator[ServerEvent]:
    """The events of a stream. What is left at its end without an empty line is an event too: some servers forget it."""
    name, size = "", 0
    data: list[str] = []
    for line in _lines(chunks, largest):
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data, size = "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            size += len(value)
            if size > largest:
                raise _too_large(largest)
            data.append(value)
        elif field == "event":
            name = value
    if data:
        yield ServerEvent(name, "\n".join(data))


def _lines(chunks: Iterable[bytes], largest: int) -> Iterator[str]:
    """Lines end with \\n, \\r\\n or \\r; a chunk can end anywhere, in the middle of a character too."""
    pending = bytearray()
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > LARGEST_ANSWER:
            raise AnswerBroken(f"The answer is larger than {LARGEST_ANSWER // 2**20} MB; it was given up.")
        searched = max(len(pending) - 1, 0)
        pending += chunk
        if _has_end(pending, searched):
            yield from _complete(pending)
        elif len(pending) > largest:
            raise _too_large(largest)
    if pending:
        yield _text(bytes(pending.removesuffix(b"\r")))


def _has_end(pending: bytearray, start: int) -> bool:
    return pending.find(b"\n", start) >= 0 or pending.find(b"\r", start) >= 0


def _complete(pending: bytearray) -> Iterator[str]:
    """Take the complete lines out. A \\r at the very end waits: a \\n may follow."""
    held = pending.endswith(b"\r")
    text = bytes(pending[:-1] if held else pending).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    *lines, rest = text.split(b"\n")
    if not lines:
        return
    pending[:] = rest + (b"\r" if held else b"")
    for line in lines:
        yield _text(line)


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise AnswerBroken("The answer is not UTF-8 text.") from None


def _too_large(largest: int) -> AnswerBroken:
    return AnswerBroken(f"A single piece of the answer is larger than {largest // 2**20} MB; it was given up.")
