"""What keys do at the prompt, beyond what they do in every prompt."""

import asyncio
import os
import signal
from typing import Any, Protocol

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from hermes.cli.chat.keyboard import Keyboard


class Leave(Exception):
    """The person leaves, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Interrupted(Protocol):
    def interrupt(self, app: "Application[Any]") -> None: ...


def bindings(repl: Interrupted, keyboard: Keyboard) -> KeyBindings:
    """Enter sends, Alt-Enter and Ctrl-J begin a line, so does Enter behind a backslash. Tab completes at once where
    there is one way only. Ctrl-Z suspends, Ctrl-X Ctrl-E opens the editor."""
    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith("\\") and not buffer.document.text_after_cursor:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("tab")
    def _complete(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_next()
            return
        found = list(buffer.completer.get_completions(buffer.document, CompleteEvent(completion_requested=True)))
        if len(found) == 1:
            buffer.apply_completion(found[0])
        else:
            buffer.start_completion(insert_common_part=True)

    @keys.add("c-c")
    def _interrupt(event: KeyPressEvent) -> None:
        repl.interrupt(event.app)

    @keys.add("c-d")
    def _leave(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            event.app.exit(exception=EOFError())

    @keys.add("c-z")
    def _suspend(event: KeyPressEvent) -> None:
        keyboard.lend(asyncio.ensure_future(run_in_terminal(lambda: os.kill(0, signal.SIGTSTP))))

    @keys.add("c-x", "c-e")
    def _edit(event: KeyPressEvent) -> None:
        keyboard.lend(event.current_buffer.open_in_editor())

    return keys
