"""All of a conversation's memory: the notes, and at most one other provider, which is kept at arm's length."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hermes.guarded import Guard
from hermes.memory.base import About, MemoryProvider
from hermes.memory.notes import Notes, Written

log = logging.getLogger(__name__)
_FAILURES = 3  # after these a provider is not asked again
_ASKED, _TOLD = 3.0, 5.0  # seconds: while somebody waits for an answer, and where it only hears of something
_USE = (
    "You have notes that last. Use the memory tool, without being asked, when the person tells you something about "
    "themselves or corrects you, and when you learn something that will hold in later conversations. Leave out what is "
    "only of today. What is noted shows in the next conversation."
)


class Manager:
    """What the agent calls its memory. `can_note`: whether it has the memory tool, which the prompt then speaks of."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.external: MemoryProvider | None = None
        self.warnings: list[str] = []
        self.failures = 0
        self.can_note: Callable[[], bool] = lambda: bool(notes.limits)
        self._guard = Guard("memory")

    def add(self, provider: MemoryProvider) -> bool:
        """Take a provider in beside the notes. False, with a warning: there is one already, or it cannot be used."""
        if self.external is not None:
            return self.refuse_second(provider.name)
        outcome = self._guard.call(provider.missing, _ASKED)
        reason = outcome.problem or outcome.value
        if reason:
            return self._refuse(f"Memory provider '{provider.name}' is left out: {reason}")
        self.external = provider
        return True

    def refuse_second(self, name: str) -> bool:
        """One more is there, and is not asked."""
        active = self.external.name if self.external is not None else ""
        return self._refuse(f"Memory provider '{name}' is left out: '{active}' is active, and there is one at most.")

    def _refuse(self, warning: str) -> bool:
        log.warning("%s", warning)
        self.warnings.append(warning)
        return False

    @property
    def active(self) -> bool:
        """Whether the other provider is still asked."""
        return self.external is not None and self.failures < _FAILURES

    # -- what the agent calls

    def begin(self, about: About) -> None:
        values = about._asdict()
        session_id = values.pop("session_id")
        self._call(lambda one: one.initialize(session_id, **values), _TOLD)

    def prompt(self) -> str:
        parts = [_USE if self.can_note() else "", self.notes.prompt(), self._text(lambda one: one.prompt())]
        return "\n\n".join(filter(None, parts))

    def on_turn_start(self, session_id: str, text: str) -> str:
        return self._text(lambda one: one.on_turn_start(session_id, text))

    def on_pre_compress(self, session_id: str, messages: Sequence[Mapping[str, Any]]) -> None:
        self._call(lambda one: one.on_pre_compress(session_id, messages), _TOLD)

    def on_memory_write(self, action: str, written: Written) -> None:
        self._call(lambda one: one.on_memory_write(action, written.target, written.content), _TOLD)

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None:
        self._call(lambda one: one.on_delegation(task, result, child_session_id), _TOLD)

    def on_session_end(self, session_id: str) -> None:
        self._call(lambda one: one.on_session_end(session_id), _TOLD)

    def close(self) -> None:
        self._call(lambda one: one.close(), _TOLD)
        self._guard.close()

    def news(self) -> list[str]:
        """Warnings nobody heard yet."""
        news, self.warnings = self.warnings, []
        return news

    # -- the other provider

    def _text(self, ask: Callable[[MemoryProvider], Any]) -> str:
        answer = self._call(ask, _ASKED)
        return answer if isinstance(answer, str) else ""

    def _call(self, ask: Callable[[MemoryProvider], Any], seconds: float) -> Any:
        provider = self.external
        if provider is None or not self.active:
            return None
        outcome = self._guard.call(lambda: ask(provider), seconds)
        if outcome.problem is not None:
            self._failed(provider, outcome.problem)
        return outcome.value

    def _failed(self, provider: MemoryProvider, problem: str) -> None:
        self.failures += 1
        warning = f"Memory provider '{provider.name}' {problem}"
        if not self.active:
            warning += f"; after {_FAILURES} failures it is not asked again in this conversation"
        self._refuse(f"{warning}.")
