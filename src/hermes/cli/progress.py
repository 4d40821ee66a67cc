"""A progress bar on stderr, only where somebody looks at it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hermes.cli.screen import write

_WIDTH = 24
_EVERY_S = 0.1
Draw = Callable[[int, int], None]


@contextmanager
def progress(label: str) -> Iterator[Draw | None]:
    """Something to call with (done, of how many); None without a terminal. The bar goes when all is done, or fails."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    drawn = 0.0

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        if done >= total:
            clear()
        elif time.monotonic() - drawn >= _EVERY_S:
            drawn = time.monotonic()
            _write(f"\r{label} [{'#' * (done * _WIDTH // total):<{_WIDTH}}] {done / total:4.0%}")

    def clear() -> None:
        nonlocal drawn
        if drawn:
            _write("\r\x1b[K")
        drawn = 0.0

    try:
        yield draw
    finally:
        clear()


def _write(text: str) -> None:
    write(sys.stderr, text)
    sys.stderr.flush()
