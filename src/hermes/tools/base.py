"""A tool, seen from the loop that runs it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class ToolResult(NamedTuple):
    """What a tool answered. `ok` is False for a failure, which the model gets to read like any other answer."""

    content: str | list[dict[str, Any]]
    ok: bool = True


class ToolContext(NamedTuple):
    """Who asks for a tool to be run."""

    session_id: str
    call_id: str
    owner: str
    platform: str
    stopped: Callable[[], bool]  # the person interrupted the turn: end soon
    ask: Callable[[str, Sequence[str]], str | None]  # put a question to the person; None: nobody there to answer


class Tools(Protocol):
    """The registry, seen from the loop."""

    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """What the model is told, in the OpenAI function form."""
        ...

    def may_run_beside_others(self, name: str) -> bool: ...

    def call(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        """Never raises for what a tool does; bounded in time and size."""
        ...
