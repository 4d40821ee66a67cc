"""A key and the session it is in: opened, begun, moved, and closed when it is over.

What a message brings about beside itself (the route, the mail it answers, what is to go out) is stored in its
transaction.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.agent.base import SessionOptions
from hermes.agent.toolbox import Toolbox
from hermes.commands.chat.chat import Chat, Wishes
from hermes.gateway.arrival import Arrival, Stored
from hermes.gateway.keys import Place
from hermes.gateway.resuming import new_id
from hermes.store.db import Store

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

SAVE = (
    "[This conversation is about to be closed by its schedule; the person does not read this. Save what should be "
    "remembered of it, with your memory and skill tools, and leave out what is known already. Then answer: done.]"
)
_SAVING_TOOLS = ("memory", "skill_manage")
_SAVING_SECONDS = 120.0
_SPOKEN = ("user", "assistant", "tool")
_SAID = ("role", "content", "tool_calls", "tool_call_id", "tool_name")


class Routed:
    def __init__(self, gateway: "Gateway", key: str, place: Place, owner: str) -> None:
        self.gateway, self.key, self.place, self.owner = gateway, key, place, owner
        self.chat: Chat | None = None
        self._system_prompt: str | None = None  # instead of the one that is built
        self._now: Arrival | None = None  # what is being answered
        self._first: int | None = None  # the message an earlier run began to answer, where this one goes on
        self._posted: list[tuple[int, str]] = []

    def say(self, text: str) -> None:
        if text:
            self.gateway.delivery.say(self.place, self.key, self.owner, text)

    def busy_behind(self) -> bool:
        """Whether a program runs behind the conversation."""
        tools = self.chat.agent.tools if self.chat is not None else None
        return isinstance(tools, Toolbox) and tools.processes() > 0

    def open(self) -> Chat:
        """The conversation this chat is in; a new one where there is none, or where the last one is over or thrown
        away: what is said in the trash is lost with it."""
        if self.chat is not None and self.chat.agent.created and self._is_gone(self.chat.agent.session_id):
            self.chat.agent.release()
            self.chat = None
        if self.chat is None:
            route = self._own_route()
            session = route["session_id"] if route and not self._is_gone(route["session_id"]) else None
            begun = session is not None and self._db().get_session(session) is not None
            self.chat = self._chat(session, None) if begun else self._chat(None, session or new_id())
        return self.chat

    def _own_route(self) -> Mapping[str, Any] | None:
        """Where this chat is. A room that somebody else was alone with the agent in before begins anew: what they said
        there is theirs."""
        route = self.gateway.db.get_route(self.key)
        if route is None or route["owner"] in (self._db().scope or ()):
            return route
        begun = {"active_at": time.time(), "reset_from": None, "reset_reason": None}
        self.gateway.db.set_route(self.key, self._route(new_id()) | begun)
        return self.gateway.db.get_route(self.key)

    def _is_gone(self, session_id: str) -> bool:
        """Whether it was there, and lies in the trash."""
        row = self._db().get_session(session_id)
        return row is not None and row["trashed_at"] is not None

    def begin(self, said: Sequence[Mapping[str, Any]], system_prompt: str) -> None:
        """A new session with what was said elsewhere before, under the prompt that was used there, if any."""
        self._system_prompt = system_prompt or None
        before = [{name: one[name] for name in _SAID if one.get(name)} for one in said if one["role"] in _SPOKEN]
        if not before:
            return
        session, place = new_id(), self.place
        with self._db().transaction() as tx:
            tx.create_session(
                session, place.platform, owner=self.owner, user_id=place.user, chat_id=place.chat, chat_type=place.kind,
                thread_id=place.thread, system_prompt=self._system_prompt,
            )  # fmt: skip
            tx.append_messages(session, before)
        self.move(session)

    def _db(self) -> Any:
        return self.gateway.db.scoped(self.owner)

    def _chat(self, session_id: str | None, fresh: str | None) -> Chat:
        place = self.place
        options = SessionOptions(
            user_id=place.user or None,
            chat_id=place.chat or None,
            chat_type=place.kind,
            thread_id=place.thread or None,
            new_id=fresh,
            system_prompt=self._system_prompt,
            added_prompt=self.gateway.adapters[place.platform].prompt_for(place),
        )
        folder = Path(self.gateway.settings.terminal.cwd).expanduser().resolve()
        wishes = Wishes(cwd=folder, source=place.platform, owner=self.owner, options=options, on_stored=self._stored)
        chat = Chat(self._db(), self.gateway.config, wishes, session_id=session_id)
        chat.wishes = wishes._replace(options=options._replace(new_id=None))  # only the first is called so
        chat.ask_person = self.ask
        return chat

    def _stored(
        self, tx: Store, session_id: str, message_id: int, message: Mapping[str, Any]
    ) -> Callable[[], None] | None:
        """With every message, in its transaction: where the chat is, what is answered by it, what is to go out."""
        now = self._now
        if now is None:
            return None
        posted: list[tuple[int, str]] = []
        if message["role"] == "user":
            tx.set_route(self.key, self._route(session_id) | {"active_at": time.time()})
            if now.number is not None:
                first = self._first or message_id
                tx.settle_arrival(now.number, "running", session_id=session_id, message_id=first)
        elif message["role"] == "assistant" and not message.get("tool_calls"):
            posted = self._answered(tx, now, session_id, message_id, message)
        return lambda: self._is_stored(now, posted, Stored(session_id, message_id, message["role"]))

    def _is_stored(self, now: Arrival, posted: Sequence[tuple[int, str]], stored: Stored) -> None:
        self._posted.extend(posted)
        if now.tell is not None:
            now.tell(stored)

    def _answered(
        self, tx: Store, now: Arrival, session_id: str, message_id: int, message: Mapping[str, Any]
    ) -> list[tuple[int, str]]:
        if now.number is None or message.get("finish_reason") == "interrupted":
            return []
        text = message.get("content")
        rows = self.gateway.delivery.rows(self.place, self.key, self.owner, text) if isinstance(text, str) else ()
        mail = [row | {"session_id": session_id, "message_id": message_id} for row in rows]
        posted = [(tx.post(self.place.platform, row), row["content"]) for row in mail]
        tx.settle_arrival(now.number, "done")
        return posted

    def _route(self, session_id: str) -> dict[str, Any]:
        platform, kind, chat, thread, user = self.place
        return {
            "owner": self.owner, "session_id": session_id, "platform": platform, "chat_type": kind,
            "chat_id": chat, "thread_id": thread, "user_id": user,
        }  # fmt: skip

    def go_to(self, session_id: str) -> None:
        """Go on with this session, whatever the chat was in: whoever asks named it, which counts as activity."""
        if self.chat is not None and self._db().resolve_resume_session_id(session_id) != self.chat.agent.session_id:
            self.chat.agent.release()
            self.chat = None
        self.move(self._db().resolve_resume_session_id(session_id))
        self.gateway.db.set_route(self.key, {"active_at": time.time(), "reset_from": None, "reset_reason": None})

    def move(self, session_id: str) -> None:
        """This chat is in that session from now on."""
        known = self.gateway.db.get_route(self.key)
        active = known["active_at"] if known else time.time()
        self.gateway.db.set_route(self.key, self._route(session_id) | {"active_at": active})
        self.gateway.transcripts.changed(session_id)

    def ask(self, question: str, choices: Sequence[str]) -> str | None:
        """A question of a tool to the person; None: nobody answered."""
        raise NotImplementedError

    # -- the end of a session

    def _current_route(self) -> Mapping[str, Any] | None:
        """Where this chat is, after a reset that is due."""
        route = self._own_route()
        reason = self.gateway.due(route)
        if reason is None:
            return route
        self._reset(reason)
        return self.gateway.db.get_route(self.key)

    def _reset(self, reason: str) -> None:
        """Close the session and begin a new one with the next message; nothing is deleted."""
        route = self.gateway.db.get_route(self.key)
        if self.busy_behind() or self.gateway.due(route) is None or route is None:
            return
        chat = self.open()
        if chat.agent.open_calls():
            return  # a caller was asked for a result, and comes back with it
        old = chat.agent.session_id
        if chat.agent.created:
            self._save_memories(chat)
            chat.agent.close("new_session")
        self.chat = None
        values = {"session_id": new_id(), "active_at": time.time(), "reset_from": old, "reset_reason": reason}
        self.gateway.db.set_route(self.key, values)

    def _save_memories(self, chat: Chat) -> None:
        tools = chat.agent.tools
        if chat.answers_from_history or not isinstance(tools, Toolbox) or not set(_SAVING_TOOLS) & set(tools.offered()):
            return
        timer = threading.Timer(_SAVING_SECONDS, chat.agent.stop)
        timer.start()
        try:
            for _ in chat.agent.run(SAVE):
                pass
        finally:
            timer.cancel()

    def _tell_reset(self, route: Mapping[str, Any] | None) -> None:
        if route is None or not route["reset_from"]:
            return
        self.gateway.db.set_route(self.key, {"reset_from": None, "reset_reason": None})
        rule = self.gateway.rule(self.place)
        if rule.notify:
            why = (
                f"it was quiet for {rule.idle_minutes} minutes"
                if route["reset_reason"] == "idle"
                else "a new day began"
            )
            self.say(f"A new conversation: {why}. /resume {route['reset_from']} goes back to the last one.")
