"""What keys do at the prompt, beyond what they do in every prompt."""

from typing import Any, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


class Leave(Exception):
    """The person leaves, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Interrupted(Protocol):
    def interrupt(self, app: "Application[Any]") -> None: ...


def bindings(repl: Interrupted) -> KeyBindings:
    """Enter sends, Alt-Enter and Ctrl-J begin a line, so does Enter behind a backslash. Tab completes at once where
    there is one way only."""
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

    return keys
