"""/handoff: a conversation goes on somewhere else."""

import time

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, said
from hermes.errors import BadInput

_PATIENCE = 40.0  # seconds; a gateway looks every thirty
_TERMINAL = ("cli", "terminal", "local")


def handoff(chat: Chat, rest: str) -> Reply:
    """To the person's direct messages on a platform, or back to the terminal."""
    if not chat.agent.created:
        raise BadInput("There is nothing to hand over yet.")
    target, session_id = rest.strip().lower(), chat.agent.session_id
    if not target:
        state = chat.db.get_handoff_state(session_id)
        return said(_told(state) if state else "Type /handoff telegram, or /handoff cli for the terminal.")
    if not _requested(chat, session_id, target):
        return said("This conversation is being handed over already; /handoff tells how far that is.")
    if target in _TERMINAL:
        chat.db.claim_handoff(session_id)
        chat.db.complete_handoff(session_id)
        return said(f"`hermes --resume {session_id}` goes on with this in the terminal.")
    if chat.wishes.source != "cli":
        return said(f"This conversation goes on at {target} in a moment.")
    return said(_told(_awaited(chat, session_id)))


def _requested(chat: Chat, session_id: str, target: str) -> bool:
    """One that nobody has taken up yet gives way to another place: the first may be one that nobody serves."""
    db = chat.db
    if db.request_handoff(session_id, target):
        return True
    state = db.get_handoff_state(session_id)
    if state is None or state["platform"] == target or not db.claim_handoff(session_id):
        return False
    db.fail_handoff(session_id, "another place was named")
    return db.request_handoff(session_id, target)


def _awaited(chat: Chat, session_id: str) -> dict[str, str | None]:
    ends = time.monotonic() + _PATIENCE
    while True:
        state = chat.db.get_handoff_state(session_id) or {}
        if state.get("state") not in ("pending", "running") or time.monotonic() > ends:
            return state
        time.sleep(0.1)


def _told(state: dict[str, str | None]) -> str:
    words = {
        "pending": "Nobody has taken this over yet; does `hermes gateway` run, and serve {platform}?",
        "running": "{platform} is taking this over.",
        "completed": "This conversation goes on at {platform}.",
        "failed": "{platform} could not take this over: {error}",
    }
    return words[state.get("state") or "pending"].format(**state)
