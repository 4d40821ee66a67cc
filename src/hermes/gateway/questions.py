"""A question of a tool to the person in a chat."""

import threading
from collections.abc import Sequence


class Question:
    def __init__(self, choices: Sequence[str]) -> None:
        self._choices = {choice.lower(): choice for choice in choices}
        self._answered = threading.Event()
        self._answer: str | None = None

    def answered_by(self, text: str) -> bool:
        """Whether this is an answer: one of the choices or, where there are none, anything but a command."""
        answer = self._choices.get(text.lower()) if self._choices else (None if text.startswith("/") else text)
        if answer is None or self._answered.is_set():
            return False
        self._answer = answer
        self._answered.set()
        return True

    def wait(self, seconds: float) -> str | None:
        self._answered.wait(seconds)
        return self._answer
