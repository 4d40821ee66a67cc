"""What the agent needs and what it tells: everything else plugs in here.

person ──▶ Agent.run(text) ──▶ events (providers.base.Event, and the ones below)
             │   every message is in the store the moment it exists
             ├── Tools        what the model may call                 (default: none)
             ├── Compressor   keeps the conversation in the window    (default: our own)
             ├── Memory       what is known beside the conversation   (default: none)
             └── Hooks        the 14 documented events                (default: nobody listens)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from hermes.tools.base import ToolResult

HOOKS = (
    "pre_tool_call",
    "post_tool_call",
    "pre_llm_call",
    "post_llm_call",
    "pre_api_request",
    "post_api_request",
    "transform_terminal_output",
    "transform_tool_result",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "subagent_stop",
    "on_memory_write",
)


class ToolStarted(NamedTuple):
    call_id: str
    name: str
    arguments: str


class ToolEnded(NamedTuple):
    call_id: str
    name: str
    arguments: str
    result: ToolResult
    seconds: float


class Compressed(NamedTuple):
    """The conversation goes on in a continuation."""

    session_id: str
    title: str | None
    tokens_before: int
    tokens_after: int


class Titled(NamedTuple):
    title: str


class Notice(NamedTuple):
    """Something the person should be told: a fallback, a retry, a budget, a repaired call."""

    text: str


class TurnEnded(NamedTuple):
    """`reason`: answered, interrupted, iterations, tokens, time, cost, failed."""

    reason: str
    text: str


class Memory(Protocol):
    def prompt(self) -> str:
        """For the system prompt, when a session starts."""
        ...

    def on_turn_start(self, session_id: str, text: str) -> str:
        """What is remembered for this message; fenced as data and never stored."""
        ...

    def on_pre_compress(self, session_id: str, messages: Sequence[Mapping[str, Any]]) -> None: ...

    def on_session_end(self, session_id: str) -> None: ...


class Skills(Protocol):
    def prompt(self) -> str:
        """The index of skills for the system prompt."""
        ...

    def expand(self, name: str, rest: str) -> str | None:
        """`/name rest` as a user message with the skill in it; None: no such skill."""
        ...


Hook = Callable[..., Any]


class Hooks(Protocol):
    def emit(self, event: str, **values: Any) -> list[Any]:
        """Call every listener with these values; what they return, without the Nones. Never raises."""
        ...


class Summarise(Protocol):
    """A side task: a prompt for the auxiliary model of `task`. Raises ProviderError when there is none or it fails."""

    def __call__(self, task: str, prompt: str, *, most_tokens: int) -> str: ...


Events = Iterator[Any]
