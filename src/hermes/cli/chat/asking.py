"""One question, then leave: `-q`, `-z`, or whatever comes through a pipe."""

import argparse
import os
import stat
import sys
from typing import TYPE_CHECKING, Any

from hermes.errors import BadInput, StoreBusy

if TYPE_CHECKING:
    from hermes.commands.chat.chat import Chat

_LONGEST = 4_000_000  # bytes of standard input


def question(arguments: argparse.Namespace) -> str | None:
    """What is asked, with what was piped in behind it; None: nothing, so this is to be a conversation."""
    given = arguments.oneshot if arguments.oneshot is not None else arguments.query
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        return None
    text = "\n\n".join(part for part in ((given or "").strip(), _piped().strip()) if part)
    if not text:
        raise BadInput("There is nothing to answer: type a message behind -q, pipe one in, or start `hermes` alone.")
    return text


def _piped() -> str:
    """Standard input, where somebody sends something: a pipe or a file, not a terminal and not /dev/null."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # no real file, as in a test
        return sys.stdin.read()
    if stat.S_ISCHR(mode):
        return ""
    content = sys.stdin.buffer.read(_LONGEST + 1)
    if len(content) > _LONGEST:
        raise BadInput(f"What was piped in is longer than {_LONGEST // 1_000_000} MB; no model reads that much.")
    return content.decode("utf-8", "replace")


def ask(arguments: argparse.Namespace, text: str) -> int:
    """Ask, show, leave. With -z stdout gets the answer and nothing else."""
    from hermes.cli.chat.opening import configured, open_chat, opened

    alone = arguments.oneshot is not None
    config = configured(arguments)
    with opened(config, brief=True) as db:
        chat = open_chat(arguments, config, db, stays=False, titles_by_model=not alone)
        ends = True
        try:
            return _turn(chat, text, alone)
        except StoreBusy:
            ends = False  # that could not be stored either, and was waited for long enough
            raise
        finally:
            chat.close(ends=ends)
            if not alone:
                _resume_line(chat)


def _turn(chat: "Chat", text: str, alone: bool) -> int:
    from hermes.agent.base import Notice, StartedOver, ToolEnded, TurnEnded
    from hermes.cli.chat.lines import tool_line
    from hermes.cli.screen import say
    from hermes.providers.base import Retrying, TextDelta

    display = chat.settings.display
    answer, tells = _Answer(streams=not alone and display.streaming), not alone and display.tool_progress != "off"
    for event in chat.ask(text):
        if isinstance(event, TextDelta):
            answer.add(event.text)
        elif isinstance(event, StartedOver):
            answer.start_over(event.reason)
        elif isinstance(event, ToolEnded) and tells:
            answer.beside(tool_line(event))
        elif isinstance(event, Notice):
            say(event.text)
        elif isinstance(event, Retrying):
            wait = f" in {event.seconds:.0f} s" if event.seconds >= 1 else ""
            say(f"{event.reason} Trying again{wait}.")
        elif isinstance(event, TurnEnded):
            return answer.end(event)
    raise AssertionError("a turn ends with TurnEnded")


class _Answer:
    """What goes to stdout: every word as it comes, or all of it at the end."""

    def __init__(self, *, streams: bool) -> None:
        self._streams = streams
        self._open = False  # whether a line was begun and not ended

    def add(self, text: str) -> None:
        if self._streams:
            self._write(text)

    def _write(self, text: str) -> None:
        from hermes.cli.screen import safe, write

        shown = safe(text) if sys.stdout is not None and sys.stdout.isatty() else text
        write(sys.stdout, shown)
        self._open = not text.endswith("\n")
        if sys.stdout is not None:
            sys.stdout.flush()

    def beside(self, line: str) -> None:
        """A line about the work, between two pieces of the answer."""
        from hermes.cli.screen import safe, write

        if self._open:
            self._write("\n")
        write(sys.stderr, safe(line) + "\n")

    def start_over(self, reason: str) -> None:
        self.beside(f"[the answer broke off and starts over: {reason}]") if self._streams else None

    def end(self, ended: Any) -> int:
        if not self._streams and ended.text:
            self._write(ended.text)
        if self._open:
            self._write("\n")
        if ended.error is not None:
            raise ended.error
        return 130 if ended.reason == "interrupted" else 0


def _resume_line(chat: "Chat") -> None:
    from hermes.cli.screen import say

    if chat.agent.created:
        say(f"hermes --resume {chat.agent.session_id} goes on with this.")
