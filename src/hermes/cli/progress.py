"""A progress bar on stderr, only where somebody looks at it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hermes.cli.screen import write

_WIDTH = 24
_EVERY_S = 0.1


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Something to call with (done, of how many); None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    drawn = 0.0

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        if time.monotonic() - drawn < _EVERY_S and done < total:
            return
        drawn = time.monotonic()
        share = min(1.0, done / total) if total else 1.0
        bar = "#" * round(share * _WIDTH)
        write(sys.stderr, f"\r{label} [{bar:<{_WIDTH}}] {share:4.0%}")
        sys.stderr.flush()

    try:
        yield draw
    finally:
        if drawn:
            write(sys.stderr, "\r\x1b[K")
            sys.stderr.flush()
