"""`/v1/responses`: a turn and what came of it, in the form of OpenAI's responses.

A request goes on with a session by `previous_response_id`, by `conversation` (a name of the caller's own choice, the
same as in `X-Hermes-Conversation`), or by sending everything that was said. What was answered lies in the session;
beside it a record of a few lines says which messages a response is made of, for thirty days.
"""

import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hermes.agent.base import StartedOver
from hermes.errors import BadInput, NotFound
from hermes.gateway.adapters.answers import Answer
from hermes.gateway.adapters.api_asked import Asked, Message, body_of, text_of
from hermes.gateway.adapters.api_items import as_items, call_item, of_responses, text_item, text_part
from hermes.gateway.adapters.api_turn import ApiTurn, Desk, Where, ask
from hermes.providers.base import Finished, TextDelta

RECORDS = "api.response."
KEPT_SECONDS = 30 * 86400.0
_GONE = "No such response; they are kept for thirty days, and as long as their session."
_MOST_LABELS = 16
_SPENT = ("tokens", "iterations", "time", "cost")


async def create(request: Request, desk: Desk) -> Response:
    body = await body_of(request)
    given, wanted = of_responses(body), _Wanted(body)
    answer = _Answer(await ask(request, desk, given, wanted.find), wanted)
    if given.stream:
        return StreamingResponse(answer.stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
    return await answer.whole()


class _Wanted:
    """Which conversation is meant, and what is only handed back."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.previous, self.conversation = body.get("previous_response_id"), body.get("conversation")
        if isinstance(self.conversation, dict):
            self.conversation = self.conversation.get("id")
        if any(one is not None and (not isinstance(one, str) or not one) for one in self._both()):
            raise BadInput("previous_response_id and conversation are names.")
        if None not in self._both():
            raise BadInput("Send previous_response_id or conversation, not both.")
        self.metadata = _labels(body.get("metadata"))
        self.instructions = body.get("instructions")
        self.tools = body.get("tools") or []
        self.choice = body.get("tool_choice") or "auto"
        self.stored = body.get("store") is not False

    def _both(self) -> tuple[Any, Any]:
        return self.previous, self.conversation

    def find(self, desk: Desk, given: Asked) -> Where:
        if self._both() == (None, None):
            return desk.recognised(given)
        if given.before and any(one["role"] == "assistant" for one in given.before):
            raise BadInput("Send only what is new; what was said before is in the conversation.")
        if self.conversation is not None:
            return desk.named(self.conversation, given.system)
        return _after(desk, record(desk, self.previous))


def _labels(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    pairs = given.items() if isinstance(given, dict) and len(given) <= _MOST_LABELS else [(None, None)]
    if any(not isinstance(value, str) or len(value) > 512 or len(name) > 64 for name, value in pairs):
        raise BadInput(f"metadata has at most {_MOST_LABELS} names, each with a text.")
    return dict(given)


def _after(desk: Desk, kept: Mapping[str, Any]) -> Where:
    """The conversation of a response. From one that is not its newest, a copy of what was said until then goes on."""
    session, last = kept["rows"][-1] if kept["rows"] else (kept["session"], 0)
    rows = desk.db.get_messages(session)
    tip = desk.db.resolve_resume_session_id(session)
    newest = max((row["id"] for row in rows if row["role"] == "assistant"), default=0)
    if tip == session and newest > last:
        system = (desk.db.get_session(session) or {}).get("system_prompt")
        return desk.begun([row for row in rows if row["id"] <= last], system or "")
    return desk.going_on(desk.spot(session))


# -- what is kept


def record(desk: Desk, response_id: str) -> dict[str, Any]:
    """What is known of a response of this caller's, as long as its session is there."""
    text = desk.gateway.db.get_meta(f"{RECORDS}{response_id[:80]}")
    kept: dict[str, Any] = json.loads(text) if text else {}
    if kept.get("owner") != desk.owner or desk.session(kept["session"]) is None:
        raise NotFound(_GONE)
    return kept


def forget_old(db: Any, now: float) -> None:
    """Records of responses go after a while; what was said stays in the sessions."""
    for key in db.meta_keys(RECORDS):
        kept = json.loads(db.get_meta(key) or "{}")
        if kept.get("created_at", 0) < now - KEPT_SECONDS or db.get_session(kept["session"]) is None:
            db.set_meta(key, None)


async def retrieve(request: Request, desk: Desk) -> Response:
    return Answer(await run_in_threadpool(_kept, desk, request.path_params["id"]))


def _kept(desk: Desk, response_id: str) -> Message:
    kept = record(desk, response_id)
    rows = [tuple(row) for row in kept["rows"]]
    sessions = dict.fromkeys(session for session, _ in rows)  # in order
    found = [row for session in sessions for row in desk.db.get_messages(session)]
    messages = [row for row in found if (row["session_id"], row["id"]) in rows]
    output = as_items(response_id.removeprefix("resp_"), messages, kept["theirs"])
    return kept["shown"] | {"output": output}


async def delete(request: Request, desk: Desk) -> Response:
    """The record goes; what was said stays in the session."""
    response_id = request.path_params["id"]
    await run_in_threadpool(record, desk, response_id)
    await run_in_threadpool(desk.gateway.db.set_meta, f"{RECORDS}{response_id}", None)
    return Answer({"id": response_id, "object": "response", "deleted": True})


# -- an answer


class _Answer:
    def __init__(self, turn: ApiTurn, wanted: _Wanted) -> None:
        self._turn, self._wanted = turn, wanted
        self._key, self._created = secrets.token_hex(16), int(time.time())
        self._id = f"resp_{self._key}"
        self._items: list[Message] = []
        self._number = 0  # of the next event

    async def whole(self) -> Response:
        async for event in self._turn.events():
            if isinstance(event, Finished):
                self._turn.count(event)
        error = self._turn.error()
        if error is not None:
            return Answer({"error": error}, 502)
        self._items = as_items(self._key, self._turn.messages, self._theirs())
        return Answer(await run_in_threadpool(self._done), headers={"X-Hermes-Session-Id": self._turn.session_id})

    def _theirs(self) -> list[str]:
        return [tool["function"]["name"] for tool in self._turn.given.caller.tools]

    def _done(self) -> Message:
        """The response, remembered."""
        self._turn.remember(_said(self._turn))
        shown = self._shown(self._status())
        if self._wanted.stored and self._turn.ended is not None:
            kept = {
                "owner": self._turn.desk.owner, "session": self._turn.session_id, "rows": self._turn.rows,
                "theirs": self._theirs(), "created_at": self._created,
                "shown": shown | {"output": [], "instructions": None},
            }  # fmt: skip
            self._turn.desk.gateway.db.set_meta(f"{RECORDS}{self._id}", json.dumps(kept))
        return shown

    def _status(self) -> str:
        reason = self._turn.ended.reason if self._turn.ended else "interrupted"
        return {"answered": "completed", "called": "completed", "failed": "failed"}.get(reason, "incomplete")

    def _shown(self, status: str) -> Message:
        turn, wanted = self._turn, self._wanted
        reason = turn.ended.reason if turn.ended else ""
        over = status != "in_progress"
        return {
            "id": self._id, "object": "response", "created_at": self._created, "status": status, "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if reason in _SPENT else None,
            "instructions": wanted.instructions, "metadata": wanted.metadata, "model": turn.given.model,
            "output": self._items if over else [], "parallel_tool_calls": True,
            "previous_response_id": wanted.previous, "conversation": {"id": turn.name}, "store": wanted.stored,
            "tool_choice": wanted.choice, "tools": wanted.tools, "usage": self._usage() if over else None,
            "text": {"format": {"type": "text"}}, "temperature": None, "top_p": None, "max_output_tokens": None,
            "truncation": "disabled", "background": False,
        }  # fmt: skip

    def _usage(self) -> Message:
        turn = self._turn
        return {
            "input_tokens": turn.read,
            "input_tokens_details": {"cached_tokens": turn.cached, "cache_write_tokens": turn.noted},
            "output_tokens": turn.written,
            "output_tokens_details": {"reasoning_tokens": turn.thought},
            "total_tokens": turn.read + turn.written,
        }

    # -- as it comes

    async def stream(self) -> AsyncIterator[str]:
        for kind in ("created", "in_progress"):
            yield self._event(f"response.{kind}", response=self._shown("in_progress"))
        text = _Text()
        async for event in self._turn.events():
            if isinstance(event, TextDelta):
                for told in self._delta(text, event.text):
                    yield told
            elif isinstance(event, StartedOver):
                for told in self._text_done(text, "incomplete"):
                    yield told
            else:
                for told in self._finished(text, event):
                    yield told
        for told in self._text_done(text, "incomplete"):  # stopped in the middle of it
            yield told
        yield await self._end()

    def _delta(self, text: "_Text", more: str) -> list[str]:
        begun: list[str] = []
        if not text.item:
            text.item, text.index = f"msg_{self._key}_{self._index()}", self._index()
            begun = [
                self._event(
                    "response.output_item.added", output_index=text.index, item=text_item(text.item, "", "in_progress")
                ),
                self._of_text("response.content_part.added", text, part=text_part("")),
            ]
        text.said += more
        return [*begun, self._of_text("response.output_text.delta", text, delta=more, logprobs=[])]

    def _index(self) -> int:
        return len(self._items)

    def _text_done(self, text: "_Text", status: str) -> list[str]:
        if not text.item:
            return []
        item = text_item(text.item, text.said, status)
        self._items.append(item)
        told = [
            self._of_text("response.output_text.done", text, text=text.said, logprobs=[]),
            self._of_text("response.content_part.done", text, part=text_part(text.said)),
            self._event("response.output_item.done", output_index=text.index, item=item),
        ]
        text.item, text.said = "", ""
        return told

    def _finished(self, text: "_Text", event: Finished) -> list[str]:
        self._turn.count(event)
        told = self._text_done(text, "completed")
        for call in self._turn.calls(event.message):
            told += self._called(call)
        return told

    def _called(self, call: Message) -> list[str]:
        index, item_id, arguments = self._index(), f"fc_{self._key}_{self._index()}", call["function"]["arguments"]
        item = call_item(item_id, call)
        self._items.append(item)
        here = {"output_index": index, "item_id": item_id}
        begun = call_item(item_id, call, "in_progress")
        return [
            self._event("response.output_item.added", output_index=index, item=begun),
            self._event("response.function_call_arguments.delta", **here, delta=arguments),
            self._event(
                "response.function_call_arguments.done", **here, arguments=arguments, name=call["function"]["name"]
            ),
            self._event("response.output_item.done", output_index=index, item=item),
        ]

    async def _end(self) -> str:
        error = self._turn.error()
        if error is not None:
            failed = self._shown("failed") | {"error": {"code": "server_error", "message": error["message"]}}
            return self._event("response.failed", response=failed)
        shown = await run_in_threadpool(self._done)
        return self._event(f"response.{shown['status']}", response=shown)

    def _of_text(self, kind: str, where: "_Text", **more: Any) -> str:
        return self._event(kind, item_id=where.item, output_index=where.index, content_index=0, **more)

    def _event(self, kind: str, **values: Any) -> str:
        self._number += 1
        value = {"type": kind, "sequence_number": self._number - 1, **values}
        return f"event: {kind}\ndata: {json.dumps(value)}\n\n"


class _Text:
    """The text that is being written."""

    item = ""
    index = 0
    said = ""


def _said(turn: ApiTurn) -> list[Message]:
    """What a caller that sends everything back sends of this answer."""
    both = [(text_of(message.get("content")), turn.calls(message)) for message in turn.messages]
    return [
        {"role": "assistant", "content": text, "tool_calls": calls} for text, calls in both if text.strip() or calls
    ]
