"""A turn that an earlier run of the gateway began and did not finish."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hermes.model.ids import new_session_id
from hermes.store.db import OpenStore

GO_ON = "[Hermes was restarted while it worked on my last message. Look at what is done already, and go on.]"


def new_id() -> str:
    return new_session_id(datetime.now(), digits=8)


def as_resumed(db: OpenStore, begun: Mapping[str, Any], text: str) -> tuple[str, int | None]:
    """What to say to the agent. As long as no tool was called, the message is taken back and said once more; otherwise
    what was done must not be done twice, and the agent is told to go on from there: then the message it began with
    comes along."""
    session_id = begun["session_id"]
    session = db.get_session(session_id) if session_id is not None else None
    if session is None or session["trashed_at"] is not None:
        return text, None
    since = [row for row in db.get_messages(session_id) if row["id"] >= begun["message_id"]]
    if not since or since[0]["id"] != begun["message_id"]:
        return text, None
    if any(row["tool_calls"] for row in since):
        return GO_ON, begun["message_id"]
    with db.transaction() as tx:  # until it is said again, the inbox has it
        tx.delete_messages_from(session_id, begun["message_id"])
        tx.settle_arrival(begun["id"], "waiting")
    return text, None
