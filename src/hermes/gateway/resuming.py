"""A turn that an earlier run of the gateway began and did not finish."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hermes.model.ids import new_session_id
from hermes.store.db import OpenStore

GO_ON = "[Hermes was restarted while it worked on my last message. Look at what is done already, and go on.]"


def new_id() -> str:
    return new_session_id(datetime.now(), digits=8)


def as_resumed(db: OpenStore, begun: Mapping[str, Any], text: str) -> str:
    """What to say to the agent. As long as no tool was called, the message is taken back and said once more; otherwise
    what was done must not be done twice, and the agent is told to go on from there."""
    session_id = begun["session_id"]
    if session_id is None or db.get_session(session_id) is None:
        return text
    since = [row for row in db.get_messages(session_id) if row["id"] >= begun["message_id"]]
    if any(row["tool_calls"] for row in since) or not since or since[0]["id"] != begun["message_id"]:
        return GO_ON
    db.delete_messages_from(session_id, begun["message_id"])
    return text
