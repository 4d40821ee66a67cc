"""What the gateway keeps beside the sessions: which one a chat is in, what came in, and what is to go out.

    routes   key → session. Only a person's message moves `active_at`
    inbox    waiting → running (its message is in the session) → done
    outbox   pending → sending → sent, or undelivered. What is found in `sending` after a crash may have gone out or
             not: nobody can tell, so it is marked and not sent again

A row of the inbox or the outbox changes in the transaction that stores the message it is about, so a crash leaves
both or neither. Its text goes as soon as it is dealt with: it is in the session.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.errors import BadInput
from hermes.model.owners import check_owner, may_see
from hermes.store.base import Row
from hermes.store.checks import required, seconds, text, whole
from hermes.store.operations import Operations

ROUTE = ("owner", "session_id", "platform", "chat_type", "chat_id", "thread_id", "user_id", "active_at")
ARRIVED = ("waiting", "running", "done")
POSTED = ("pending", "sending", "sent", "undelivered")
_RESET = ("reset_from", "reset_reason")
_MAIL = ("owner", "key", "content", "session_id", "message_id")


class RoutingOperations(Operations):
    def get_route(self, key: str) -> Row | None:
        """Which session the chat with this key is in; None: none yet."""
        key = required("key", key)
        with self._read() as reader:
            return reader.route(key)

    def list_routes(self) -> list[Row]:
        with self._read() as reader:
            return reader.routes()

    def set_route(self, key: str, values: Mapping[str, Any]) -> bool:
        """Say which session a chat is in. What is not named stays as it was; a new route names everything of `ROUTE`
        that is not empty."""
        row = self._row(values, (*ROUTE, *_RESET))
        return self._write(lambda writer: writer.set_route({"key": required("key", key), **row}))

    def drop_route(self, key: str) -> bool:
        key = required("key", key)
        return self._write(lambda writer: writer.drop_route(key))

    def receive(self, platform: str, event_id: str, mail: Mapping[str, Any]) -> int | None:
        """Keep a message that came in; None when the platform delivered this event before."""
        row = self._row(mail, _MAIL) | {"platform": required("platform", platform), "at": self._now()}
        row |= {"event_id": required("event_id", event_id), "state": "waiting"}
        return self._write(lambda writer: writer.insert_arrival(row))

    def arrivals(self, *states: str) -> list[Row]:
        """What came in and is in one of these states (all), in order."""
        wanted = _states(states, ARRIVED)
        with self._read() as reader:
            return reader.arrivals(wanted)

    def settle_arrival(self, arrival_id: int, state: str, *, expect: str | None = None, **changes: Any) -> bool:
        """Another state; False when it is not (any more) in the one that is expected."""
        [state] = _states((state,), ARRIVED)
        values, expect = {"state": state, **self._row(changes, _MAIL)}, text("expect", expect)
        return self._write(lambda writer: writer.update_arrival(whole("arrival_id", arrival_id), values, expect))

    def post(self, platform: str, mail: Mapping[str, Any]) -> int:
        """Keep a message that is to go out."""
        row = self._row(mail, _MAIL)
        row |= {"platform": required("platform", platform), "at": self._now(), "state": "pending"}
        return self._write(lambda writer: writer.insert_post(row))

    def posts(self, *states: str) -> list[Row]:
        """What is to go out, or went, and is in one of these states (all), in order."""
        wanted = _states(states, POSTED)
        with self._read() as reader:
            return reader.posts(wanted)

    def settle_post(self, post_id: int, state: str, *, expect: str | None = None, **changes: Any) -> bool:
        """Another state; exactly one of several who expect the same one gets True."""
        [state] = _states((state,), POSTED)
        values, expect = {"state": state, **self._row(changes, (*_MAIL, "tries", "error"))}, text("expect", expect)
        return self._write(lambda writer: writer.update_post(whole("post_id", post_id), values, expect))

    def forget_mail(self, before: float) -> int:
        """Drop rows about what was dealt with before then. Events that a platform repeats later would count as new."""
        before = seconds("before", before)
        return self._write(lambda writer: writer.forget_mail(before))

    def _row(self, values: Mapping[str, Any], known: Sequence[str]) -> Row:
        if not isinstance(values, Mapping):
            raise BadInput(f"Give a dict with {', '.join(known)}, not {type(values).__name__}.")
        strange = [name for name in values if name not in known]
        if strange:
            raise BadInput(f"There is no {strange[0]!s:.40} here; there are {', '.join(known)}.")
        if "owner" in values and not may_see(self.scope, check_owner(values["owner"])):
            raise BadInput("A scope writes for its own owners alone.")
        return {name: value if isinstance(value, int | float) else text(name, value) for name, value in values.items()}


def _states(given: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    strange = [state for state in given if required("state", state) not in known]
    if strange:
        raise BadInput(f"'{strange[0]:.40}' is none of {', '.join(known)}.")
    return given or known
