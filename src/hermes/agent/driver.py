"""Carries out what a turn decides, in the thread of whoever iterates over it.

Everything that happens meanwhile comes through one queue: what the model says, what tools answer, a summary that is
written, an interrupt, text to steer by. Nothing here waits for anything else, so an interrupt is immediate.
"""

import logging
import math
import queue
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from hermes.agent import turn as t
from hermes.agent.base import Caller, Plan
from hermes.agent.callers import WithCallers, name_of
from hermes.agent.calls import start_calls
from hermes.agent.compression import pruned
from hermes.agent.conversation import Conversation, mended, with_text
from hermes.agent.setup import Setup
from hermes.agent.shrinking import Shrinking
from hermes.agent.stream import Stream
from hermes.errors import StoreError
from hermes.model.fences import harmless
from hermes.model.tokens import tokens_of_request
from hermes.model.usage import Usage
from hermes.providers.base import Finished, Request
from hermes.tools.base import ToolContext

log = logging.getLogger(__name__)
_FENCE = re.compile(r"<\s*/?\s*memory-context\b[^>]*>?", re.IGNORECASE)


class Written(NamedTuple):
    """A summary for a plan."""

    plan: Plan
    text: str


class Driver:
    """One turn."""

    def __init__(
        self, setup: Setup, conversation: Conversation, shrinking: Shrinking, caller: Caller = Caller()
    ) -> None:
        self._setup = setup
        self._tools = WithCallers(setup.tools, caller.tools) if caller.tools else setup.tools
        self._providers = setup.providers  # another model, chosen meanwhile, is for the next turn
        self._conversation = conversation
        self._shrinking = shrinking
        self._inbox: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._call = 0  # what an earlier call still says does not count
        self._stream: Stream | None = None
        self._stopped = threading.Event()
        self._ready = Request(())  # the next call, as it was measured
        self._estimate = 0
        self._attached = ""  # what the person's message refers to, until it is stored
        self._beside = ""  # what goes to the model with the person's message, and is not stored
        self._door = threading.Lock()  # what comes in while the turn ends is either taken or refused
        self.running = False
        agent = setup.settings.agent
        limits = t.Limits(
            agent.max_turns, agent.turn_tokens or None, agent.turn_seconds or None, agent.turn_cost or None
        )
        self.turn = t.Turn(
            secrets.token_hex(8),
            time.monotonic(),
            providers=[provider.name for provider in self._providers],
            limits=limits,
            beside=setup.tools.may_run_beside_others,
            callers=frozenset(map(name_of, caller.tools)).__contains__,
        )

    # -- from any thread

    def stop(self) -> None:
        self._stopped.set()
        self._inbox.put((0, t.Interrupt()))

    def steer(self, text: str) -> bool:
        """False: the turn is over, and the text was not taken."""
        with self._door:
            if self.running:
                self._inbox.put((0, t.Steer(text)))
            return self.running

    # -- the turn

    def run(
        self,
        message: Mapping[str, Any] | None,
        beside: str = "",
        attached: str = "",
        results: Sequence[Mapping[str, Any]] = (),
    ) -> Generator[Any]:
        self._beside, self._attached = beside, attached
        self.running = True
        try:
            yield from self._perform(self.turn.begin(message, results))
            while not self.turn.ended:
                yield from self._perform(self.turn.step(self._next(), time.monotonic()))
        finally:
            with self._door:
                self.running = False
            self._abandon()

    def _perform(self, effects: Sequence[Any]) -> Iterator[Any]:
        """The effects in order; what they bring about at once is carried out right behind them."""
        waiting = deque(effects)
        while waiting:
            effect = waiting.popleft()
            if isinstance(effect, t.Tell):
                yield effect.event
            else:
                waiting.extendleft(reversed(self._carry_out(effect)))

    def _carry_out(self, effect: Any) -> Sequence[Any]:
        """One effect; returns the effects of what came of it at once."""
        if isinstance(effect, t.Store):
            usage = None if effect.usage is None else self._billed(effect.usage)
            self._conversation.append(effect.message, effect.key, usage)
            if self._attached and effect.message["role"] == "user":
                self._conversation.attach(self._attached)
                self._attached = ""
        elif isinstance(effect, t.Record):
            self._conversation.db.record_usage(self._conversation.session_id, self._billed(effect.usage))
        elif isinstance(effect, t.Measure):
            return self.turn.step(self._measured(), time.monotonic())
        elif isinstance(effect, t.CallModel):
            self._ask_model(effect.place)
        elif isinstance(effect, t.CutCall):
            self._cut()
        elif isinstance(effect, t.CallTools):
            start_calls(self._tools, self._setup.hooks, effect.calls, self._context(), self._put)
        elif isinstance(effect, t.Compress):
            self._begin_compression(effect)
        return ()

    def _next(self) -> Any:
        """The next event of the turn, or the clock."""
        while True:
            wakes = self.turn.wakes()
            left = None if wakes is None else wakes - time.monotonic()
            if left is not None and left <= 0:
                return t.Clock()  # even when there is always something to hear
            try:
                call, event = self._inbox.get(timeout=left)
            except queue.Empty:
                return t.Clock()
            if isinstance(event, Written):
                return self._compressed(event)
            if call in (0, self._call):
                return self._noted(event)

    def _put(self, event: Any) -> None:
        self._inbox.put((0, event))

    # -- model calls

    def _request(self) -> Request:
        setup, conversation = self._setup, self._conversation
        messages = mended(pruned(conversation.with_attachments()))
        if self._beside:
            messages = _with_beside(messages, self._beside)
        system = [{"role": "system", "content": conversation.system_prompt}] if conversation.system_prompt else []
        effort = setup.options.effort
        return Request(
            [*system, *messages],
            self._tools.definitions(),
            max_tokens=setup.settings.model.max_tokens,
            effort=setup.settings.agent.reasoning_effort if effort is None else effort,
            cache_key=conversation.lineage_id,
        )

    def _measured(self) -> t.Measured:
        self._ready = request = self._request()
        self._estimate = tokens_of_request(request.messages, request.tools)
        window = self._providers[self.turn.place].window
        return t.Measured(self._setup.gauge.corrected(self._estimate), self._shrinking.limit(window))

    def _ask_model(self, place: int) -> None:
        provider, request = self._providers[place], self._ready
        self._setup.hooks.emit(
            "pre_api_request",
            session_id=self._conversation.session_id,
            provider=provider.name,
            model=provider.model,
            messages=request.messages,
        )
        self._call += 1
        number = self._call
        self._stream = Stream(provider, request, lambda event: self._inbox.put((number, event)))

    def _noted(self, event: Any) -> Any:
        """What is done about an event beside the turn's own business."""
        if isinstance(event, Finished):
            used = event.usage
            self._setup.gauge.learn(
                self._estimate, used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
            )
            self._setup.hooks.emit(
                "post_api_request",
                session_id=self._conversation.session_id,
                message=event.message,
                usage=used,
            )
        return event

    def _billed(self, usage: Usage) -> Usage:
        """With the provider that was asked, where the usage does not say it; empty when no model was."""
        provider = self._providers[self.turn.place]
        if usage.is_empty():
            return Usage()
        return replace(
            usage, model=usage.model or provider.model, billing_provider=usage.billing_provider or provider.name
        )

    def _cut(self) -> None:
        self._call += 1
        if self._stream is not None:
            self._stream.cut()

    # -- tools

    def _context(self) -> ToolContext:
        conversation = self._conversation
        return ToolContext(
            conversation.session_id, "", conversation.owner, conversation.source, self._stopped.is_set, self._setup.ask
        )

    # -- compression

    def _begin_compression(self, wanted: t.Compress) -> None:
        """Have the summary written in a thread of its own: it takes a model call."""
        window = self._providers[self.turn.place].window
        found = self._shrinking.necessary(wanted.harder) if wanted.must else self._shrinking.automatic(window)
        if found is None:
            self._put(t.Shrunk(None))
            return

        def write() -> None:
            self._put(Written(found, self._shrinking.write(found, None)))

        threading.Thread(target=write, name="hermes-compression", daemon=True).start()

    def _compressed(self, written: Written) -> Any:
        if self.turn.state != "compressing":
            return t.Clock()
        return t.Shrunk(self._shrinking.split(written.plan, written.text))

    # -- the end

    def _abandon(self) -> None:
        """Whoever iterated went away in mid-turn: what was said so far is kept, as after an interrupt."""
        self._stopped.set()
        try:
            for event in (t.Interrupt(), t.Clock()):
                for effect in self.turn.step(event, math.inf):
                    if isinstance(effect, t.Store | t.CutCall | t.Record):
                        self._carry_out(effect)
            self._keep_late_words()
        except StoreError:
            log.exception("what was said in a turn that broke off could not be stored")

    def _keep_late_words(self) -> None:
        """What the person added in the last moment is there for the next turn."""
        late = [event.text for _, event in iter(self._heard_late, None) if isinstance(event, t.Steer)]
        for number, text in enumerate(late):
            self._conversation.append({"role": "user", "content": text}, f"{self.turn.key}:late:{number}")

    def _heard_late(self) -> tuple[int, Any] | None:
        try:
            return self._inbox.get_nowait()
        except queue.Empty:
            return None


def _with_beside(messages: Sequence[dict[str, Any]], beside: str) -> list[dict[str, Any]]:
    """The newest message of the person with what is known beside it, fenced."""
    place = max(place for place, message in enumerate(messages) if message["role"] == "user")
    fenced = f"<memory-context>\n{harmless('memory-context', _FENCE.sub('', beside))}\n</memory-context>"
    return [*messages[:place], with_text(messages[place], fenced), *messages[place + 1 :]]
