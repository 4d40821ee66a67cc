"""Long texts, a screen at a time."""

import shutil
import subprocess

from hermes.cli import terminal
from hermes.cli.screen import Screen, write


def page(text: str, screen: Screen) -> None:
    """Through $PAGER, or `less`, when the text is longer than the terminal; plainly otherwise."""
    columns, lines = screen.size
    command, environment = terminal.pager()
    if _height(text, columns) < lines or not command or shutil.which(command[0]) is None:
        write(screen.out, text)
        return
    screen.out.flush()
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
        try:
            pager.communicate(text.encode("utf-8", "backslashreplace"))
        except KeyboardInterrupt:
            pager.wait()  # Ctrl-C belongs to the pager; it ends by itself


def _height(text: str, columns: int) -> int:
    return sum(1 + len(line) // max(1, columns) for line in text.splitlines())
