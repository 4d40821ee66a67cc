"""From one conversation to another: /new, /resume, /sessions, /branch, /exit."""

from datetime import datetime

from hermes.commands import lists
from hermes.commands.chat.chat import Chat
from hermes.commands.chat.resuming import resumed, to_resume
from hermes.commands.reply import Column, Reply, Table, said
from hermes.errors import BadInput, NotFound
from hermes.model.ids import new_session_id
from hermes.model.sources import UNLISTED
from hermes.model.titles import sanitize_title
from hermes.store.base import ListQuery, Row

_LISTED = 20


def new(chat: Chat, rest: str) -> Reply:
    """The old one stays; how to come back to it is said."""
    title = sanitize_title(rest or None)
    left = chat.agent.session_id if chat.agent.created else None
    chat.open(None)
    chat.agent.set_title(title)
    back = f" `/resume {left}` goes back to the one before." if left else ""
    return said(f"A new conversation.{back}")


def resume(chat: Chat, rest: str) -> Reply:
    if not rest:
        return sessions(chat, "")
    session_id = _numbered(chat, int(rest)) if rest.isdecimal() and len(rest) <= 2 else to_resume(chat.db, rest)
    if chat.agent.created and session_id == chat.agent.session_id:
        return said("This is that conversation already.")
    chat.open(session_id)
    return resumed(chat)


def _recent(chat: Chat, limit: int) -> list[Row]:
    return chat.db.list_conversations(ListQuery(order="active", exclude_sources=UNLISTED, limit=limit))


def _numbered(chat: Chat, number: int) -> str:
    rows = _recent(chat, _LISTED)
    if not 1 <= number <= len(rows):
        raise NotFound(f"No conversation {number}; /sessions shows the {len(rows)} there are.")
    return chat.db.resolve_resume_session_id(rows[number - 1]["id"])


def sessions(chat: Chat, rest: str) -> Reply:
    limit = min(whole(rest, 10), _LISTED)
    rows = _recent(chat, limit)
    if not rows:
        return said("No sessions yet.", data=[])
    table = lists.table(rows)
    numbered = tuple((number, *row) for number, row in enumerate(table.rows, 1))
    return Reply((Table((Column("#", 3, "number"), *table.columns), numbered, table.rule + 4),), data=rows)


def whole(typed: str, otherwise: int) -> int:
    """A number that was typed, 1 or more."""
    if not typed:
        return otherwise
    if not typed.isdecimal() or len(typed) > 9 or int(typed) < 1:
        raise BadInput(f"'{typed[:40]}' is no number from 1 on.")
    return int(typed)


def branch(chat: Chat, rest: str) -> Reply:
    """Go on in a copy: what was said so far is in both."""
    if not chat.agent.created:
        raise BadInput("There is nothing to branch off from yet.")
    old = chat.agent.session_id
    new_id = new_session_id(datetime.now(), digits=6 if chat.wishes.source == "cli" else 8)
    chat.db.branch_session(old, new_id, title=rest or None)
    chat.open(new_id)
    name = f' "{chat.agent.title}"' if chat.agent.title else ""
    return said(f"Going on in {new_id}{name}; `/resume {old}` goes back to where it branched off.")


def exit(chat: Chat, rest: str) -> Reply:
    chat.leaving = True
    return Reply()
