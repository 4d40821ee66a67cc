"""A conversation that was handed over: from the terminal, or another chat, to a person's direct messages."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes.gateway.base import Undelivered
from hermes.gateway.keys import Place

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

log = logging.getLogger("hermes.gateway")


def take_over(gateway: "Gateway", session: Mapping[str, Any]) -> None:
    """Pending → running → completed, or failed with a reason that says what to do."""
    if not gateway.db.claim_handoff(session["id"]):
        return
    try:
        place = _direct_messages(gateway, session["owner"], session["handoff_platform"])
    except Undelivered as failed:
        gateway.db.fail_handoff(session["id"], str(failed))
        return
    if place is None:
        gateway.db.fail_handoff(session["id"], _NOBODY.format(owner=session["owner"], **session))
        return
    lane = gateway.lane(place)

    def move() -> None:
        lane.chat = None if lane.chat is None else _released(lane.chat)
        lane.move(gateway.db.resolve_resume_session_id(session["id"]))
        title = f" “{session['title']}”" if session["title"] else ""
        lane.say(f"Your conversation{title} goes on here.")
        gateway.db.complete_handoff(session["id"])

    lane.put(move)


_NOBODY = "Nobody on {handoff_platform} is linked to {owner}; name the accounts of a person under gateway.identities."


def _released(chat: Any) -> None:
    chat.agent.release()


def _direct_messages(gateway: "Gateway", owner: str, platform: str) -> Place | None:
    """Where this person is reached on the platform: where they wrote last, or their account itself."""
    accounts = [one for one in gateway.db.scoped(owner).scope or () if one.startswith(f"{platform}:")]
    people = sorted(one for one in accounts if not one.startswith(f"{platform}:chat:"))
    routes = [row for row in gateway.db.list_routes() if row["owner"] in people and row["chat_type"] == "dm"]
    if routes:
        newest = max(routes, key=lambda row: row["active_at"])
        return Place(platform, "dm", newest["chat_id"], newest["thread_id"], newest["user_id"])
    if not people:
        return None
    user = people[0].partition(":")[2]
    return Place(platform, "dm", gateway.adapters[platform].direct(user), user=user)
