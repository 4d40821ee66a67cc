"""`POST /v1/chat/completions`.

A client of this form sends the whole conversation each time. The one it means is found by what was said before: the
same messages lead to the session that holds them. `X-Hermes-Conversation: NAME` names one instead, and then only
what is new counts; so does `X-Hermes-Session-Id: ID`, for a session of one's own.
"""

import json
import secrets
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hermes.errors import NotFound
from hermes.gateway.adapters.answers import Answer
from hermes.gateway.adapters.api_asked import Asked, body_of, of_chat
from hermes.gateway.adapters.api_turn import ApiTurn, Desk, Where, ask
from hermes.providers.base import Finished, TextDelta

_FINISHES = {
    "called": "tool_calls", "tokens": "length", "iterations": "length", "time": "length", "cost": "length",
}  # fmt: skip


async def completions(request: Request, desk: Desk) -> Response:
    given = of_chat(await body_of(request))
    named, session = request.headers.get("x-hermes-conversation"), request.headers.get("x-hermes-session-id")

    def find(desk: Desk, given: Asked) -> Where:
        if named:
            return desk.named(named, given.system)
        if session is None:
            return desk.recognised(given)
        if desk.session(session) is None:
            raise NotFound("No such session.")
        return desk.going_on(desk.spot(session))

    answer = _Completion(await ask(request, desk, given, find))
    if given.stream:
        return StreamingResponse(answer.stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
    return await answer.whole()


class _Completion:
    def __init__(self, turn: ApiTurn) -> None:
        self._turn = turn
        self._id, self._created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())

    async def _deltas(self) -> AsyncIterator[str]:
        """The text as it is written; what was said before the agent went on working is set apart from what follows."""
        streamed, apart = "", False
        async for event in self._turn.events():
            if isinstance(event, TextDelta):
                text = f"\n\n{event.text}" if apart and streamed else event.text
                streamed, apart = streamed + text, False
                yield text
            elif isinstance(event, Finished):
                self._turn.count(event)
                apart = True
        ended = self._turn.ended
        if ended is not None:
            calls = {"tool_calls": self._turn.called} if self._turn.called else {}
            said = streamed if self._turn.given.stream else ended.text  # what the client has, and sends back
            self._turn.remember([{"role": "assistant", "content": said, **calls}])

    def _finish(self) -> str:
        return _FINISHES.get(self._turn.ended.reason if self._turn.ended else "", "stop")

    def _usage(self) -> dict[str, int]:
        read, written = self._turn.read, self._turn.written
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._turn.given.model}

    async def whole(self) -> Response:
        async for _ in self._deltas():
            pass
        error = self._turn.error()
        if error is not None:
            return Answer({"error": error}, 502)
        text, calls = self._turn.ended.text if self._turn.ended else "", self._turn.called
        message = {"role": "assistant", "content": (text or None) if calls else text}
        choice = {"index": 0, "message": message | ({"tool_calls": calls} if calls else {}), "logprobs": None}
        return Answer(
            self._head("chat.completion")
            | {"choices": [choice | {"finish_reason": self._finish()}], "usage": self._usage()},
            headers={"X-Hermes-Session-Id": self._turn.session_id},
        )

    async def stream(self) -> AsyncIterator[str]:
        yield self._chunk({"role": "assistant", "content": ""})
        async for text in self._deltas():
            yield self._chunk({"content": text})
        error = self._turn.error()
        if error is not None:
            yield f"data: {json.dumps({'error': error})}\n\n"
            return
        if self._turn.called:
            yield self._chunk({"tool_calls": [{"index": at} | call for at, call in enumerate(self._turn.called)]})
        yield self._chunk({}, self._finish())
        if self._turn.given.with_usage:
            yield self._chunk(None, usage=self._usage())
        yield "data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        value = self._head("chat.completion.chunk") | {"choices": choices} | ({"usage": usage} if usage else {})
        return f"data: {json.dumps(value)}\n\n"
