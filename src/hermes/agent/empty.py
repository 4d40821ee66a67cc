"""What an agent has where nothing was plugged in."""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.errors import NoProvider
from hermes.memory.base import About
from hermes.tools.base import ToolContext, ToolResult


class NoTools:
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        return ()

    def may_run_beside_others(self, name: str) -> bool:
        return False

    def call(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        return ToolResult(f"There is no tool '{name}'.", ok=False)


class NoMemory:
    def begin(self, about: About) -> None:
        pass

    def prompt(self) -> str:
        return ""

    def on_turn_start(self, session_id: str, text: str) -> str:
        return ""

    def on_pre_compress(self, session_id: str, messages: Sequence[Mapping[str, Any]]) -> None:
        pass

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None:
        pass

    def on_session_end(self, session_id: str) -> None:
        pass

    def news(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


class NoSkills:
    def prompt(self) -> str:
        return ""

    def expand(self, name: str, rest: str) -> str | None:
        return None


class NoHooks:
    def emit(self, event: str, **values: Any) -> list[Any]:
        return []


class NoPlugins(NoHooks):
    """What a front end has where no plugin is on."""

    def __init__(self) -> None:
        self.commands: dict[str, Any] = {}
        self.skills: list[Any] = []
        self.memory_providers: dict[str, Any] = {}
        self.platforms: dict[str, Any] = {}

    def run_command(self, name: str, rest: str) -> str:
        return ""

    def news(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


def no_summaries(task: str, prompt: str | list[dict[str, Any]], *, most_tokens: int) -> str:
    raise NoProvider("There is no model for side tasks.")
