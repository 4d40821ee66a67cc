"""A question of a tool to the person, answered at the prompt."""

import queue
from collections.abc import Sequence

from hermes.cli.screen import safe


class Asked:
    def __init__(self, question: str, choices: Sequence[str]) -> None:
        self._question = question
        self._choices = list(choices)
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def text(self) -> str:
        """The question, and its choices with a number each."""
        lines = [self._question, *(f"  {number}  {choice}" for number, choice in enumerate(self._choices, 1))]
        return safe("\n".join(lines))

    def answer(self, typed: str) -> None:
        """What was typed, even if it is nothing; the number of a choice is that choice."""
        typed = typed.strip()
        if typed.isdecimal() and 1 <= int(typed) <= len(self._choices):
            typed = self._choices[int(typed) - 1]
        self._answers.put(typed)

    def give_up(self) -> None:
        self._answers.put(None)

    def wait(self, seconds: float) -> str | None:
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return None
