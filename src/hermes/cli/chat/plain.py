"""A conversation line by line: for a terminal that cannot move its cursor."""

import sys

from hermes.agent.base import Notice, StartedOver, ToolEnded, TurnEnded
from hermes.cli.chat.lines import tool_line
from hermes.cli.screen import Screen, safe, say, write
from hermes.commands.chat.about import greeting, stays
from hermes.commands.chat.chat import Chat
from hermes.commands.chat.resuming import farewell
from hermes.commands.chat.slash import is_command, perform
from hermes.errors import HermesError
from hermes.providers.base import TextDelta


def converse(chat: Chat) -> int:
    """Until the person leaves: /exit, the end of input, or Ctrl-C at the prompt."""
    Screen().show(greeting(chat))
    stays(chat)
    try:
        while not chat.leaving:
            typed = _typed()
            if typed is None:
                break
            if typed.strip():
                _answer(chat, typed)
    except KeyboardInterrupt:
        pass  # at the prompt: the person leaves
    chat.close()
    Screen().show(farewell(chat))
    chat.db.close()
    return 0


def _typed() -> str | None:
    write(sys.stdout, "❯ ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line if line else None


def _answer(chat: Chat, typed: str) -> None:
    try:
        if is_command(chat, typed):
            Screen().show(perform(chat, typed))
        else:
            chat.queue.append(typed.rstrip("\n"))
        while chat.queue:
            _turn(chat, chat.queue.popleft())
    except HermesError as error:
        say(str(error))


def _turn(chat: Chat, text: str) -> None:
    """Ctrl-C stops the turn, and what was said is kept."""
    try:
        for event in chat.ask(text):
            _show(event)
    except KeyboardInterrupt:
        write(sys.stdout, "\n[stopped]\n")


def _show(event: object) -> None:
    if isinstance(event, TextDelta):
        write(sys.stdout, safe(event.text))
        sys.stdout.flush()
    elif isinstance(event, ToolEnded):
        write(sys.stdout, safe(tool_line(event)) + "\n")
    elif isinstance(event, StartedOver):
        write(sys.stdout, f"\n[the answer broke off and starts over: {safe(event.reason)}]\n")
    elif isinstance(event, Notice):
        say(event.text)
    elif isinstance(event, TurnEnded):
        write(sys.stdout, "\n")
        if event.error is not None:
            say(str(event.error))
