"""A turn that a program waits for: the session it is in, what happens in it, and what came of it."""

import asyncio
import hashlib
import json
import secrets
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hermes.agent.base import StartedOver, TurnEnded
from hermes.errors import BadInput, HermesError, NotFound
from hermes.gateway.adapters.api_asked import Asked, Message
from hermes.gateway.arrival import Arrival, Stored
from hermes.gateway.base import Incoming
from hermes.gateway.keys import Place
from hermes.gateway.lane import Lane
from hermes.gateway.resuming import new_id
from hermes.providers.base import Finished, TextDelta

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

_REMEMBERED = 10_000  # conversations that are recognised by what was said
_LOOKS_UP = 0.5  # seconds between two looks whether the client is still there
_SPOKEN = ("user", "assistant", "tool")


class Refusal(HermesError):
    """An answer with a status of its own."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


class Spot(NamedTuple):
    """A conversation of the API: the name its lane goes by, and its session."""

    name: str
    session_id: str


class Where(NamedTuple):
    """The lane a request is answered in, the name it goes by, and the session that is meant, if one is."""

    lane: Lane
    name: str
    session_id: str = ""


class Known:
    """Which conversation has been that far, by a digest of what was said."""

    def __init__(self) -> None:
        self._spots: OrderedDict[bytes, Spot] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, who: str, messages: Sequence[Message]) -> Spot | None:
        with self._lock:
            return self._spots.pop(_digest(who, messages), None) if messages else None

    def keep(self, who: str, messages: Sequence[Message], spot: Spot) -> None:
        with self._lock:
            self._spots[_digest(who, messages)] = spot
            while len(self._spots) > _REMEMBERED:
                self._spots.popitem(last=False)


def _digest(who: str, messages: Sequence[Message]) -> bytes:
    said = [
        (one["role"], one.get("content") or "", [call["id"] for call in one.get("tool_calls") or ()])
        for one in messages
        if one["role"] in _SPOKEN
    ]
    return hashlib.sha256(json.dumps([who, said]).encode("utf-8", "surrogatepass")).digest()


class Desk:
    """Who asks, and which gateway answers."""

    def __init__(self, gateway: "Gateway", platform: str, who: str, known: Known) -> None:
        self.gateway, self.platform, self.who, self.known = gateway, platform, who, known
        self.owner = f"{platform}:{who}"
        self.db = gateway.db.scoped(self.owner)

    def lane(self, name: str) -> Lane:
        return self.gateway.lane(Place(self.platform, "dm", self.who, name[:200], self.who))

    def session(self, session_id: str) -> dict[str, Any] | None:
        """A session of theirs that is not in the trash."""
        row: dict[str, Any] | None = self.db.get_session(session_id)
        return row if row is not None and row["trashed_at"] is None else None

    def recognised(self, given: Asked) -> Where:
        """The conversation that holds what was said before; a new one begins with it."""
        known = self.known.find(self.who, given.before)
        if known is not None and self.session(known.session_id) is not None:
            return self.going_on(known)
        return self.begun(given.before, given.system)

    def begun(self, before: Sequence[Message], system: str) -> Where:
        name = new_id()
        lane = self.lane(name)
        lane.begin(before, system)
        return Where(lane, name)

    def named(self, name: str, system: str) -> Where:
        lane = self.lane(name)
        route = self.gateway.db.get_route(lane.key)
        if system and (route is None or self.session(route["session_id"]) is None):
            lane.begin([], system)
        return Where(lane, name)

    def going_on(self, spot: Spot) -> Where:
        return Where(self.lane(spot.name), *spot)

    def spot(self, session_id: str) -> Spot:
        """Where a session goes on: in the lane it is in, so that it has one turn at a time."""
        session = self.db.get_session(session_id)
        ours = session is not None and session["source"] == self.platform and session["chat_id"] == self.who
        return Spot(str(session["thread_id"] or session_id) if session and ours else session_id, session_id)


Find = Callable[[Desk, Asked], Where]


async def ask(request: Request, desk: Desk, given: Asked, find: Find) -> "ApiTurn":
    """Begin a turn. It is under way, or failed, when this returns; what was asked wrongly is raised."""
    if desk.gateway.stopping:
        raise Refusal(503, "Hermes is stopping; ask again when it is back.")
    if desk.gateway.access.too_fast(desk.owner):
        raise Refusal(429, "Too many requests in a minute.", **{"Retry-After": "10"})
    lane, name, session_id = await run_in_threadpool(find, desk, given)
    events: asyncio.Queue[Any] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    incoming = Incoming(lane.place, secrets.token_hex(8), given.content, images=given.images)

    def tell(event: Any) -> None:
        try:
            loop.call_soon_threadsafe(events.put_nowait, event)
        except RuntimeError:  # the server has ended, and nobody listens any more
            lane.forget(incoming.event)

    lane.put(Arrival(incoming, tell=tell, caller=given.caller, session_id=session_id))
    turn = ApiTurn(desk, given, name, lane, _Ear(events, request, incoming.event))
    await turn.begin()
    return turn


class _Ear:
    """The events of a turn, as long as the client is there."""

    def __init__(self, events: "asyncio.Queue[Any]", request: Request, event: str) -> None:
        self._events, self._request, self.event = events, request, event

    async def next(self) -> Any:
        """The next event; None: the client left."""
        while True:
            try:
                return await asyncio.wait_for(self._events.get(), _LOOKS_UP)
            except TimeoutError:
                if await self._request.is_disconnected():
                    return None


class ApiTurn:
    """What came of it so far: the assistant's messages and where they are stored, and what they used."""

    def __init__(self, desk: Desk, given: Asked, name: str, lane: Lane, ear: _Ear) -> None:
        self.desk, self.given, self.name = desk, given, name
        self._lane, self._ear = lane, ear
        self._early: deque[Any] = deque()
        self.read = self.written = self.cached = self.noted = self.thought = 0  # tokens
        self.session_id = ""
        self.rows: list[tuple[str, int]] = []
        self.messages: list[Message] = []
        self.ended: TurnEnded | None = None

    async def begin(self) -> None:
        """Until the request is stored, or refused."""
        while not self.session_id:
            event = await self._ear.next()
            self._early.append(event)
            if event is None:
                return
            self._note(event)
            if isinstance(event, TurnEnded):
                if isinstance(event.error, BadInput | NotFound):
                    raise event.error
                return

    async def events(self) -> AsyncIterator[Any]:
        """TextDelta, StartedOver and Finished, until it ends, or the client leaves."""
        try:
            while self.ended is None or self._early:
                event = self._early.popleft() if self._early else await self._ear.next()
                if event is None:
                    return
                self._note(event)
                if isinstance(event, TextDelta | StartedOver | Finished):
                    yield event
        finally:
            if self.ended is None:  # the client left
                self._lane.forget(self._ear.event)

    def _note(self, event: Any) -> None:
        if isinstance(event, Stored):
            self.session_id = event.session_id
            if event.role == "assistant" and (event.session_id, event.message_id) not in self.rows:
                self.rows.append((event.session_id, event.message_id))
        elif isinstance(event, TurnEnded):
            self.ended = event

    def count(self, event: Finished) -> None:
        used = event.usage
        self.messages.append(event.message)
        self.read += used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
        self.cached += used.cache_read_tokens
        self.noted += used.cache_write_tokens
        self.written += used.output_tokens
        self.thought += used.reasoning_tokens

    def calls(self, message: Message) -> list[Message]:
        """Those calls of a message that are the caller's to run."""
        theirs = {tool["function"]["name"] for tool in self.given.caller.tools}
        return [call for call in message.get("tool_calls") or () if call["function"]["name"] in theirs]

    @property
    def called(self) -> list[Message]:
        is_over = self.ended is not None and self.ended.reason == "called"
        return self.calls(self.messages[-1]) if is_over and self.messages else []

    def remember(self, answer: Sequence[Message]) -> None:
        """The next request that begins like this, and goes on with this answer, is in this conversation."""
        if self.session_id and self.ended is not None and self.ended.error is None:
            spot = Spot(self.name, self.session_id)
            self.desk.known.keep(self.desk.who, [*self.given.said, *answer], spot)

    def error(self) -> dict[str, Any] | None:
        failed = self.ended.error if self.ended else None
        return None if failed is None else {"message": str(failed), "type": "server_error", "code": None}
