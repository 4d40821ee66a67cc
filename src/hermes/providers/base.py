"""What a model provider is, whatever its wire format. The agent knows this page and nothing below it.

    Request ──▶ Provider.stream() ──▶ TextDelta · ReasoningDelta · ToolCallDelta · Retrying … Finished

Messages are in the OpenAI chat shape, as the store keeps them: system, user (text, or a list of parts with images),
assistant (with `tool_calls`, and with `reasoning_details` or `codex_*_items` where its wire format gave them), tool. A
provider sends back the reasoning items that its own format needs, and never any other reasoning.

A stream ends with exactly one Finished, or raises a ProviderError, whose class says what can be done about it. It does
its own bounded retries before the first delta; after that a failure is the caller's, who knows what was shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from hermes.model.usage import Usage

Message = Mapping[str, Any]


class Request(NamedTuple):
    """One model call."""

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()  # {"type": "function", "function": {name, description, parameters}}
    max_tokens: int | None = None
    effort: str = ""  # how long to think; see config.areas.core.EFFORTS
    schema: Mapping[str, Any] | None = None  # the answer is JSON of this schema
    cache_key: str = ""  # the same for calls that share a beginning: the lineage of a session


class TextDelta(NamedTuple):
    text: str


class ReasoningDelta(NamedTuple):
    text: str


class ToolCallDelta(NamedTuple):
    """A piece of a call that the model is writing; for display. The whole call is in Finished."""

    index: int  # type: ignore[assignment]  # a tuple has a method of this name, which nobody needs here
    name: str
    arguments: str


class Retrying(NamedTuple):
    """The call failed in a way that passes; the next try follows after `seconds`."""

    reason: str
    seconds: float


class Finished(NamedTuple):
    """The complete answer: `message` is what to store, with role assistant, content, tool_calls, finish_reason and the
    reasoning columns of the store. `usage` has tokens, cost (or cost_status `unknown`), model and billing."""

    message: dict[str, Any]
    usage: Usage


Event = TextDelta | ReasoningDelta | ToolCallDelta | Retrying | Finished


class Stream(Protocol):
    """Events as they come."""

    def __iter__(self) -> Iterator[Event]: ...

    def __next__(self) -> Event: ...

    def close(self) -> None:
        """End the request: from any thread, at any time, more than once. Whoever waits for the next event gets the end
        of the iteration within a second, not an error. A stream that told Finished needs no closing, and has left its
        connection to the next call."""
        ...


class Provider(Protocol):
    @property
    def name(self) -> str:
        """A preset, or a name under `providers:`."""
        ...

    @property
    def model(self) -> str: ...

    @property
    def window(self) -> int:
        """Tokens that fit into one call, prompt and answer together."""
        ...

    def stream(self, request: Request) -> Stream:
        """Nothing is sent before the first event is asked for. An endpoint can be used by several threads at once, a
        stream by one, apart from `close`."""
        ...
