"""A turn, from the person's message to the answer, as a machine without any I/O.

    step(event) → effects        events are told in, effects are to be carried out in order

Whatever is decided is decided here: what is stored and when, which provider is asked, what runs beside what, when a
budget is spent, what an interrupt leaves behind. `driver.py` carries the effects out and brings the events.

    calling ──Finished with calls──▶ tools ──all answered──▶ measuring ──▶ calling
       │                               │                        │
       └──Finished without──▶ ended ◀──┴── interrupt, budget ◀──┘ (or compressing, then calling)

Calls of tools that whoever asks runs itself end the turn as soon as the others are answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hermes.agent.base import Compressed, Notice, StartedOver, Steered, ToolEnded, ToolStarted, TurnEnded
from hermes.errors import (
    AnswerBroken,
    HermesError,
    KeyRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    QuotaSpent,
    RateLimited,
)
from hermes.model.usage import Usage
from hermes.providers.base import Finished, ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from hermes.tools.base import ToolResult

INTERRUPTED = "[interrupted: the person stopped the turn before this call was done]"
OUT_OF_TIME = "[stopped: the time for this turn was over before this call was done]"
_GRACE = 1.0  # seconds a running tool gets to end by itself
TRIES_TO_SHRINK = 3
_TOGETHER = 8  # calls at once; a model may ask for hundreds
_ELSEWHERE = (KeyRefused, QuotaSpent, RateLimited, ProviderDown, AnswerBroken)  # another provider may do better


# -- events in (beside the provider's own)


class Measured(NamedTuple):
    """How many tokens the next call would send, and how many make it too full (None: nothing does)."""

    tokens: int
    limit: int | None


class CallFailed(NamedTuple):
    error: ProviderError


class Answered(NamedTuple):
    """A tool is done."""

    call_id: str
    result: ToolResult
    seconds: float = 0.0


class Shrunk(NamedTuple):
    """Compression is over; `told` is what the person hears of it, None: there was nothing to compress."""

    told: Compressed | None


class Interrupt(NamedTuple):
    pass


class Steer(NamedTuple):
    text: str


class Clock(NamedTuple):
    """Time has passed."""


# -- effects out


class Store(NamedTuple):
    """A message that exists from now on, with the model call it came from for the ledger. On disk before the next
    effect."""

    message: Mapping[str, Any]
    key: str
    usage: Usage | None = None


class Record(NamedTuple):
    """A model call without a message, for the ledger."""

    usage: Usage


class Measure(NamedTuple):
    pass


class CallModel(NamedTuple):
    """Ask the provider at this place: 0 is the main one, the fallbacks follow."""

    place: int


class CutCall(NamedTuple):
    """Let go of the call under way; nothing it still says counts."""


class Call(NamedTuple):
    call_id: str
    name: str
    arguments: str


class CallTools(NamedTuple):
    """Run these, beside each other."""

    calls: Sequence[Call]


class Compress(NamedTuple):
    """`harder`: how often it was not enough already; `must`: the provider does not take it as it is."""

    harder: int
    must: bool = False


class Tell(NamedTuple):
    event: Any


Effects = list[Any]
_UNKNOWN = Usage(api_call_count=1, cost_status="unknown")  # of a call that was not finished


class Limits(NamedTuple):
    """What a turn may take; None: as much as it wants."""

    iterations: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    dollars: float | None = None


@dataclass(slots=True)
class Turn:
    """One turn. `key` makes the idempotency keys of its messages, `began` is the clock when it started."""

    key: str
    began: float
    providers: Sequence[str] = ("",)  # by name: the main one, then the ones to fall back to
    limits: Limits = field(default_factory=Limits)
    beside: Callable[[str], bool] = lambda name: False  # whether a tool may run beside others
    callers: Callable[[str], bool] = lambda name: False  # whether a tool is run by whoever asks
    state: str = "new"
    place: int = 0
    said: list[str] = field(default_factory=list)  # the answer that is being written
    thought: list[str] = field(default_factory=list)
    shown: bool = False  # something of the answer was passed on
    calls: int = 0  # model calls so far
    tokens: int = 0
    dollars: float = 0.0
    stored: int = 0
    started_over: bool = False
    squeezed: int = 0  # compressions for the call that comes next
    grace_ends: float | None = None
    reason: str = ""  # why it is ending, while tools get their grace
    steering: list[str] = field(default_factory=list)
    waiting: list[list[Call]] = field(default_factory=list)  # groups of calls still to be run
    running: dict[str, Call] = field(default_factory=dict)
    handed: list[Call] = field(default_factory=list)  # calls for whoever asks

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.said)

    @property
    def ended(self) -> bool:
        return self.state == "ended"

    def wakes(self) -> float | None:
        """When the clock has to be told, if nothing else happens before."""
        if self.grace_ends is not None:
            return self.grace_ends
        return None if self.limits.seconds is None else self.began + self.limits.seconds

    def begin(self, message: Mapping[str, Any] | None, results: Sequence[Mapping[str, Any]] = ()) -> Effects:
        """With what the person says, or with the results of calls that were handed out, or both."""
        self.state = "measuring"
        said = [*results, *([] if message is None else [message])]
        return [*map(self._store, said), Measure()]

    def step(self, event: Any, now: float) -> Effects:
        if self.ended:
            return []
        if isinstance(event, Steer):
            self.steering.append(event.text)
            return []
        if isinstance(event, Interrupt):
            return self._stop("interrupted", now)
        if isinstance(event, Clock):
            return self._tick(now)
        handler = {"measuring": self._measured, "calling": self._heard, "tools": self._answered}.get(self.state)
        return handler(event, now) if handler else self._shrunk(event)

    # -- before a model call

    def _measured(self, event: Any, now: float) -> Effects:
        if not isinstance(event, Measured):
            return []
        spent = self._spent(now)
        if spent:
            return self._end(spent, Notice(_spent_notice(spent, self.limits)))
        if event.limit is not None and event.tokens >= event.limit and not self.squeezed:
            return self._compress()
        return self._call()

    def _spent(self, now: float) -> str | None:
        spent = (
            ("iterations", self.calls, self.limits.iterations),
            ("tokens", self.tokens, self.limits.tokens),
            ("time", now - self.began, self.limits.seconds),
            ("cost", self.dollars, self.limits.dollars),
        )
        return next((name for name, used, limit in spent if limit is not None and used >= limit), None)

    def _call(self) -> Effects:
        self.state, self.said, self.thought, self.shown = "calling", [], [], False
        return [CallModel(self.place)]

    def _again(self) -> Effects:
        """The next call of the turn, with what the person said meanwhile."""
        self.state, self.squeezed, self.started_over = "measuring", 0, False
        said, self.steering = self.steering, []
        effects: Effects = []
        for text in said:
            effects += [self._store({"role": "user", "content": text}), Tell(Steered(text))]
        return [*effects, Measure()]

    def _compress(self, *, must: bool = False) -> Effects:
        self.state = "compressing"
        self.squeezed += 1
        return [Compress(self.squeezed - 1, must)]

    def _shrunk(self, event: Any) -> Effects:
        if not isinstance(event, Shrunk):
            return []
        if event.told is not None:
            self.state = "measuring"
            return [Tell(event.told), Measure()]
        return self._call()  # it is as short as it gets; the provider has the last word

    # -- while the model answers

    def _heard(self, event: Any, now: float) -> Effects:
        if isinstance(event, TextDelta):
            self.said.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self.thought.append(event.text)
        elif isinstance(event, Finished):
            return self._finished(event)
        elif isinstance(event, CallFailed):
            return self._failed(event.error)
        elif not isinstance(event, ToolCallDelta | Retrying):
            return []
        self.shown = self.shown or not isinstance(event, Retrying)
        return [Tell(event)]

    def _finished(self, event: Finished) -> Effects:
        message, calls = _with_ids(event.message)
        self._spend(event.usage)
        self.said = [text_of(message.get("content"))]
        effects = [self._store(message, event.usage), Tell(Finished(message, event.usage))]
        if calls:
            self.handed = [call for call in calls if self.callers(call.name)]
            self.waiting = self._groups([call for call in calls if call not in self.handed])
            return effects + self._next_tools()
        if self.steering:
            return effects + self._again()
        return effects + self._end("answered", _remark(message, self.text))

    def _spend(self, usage: Usage) -> None:
        self.calls += 1
        self.tokens += usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        cost = usage.actual_cost_usd if usage.actual_cost_usd is not None else usage.estimated_cost_usd
        self.dollars += cost or 0.0

    def _failed(self, error: ProviderError) -> Effects:
        if isinstance(error, PromptTooLong) and not self.shown and self.squeezed < TRIES_TO_SHRINK:
            return self._compress(must=True)
        broken = isinstance(error, AnswerBroken | ProviderDown)
        if broken and self.shown and not self.started_over:
            self.started_over = True
            return [Record(_UNKNOWN), Tell(StartedOver(str(error))), *self._call()]
        if self.text:
            notice = Notice(f"The answer broke off, and what came of it was kept: {error}")
            return [*self._keep("cut"), *self._end("failed", notice, error)]
        if isinstance(error, _ELSEWHERE) and self.place + 1 < len(self.providers):
            self.place, self.started_over = self.place + 1, False
            return [Tell(Notice(f"{error} Going on with {self.providers[self.place]}.")), *self._call()]
        return self._end("failed", error=error)

    def _keep(self, finish_reason: str) -> Effects:
        """What was streamed of an answer that will not be finished; its cost is not known."""
        if not self.text:
            return [Record(_UNKNOWN)]
        message = {"role": "assistant", "content": self.text, "finish_reason": finish_reason}
        if self.thought:
            message["reasoning"] = "".join(self.thought)
        return [self._store(message, _UNKNOWN)]

    # -- while tools run

    def _groups(self, calls: Sequence[Call]) -> list[list[Call]]:
        """Calls in order; neighbours that may run beside others are one group."""
        groups: list[list[Call]] = []
        together = False
        for call in calls:
            beside = self.beside(call.name)
            if beside and together and len(groups[-1]) < _TOGETHER:
                groups[-1].append(call)
            else:
                groups.append([call])
            together = beside
        return groups

    def _next_tools(self) -> Effects:
        self.state = "tools"
        if not self.waiting:
            return self._end("called") if self.handed else self._again()
        group = self.waiting.pop(0)
        self.running = {call.call_id: call for call in group}
        return [*(Tell(ToolStarted(*call)) for call in group), CallTools(group)]

    def _answered(self, event: Any, now: float) -> Effects:
        if not isinstance(event, Answered) or event.call_id not in self.running:
            return []
        call = self.running.pop(event.call_id)
        effects: Effects = [
            self._result(call, event.result.content),
            Tell(ToolEnded(*call, result=event.result, seconds=event.seconds)),
        ]
        if self.running:
            return effects
        return effects + (self._close(self.reason) if self.reason else self._next_tools())

    def _result(self, call: Call, content: Any) -> Store:
        message = {"role": "tool", "tool_call_id": call.call_id, "tool_name": call.name, "content": content}
        return self._store(message)

    # -- the end

    def _stop(self, reason: str, now: float) -> Effects:
        if self.state == "calling":
            return [CutCall(), *self._keep("interrupted"), *self._end(reason)]
        if self.state != "tools":
            return [CutCall(), *self._end(reason)]
        if not self.reason:
            self.reason, self.grace_ends = reason, now + _GRACE
        return []

    def _tick(self, now: float) -> Effects:
        if self.grace_ends is not None:
            return self._close(self.reason) if now >= self.grace_ends else []
        if self.limits.seconds is not None and now - self.began >= self.limits.seconds:
            return [Tell(Notice(_spent_notice("time", self.limits))), *self._stop("time", now)]
        return []

    def _close(self, reason: str) -> Effects:
        """Answer every call that is still open, and end."""
        left = [*self.running.values(), *(call for group in self.waiting for call in group), *self.handed]
        said = ToolResult(OUT_OF_TIME if reason == "time" else INTERRUPTED, ok=False)
        told = [Tell(ToolEnded(*call, result=said, seconds=0.0)) for call in self.running.values()]
        return [*(self._result(call, said.content) for call in left), *told, *self._end(reason)]

    def _end(self, reason: str, notice: Notice | None = None, error: HermesError | None = None) -> Effects:
        self.state = "ended"
        told = [Tell(notice)] if notice else []
        said = [self._store({"role": "user", "content": text}) for text in self.steering]  # not lost: for the next turn
        return [*said, *told, Tell(TurnEnded(reason, self.text, error))]

    def _store(self, message: Mapping[str, Any], usage: Usage | None = None) -> Store:
        self.stored += 1
        return Store(message, f"{self.key}:{self.stored}", usage)


def _remark(message: Mapping[str, Any], text: str) -> Notice | None:
    """What the person should know of an answer that is not quite one."""
    reason = message.get("finish_reason")
    if reason == "length":
        return Notice("The answer reached its limit (model.max_tokens, or the model's own); say “go on” for the rest.")
    if reason == "content_filter":
        return Notice("The provider withheld the answer, or a part of it.")
    return None if text.strip() else Notice("The model ended the turn without a word; ask again, or /retry.")


def _with_ids(message: Mapping[str, Any]) -> tuple[dict[str, Any], list[Call]]:
    """The message with an id of its own for every call, and the calls. Small models forget ids, or repeat them."""
    entries, calls, seen = [], [], set[str]()
    for number, entry in enumerate(message.get("tool_calls") or ()):
        call_id = entry.get("id")
        if not call_id or call_id in seen:
            call_id = f"{call_id or 'call'}_{number}"
        seen.add(call_id)
        function = entry.get("function") or {}
        entries.append({**entry, "id": call_id})
        calls.append(Call(call_id, function.get("name") or "", function.get("arguments") or ""))
    return (dict(message) | {"tool_calls": entries} if entries else dict(message)), calls


def text_of(content: Any) -> str:
    """The words of a message's content."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _spent_notice(reason: str, limits: Limits) -> str:
    told = {
        "iterations": f"Stopped after {limits.iterations} model calls (agent.max_turns); say “go on” to continue.",
        "tokens": f"Stopped: this turn used its {limits.tokens:,} tokens (agent.turn_tokens); say “go on” to continue."
        if limits.tokens is not None
        else "",
        "time": f"Stopped after {limits.seconds} seconds (agent.turn_seconds); say “go on” to continue.",
        "cost": f"Stopped: this turn cost its ${limits.dollars} (agent.turn_cost); say “go on” to continue.",
    }
    return told[reason]
