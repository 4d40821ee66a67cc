"""What the agent needs and what it tells: everything else plugs in here.

person ──▶ Agent.run(text) ──▶ events (providers.base.Event, and the ones below)
             │   every message is in the store the moment it exists
             ├── Tools        what the model may call                 (default: none)
             ├── Compressor   keeps the conversation in the window    (default: our own)
             ├── Memory       what is known beside the conversation   (default: none)
             └── Hooks        the 14 documented events                (default: nobody listens)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hermes.errors import HermesError
from hermes.memory.base import About
from hermes.model.usage import Usage
from hermes.store.db import Store
from hermes.tools.base import ToolResult

HOOKS = (
    "pre_tool_call",  # before a tool runs; {"action": "block", "message": …} keeps it from running
    "post_tool_call",  # after it ran
    "pre_llm_call",  # a turn begins; {"context": text} goes to the model with the person's message, and is not stored
    "post_llm_call",  # a turn was answered
    "pre_api_request",  # before each model call
    "post_api_request",  # after each model call
    "transform_terminal_output",  # the terminal tool's; a text takes the output's place
    "transform_tool_result",  # a text takes the result's place
    "on_session_start",  # the first message of a session is stored, or the first one after a resume
    "on_session_end",  # the agent is closed
    "on_session_finalize",  # nothing more goes into this session from here: closed, compressed, or left for a new one
    "on_session_reset",  # a front end begins a new session in the place of this one
    "subagent_stop",  # a child agent is done
    "on_memory_write",  # the agent noted something down
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


class StartedOver(NamedTuple):
    """The answer broke off after some of it was shown; what was shown is void, and it comes once more."""

    reason: str


class Steered(NamedTuple):
    """Text the person added while the agent worked is now part of the conversation."""

    text: str


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
    """The last event of every turn. `reason`: answered, called (the caller's turn now), interrupted, iterations,
    tokens, time, cost, failed; `text`: the answer as far as it came; `error`: why it failed, in its own words."""

    reason: str
    text: str
    error: HermesError | None = None


class Caller(NamedTuple):
    """A program that asks instead of a person. It may bring `tools` in the OpenAI function form, which it runs itself:
    when the model calls one, the turn ends with reason `called`, and the `results` come with the next turn, as tool
    messages."""

    tools: Sequence[Mapping[str, Any]] = ()
    results: Sequence[Mapping[str, Any]] = ()


class SessionOptions(NamedTuple):
    """What a new session is made with, beyond the obvious."""

    personality: str | None = None  # a name under `personalities`; None: the one in the settings
    system_prompt: str | None = None  # instead of the one that is built
    added_prompt: str = ""  # behind the one that is built
    cwd: Path | None = None  # where context files are looked for; None: nowhere
    user_id: str | None = None
    chat_id: str | None = None
    chat_type: str | None = None
    thread_id: str | None = None
    parent_session_id: str | None = None
    effort: str | None = None  # None: agent.reasoning_effort
    new_id: str | None = None  # the id of the new session; None: one is made


class Standing(NamedTuple):
    """How far a conversation is: `tokens` of the model's `window` are taken (about), and what it used so far, over
    all of its parts. `usage.cost_status` is `unknown` when the cost of some call is."""

    tokens: int
    window: int
    usage: Usage


class Entry(NamedTuple):
    """A message of the conversation, as it is sent, with its row in the store. `carried`: it came along from the part
    before a compression."""

    id: int
    message: dict[str, Any]
    carried: bool = False


class Plan(NamedTuple):
    """A compression: the first and the last messages stay, a summary takes the place of the middle."""

    head: Sequence[Entry]
    middle: Sequence[Entry]
    tail: Sequence[Entry]

    @property
    def seen(self) -> int:
        """The last message the plan knows of."""
        return max(entry.id for entry in (*self.head, *self.middle, *self.tail))


class Compressor(Protocol):
    """Decides what of a long conversation stays, and writes what stands for the rest. Touches nothing: the agent
    carries it out."""

    def plan(self, entries: Sequence[Entry], *, room: int, harder: int) -> Plan | None:
        """None: nothing can go. More than the last few messages may stay as long as they fit in `room` tokens; each
        time it was not enough (`harder` 1, 2), less should. Calls stay with their results."""
        ...

    def write(self, plan: Plan, focus: str | None) -> str:
        """The summary of the middle, above all of what is about the focus. May take a model call; never fails."""
        ...


class Memory(Protocol):
    """What memory.manager is to the agent. Nothing here raises, and nothing takes long."""

    def begin(self, about: About) -> None:
        """Before anything else, once for each agent."""
        ...

    def prompt(self) -> str:
        """For the system prompt, when a session starts."""
        ...

    def on_turn_start(self, session_id: str, text: str) -> str:
        """What is remembered for this message; fenced as data and never stored."""
        ...

    def on_pre_compress(self, session_id: str, messages: Sequence[Mapping[str, Any]]) -> None: ...

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None: ...

    def on_session_end(self, session_id: str) -> None: ...

    def news(self) -> list[str]:
        """What the person should be told, once."""
        ...

    def close(self) -> None: ...


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
    """A side task: a prompt (text, or parts with pictures) for the auxiliary model of `task`. Raises ProviderError when
    there is none or it fails."""

    def __call__(self, task: str, prompt: str | list[dict[str, Any]], *, most_tokens: int) -> str: ...


class OnStored(Protocol):
    """Called within the transaction that stores a message, so that whatever it writes there is stored with it or not
    at all. Raising keeps the message from being stored; what it returns is called once it is."""

    def __call__(
        self, tx: Store, session_id: str, message_id: int, message: Mapping[str, Any]
    ) -> Callable[[], None] | None: ...


Events = Iterator[Any]
