"""`POST /v1/chat/completions`.

A client of this form sends the whole conversation each time. The one it means is found by what was said before: the
same messages lead to the session that holds them. `X-Hermes-Conversation: NAME` names one instead, and then only
the last message counts; so does `X-Hermes-Session-Id: ID`, for a session of one's own.
"""

import asyncio
import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from hermes.agent.base import TurnEnded
from hermes.errors import BadInput, HermesError, NotFound
from hermes.gateway.base import Incoming
from hermes.gateway.keys import Place
from hermes.gateway.lane import Arrival, Lane
from hermes.gateway.resuming import new_id
from hermes.providers.base import Finished, TextDelta

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

_REMEMBERED = 10_000  # conversations that are recognised by what was said
_LOOKS_UP = 0.5  # seconds between two looks whether the client is still there
_ROLES = ("user", "assistant", "system", "developer", "tool")
_FINISHES = {"answered": "stop", "tokens": "length", "iterations": "length", "time": "length", "cost": "length"}


class Asked(NamedTuple):
    """What was sent: the message to be answered, what was said before it, and the client's own system prompt."""

    content: str
    images: tuple[str, ...]
    before: list[dict[str, Any]]
    system: str
    model: str
    stream: bool
    with_usage: bool


class _Known:
    """Which conversation has been that far, by a digest of what was said."""

    def __init__(self) -> None:
        self._names: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, who: str, messages: list[dict[str, Any]]) -> str | None:
        with self._lock:
            return self._names.pop(_digest(who, messages), None) if messages else None

    def keep(self, who: str, messages: list[dict[str, Any]], name: str) -> None:
        with self._lock:
            self._names[_digest(who, messages)] = name
            while len(self._names) > _REMEMBERED:
                self._names.popitem(last=False)


KNOWN = _Known()


def _digest(who: str, messages: list[dict[str, Any]]) -> bytes:
    said = [(one["role"], _text(one["content"])) for one in messages if one["role"] in ("user", "assistant")]
    return hashlib.sha256(json.dumps([who, said]).encode("utf-8", "surrogatepass")).digest()


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def asked(body: Any) -> Asked:
    """What the body says, or BadInput that says what is wrong with it."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not messages or len(messages) > 10_000:
        raise BadInput("Send messages: a list with at least one.")
    for one in messages:
        if (
            not isinstance(one, dict)
            or one.get("role") not in _ROLES
            or not isinstance(one.get("content"), str | list | None)
        ):
            raise BadInput(f"Each message has a role ({', '.join(_ROLES)}) and content.")
    if body.get("tools") or body.get("functions"):
        raise BadInput("Hermes uses its own tools; leave out tools and functions.")
    if body.get("n") not in (None, 1):
        raise BadInput("There is one answer: leave n out.")
    last = messages[-1]
    content, images = _text(last["content"]), _images(last["content"])
    if last["role"] != "user" or not (content.strip() or images):
        raise BadInput("The last message is to be the user's, with something in it.")
    options = body.get("stream_options")
    return Asked(
        content,
        images,
        [{**one, "content": _text(one["content"])} for one in messages[:-1]],
        "\n\n".join(_text(one["content"]) for one in messages if one["role"] in ("system", "developer")),
        str(body.get("model") or "hermes")[:200],
        body.get("stream") is True,
        isinstance(options, dict) and bool(options.get("include_usage")),
    )


def _images(content: Any) -> tuple[str, ...]:
    parts = [part.get("image_url") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    urls = [str(part.get("url") or "") for part in parts if isinstance(part, dict)]
    if any(not url.startswith("data:image/") for url in urls):
        raise BadInput("Send pictures as data: URLs.")
    return tuple(urls)


async def completions(request: Request, gateway: "Gateway", platform: str, who: str) -> Response:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadInput("The body is no JSON.") from None
    given = asked(body)
    if gateway.access.too_fast(f"{platform}:{who}"):
        return JSONResponse(
            {"error": {"message": "Too many requests in a minute.", "type": "rate_limit_error"}},
            429,
            {"Retry-After": "10"},
        )
    lane, name = await run_in_threadpool(_lane, request, gateway, platform, who, given)
    events: asyncio.Queue[Any] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    incoming = Incoming(lane.place, secrets.token_hex(8), given.content, images=given.images)

    def tell(event: Any) -> None:
        try:
            loop.call_soon_threadsafe(events.put_nowait, event)
        except RuntimeError:  # the server has ended, and nobody listens any more
            lane.forget(incoming.event)

    lane.put(Arrival(incoming, tell=tell))
    answer = _Answer(given, who, name, lane, _Ear(events, request, incoming.event))
    if given.stream:
        return StreamingResponse(answer.stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
    return await answer.whole()


def _lane(request: Request, gateway: "Gateway", platform: str, who: str, given: Asked) -> tuple[Lane, str]:
    """The conversation that is meant; a new one begins with what the client says was said before."""
    named, session = request.headers.get("x-hermes-conversation"), request.headers.get("x-hermes-session-id")
    db = gateway.db.scoped(f"{platform}:{who}")
    if session is not None and db.get_session(session) is None:
        raise NotFound("No such session.")
    known = None if named or session else KNOWN.find(who, given.before)
    name = named or session or known or new_id()
    lane = gateway.lane(Place(platform, "dm", who, name[:200], who))
    if session is not None and (gateway.db.get_route(lane.key) or {}).get("session_id") is None:
        lane.move(db.resolve_resume_session_id(session))
    elif named is None and session is None and known is None:
        lane.begin(given.before, given.system)
    elif given.system and gateway.db.get_route(lane.key) is None:
        lane.begin([], given.system)
    return lane, name


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


class _Answer:
    def __init__(self, given: Asked, who: str, name: str, lane: Lane, ear: _Ear) -> None:
        self._given, self._who, self._name, self._lane, self._ear = given, who, name, lane, ear
        self._id, self._created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())
        self._used = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        self._ended: TurnEnded | None = None

    async def _deltas(self) -> AsyncIterator[str]:
        try:
            while self._ended is None:
                event = await self._ear.next()
                if event is None:
                    return
                if isinstance(event, TextDelta):
                    yield event.text
                elif isinstance(event, Finished):
                    self._count(event)
                elif isinstance(event, TurnEnded):
                    self._ended = event
        finally:
            if self._ended is None:  # the client left
                self._lane.forget(self._ear.event)
        said = [*self._given.before, {"role": "user", "content": self._given.content}]
        if self._ended.error is None:
            KNOWN.keep(self._who, [*said, {"role": "assistant", "content": self._ended.text}], self._name)

    def _count(self, event: Finished) -> None:
        used = event.usage
        read = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
        self._used["prompt_tokens"] += read
        self._used["completion_tokens"] += used.output_tokens
        self._used["total_tokens"] += read + used.output_tokens

    def _finish(self) -> str:
        return _FINISHES.get(self._ended.reason if self._ended else "", "stop")

    def _error(self) -> dict[str, Any] | None:
        error: HermesError | None = self._ended.error if self._ended else None
        return None if error is None else {"message": str(error), "type": "server_error", "code": None}

    async def whole(self) -> Response:
        async for _ in self._deltas():
            pass
        error = self._error()
        if error is not None:
            return JSONResponse({"error": error}, 502)
        text = self._ended.text if self._ended else ""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": self._finish()}
        body = {"id": self._id, "object": "chat.completion", "created": self._created, "model": self._given.model}
        return JSONResponse(
            {**body, "choices": [{**choice, "logprobs": None}], "usage": self._used}, headers=self._headers()
        )

    def _headers(self) -> dict[str, str]:
        chat = self._lane.chat
        return {"X-Hermes-Session-Id": chat.agent.session_id} if chat is not None else {}

    async def stream(self) -> AsyncIterator[str]:
        yield self._chunk({"role": "assistant", "content": ""})
        async for text in self._deltas():
            yield self._chunk({"content": text})
        error = self._error()
        if error is not None:
            yield f"data: {json.dumps({'error': error})}\n\n"
            return
        yield self._chunk({}, self._finish())
        if self._given.with_usage:
            yield self._chunk(None, usage=self._used)
        yield "data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        value = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._given.model,
        }
        return f"data: {json.dumps({**value, 'choices': choices, **({'usage': usage} if usage else {})})}\n\n"
