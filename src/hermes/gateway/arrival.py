"""A message to be answered, on its way through a lane."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hermes.agent.base import Caller
from hermes.gateway.base import Incoming
from hermes.gateway.keys import Place


class Arrival(NamedTuple):
    """A message to be answered. `number` is its row in the inbox (None: it is answered to whoever waits, through
    `tell`); `begun` is the row of its message, when an earlier run of the gateway began to answer it; `session_id` is
    the session it is meant for, whatever the lane is in by then."""

    incoming: Incoming
    number: int | None = None
    tell: Callable[[Any], None] | None = None
    begun: Mapping[str, Any] | None = None
    caller: Caller = Caller()
    session_id: str = ""


class Stored(NamedTuple):
    """A message of the turn has its row; told to whoever waits for the answer."""

    session_id: str
    message_id: int
    role: str


def is_about(job: Any, event: str) -> bool:
    return isinstance(job, Arrival) and job.incoming.event == event


def from_row(row: Mapping[str, Any]) -> Arrival:
    """What the inbox kept, to be answered now."""
    value = json.loads(row["content"])
    place = Place(*value["place"])
    incoming = Incoming(place, row["event_id"], value["text"], value["sender"], tuple(value["images"]))
    return Arrival(incoming, row["id"], begun=row if row["state"] == "running" else None)
