"""The terminal, or the pipe: how wide it is, whether it knows colour, and everything that is said to it."""

import json
import re
import sys
import time
from collections.abc import Iterable
from typing import Any, TextIO

from hermes.cli import terminal
from hermes.commands.reply import Ask, Reply, Stream, Style, Transcript
from hermes.errors import BadInput

_CODES: dict[Style, str] = {
    "": "",
    "strong": "1",
    "dim": "2",
    "hit": "1;33",
    "user": "33",
    "assistant": "32",
    "good": "32",
    "warn": "33",
    "bad": "31",
}
# Control characters, and what turns text around: shown, never obeyed. Newlines and tabs stay.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LONGEST_LINE = 1000
_UNSAFE_IN_JSON = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_PLAIN = str.maketrans(
    {"─": "-", "—": "-", "–": "-", "…": ".", "·": "-", "●": "*", "◆": "+", "│": "|", "├": "|", "└": "`"}
    | {
        "←": "<",
        "✓": "+",
        "✗": "x",
        "╭": "+",
        "╮": "+",
        "╰": "+",
        "╯": "+",
        "❯": ">",
        "↻": "~",
        "“": '"',
        "”": '"',
        "’": "'",
    }
    | dict(zip("▏▎▍▌▋▊▉█▁▂▃▄▅▆▇", "   ====#_.,-~=*", strict=True))
)


def safe(text: str) -> str:
    """What came from outside, with nothing in it that a terminal would obey."""
    return _UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


def say(message: str) -> None:
    """One line beside the output. Of what quotes a very long argument, the middle is left out."""
    line = " ".join(safe(message).split())
    if len(line) > _LONGEST_LINE:
        line = f"{line[: _LONGEST_LINE // 2]} … {line[-_LONGEST_LINE // 2 :]}"
    write(sys.stderr, f"hermes: {line}\n")


def write(stream: TextIO | None, text: str) -> None:
    """Text in whatever encoding the stream has; characters it lacks are spelled out, drawings become ASCII."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    if encoding.lower().replace("-", "") not in ("utf8", "utf8mb4"):
        text = "".join(char if _known(char, encoding) else char.translate(_PLAIN) for char in text)
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text)


def _known(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


class Screen:
    """Draws replies, on stdout unless told otherwise."""

    def __init__(self, out: TextIO | None = None, *, as_json: bool = False) -> None:
        self.out = sys.stdout if out is None else out
        self.as_json = as_json
        self.is_terminal = self.out is not None and self.out.isatty()
        self.colour = self.is_terminal and terminal.wants_colour()
        self.now = time.time()

    @property
    def size(self) -> tuple[int, int]:
        """(columns, lines) of the terminal; a pipe has no end."""
        if not self.is_terminal:
            return 10_000, 10_000
        return terminal.size()

    def styled(self, text: str, style: Style) -> str:
        """Text in a style; where there is no colour, a hit is marked instead."""
        text = safe(text)
        if self.colour and _CODES[style]:
            return f"\x1b[{_CODES[style]}m{text}\x1b[0m"
        return f">>>{text}<<<" if style == "hit" else text

    def show(self, reply: Reply) -> int:
        """Draw the reply, ask what it asks, and return the exit code."""
        if self.as_json and reply.ask is None:
            self._print_json(reply.data)
        elif not self.as_json:
            self._draw(reply)
        for notice in reply.notices:
            say(notice)
        return self._ask(reply.ask) if reply.ask is not None else reply.exit_code

    def _draw(self, reply: Reply) -> None:
        from hermes.cli.draw import lines_of

        for part in reply.parts:
            if isinstance(part, Stream):
                self._stream(part.lines)
                continue
            text = "".join(line.rstrip() + "\n" for line in lines_of(part, self))
            if isinstance(part, Transcript) and self.is_terminal:
                from hermes.cli.pager import page

                page(text, self)
            else:
                write(self.out, text)

    def _stream(self, lines: Iterable[str]) -> None:
        for line in lines:
            write(self.out, safe(line) + "\n")
            if self.out is not None:
                self.out.flush()

    def _print_json(self, data: Any) -> None:
        for value in data if isinstance(data, list) else [data]:
            text = json.dumps(value, ensure_ascii=False, default=str)
            escaped = re.sub(_UNSAFE_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)
            write(self.out, (escaped if _is_utf8(self.out) else json.dumps(value, default=str)) + "\n")

    def _ask(self, ask: Ask) -> int:
        write(sys.stderr, safe(ask.question) + " [y/N] ")
        sys.stderr.flush()
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:
            write(sys.stderr, "\n")
            raise BadInput("Nobody answered, so nothing was changed; --yes goes ahead without asking.")
        if answer.strip().lower() not in ("y", "yes"):
            write(sys.stderr, "Cancelled.\n")
            return 0
        return self.show(ask.then())


def _is_utf8(stream: TextIO | None) -> bool:
    return stream is None or (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
