"""A prompt that is there before anything is loaded.

What the person types meanwhile stays in the terminal's own queue, and the real prompt reads it from there.
"""

import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from hermes.cli import terminal

PROMPT = "❯ "
_LOCAL, _INPUT = 3, 0  # places in the list of attributes


@contextmanager
def keys_kept() -> Iterator[None]:
    """Inside the block keys are neither echoed nor obeyed before somebody reads them; Ctrl-C still interrupts."""
    inside = sys.stdin.fileno()
    before = termios.tcgetattr(inside)
    quiet = termios.tcgetattr(inside)
    quiet[_LOCAL] &= ~(termios.ECHO | termios.ICANON)
    quiet[_INPUT] &= ~termios.ICRNL  # Enter stays Enter
    termios.tcsetattr(inside, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(inside, termios.TCSANOW, before)


@contextmanager
def first_prompt() -> Iterator[None]:
    """The prompt stands there inside the block; afterwards the line is empty again."""
    sys.stdout.write(f"\x1b[1;36m{PROMPT}\x1b[0m" if terminal.wants_colour() else PROMPT)
    sys.stdout.flush()
    try:
        yield
    finally:
        sys.stdout.write("\r\x1b[K")
        sys.stdout.flush()
