"""Taking back what was said: /undo, /retry, /rewind."""

from collections.abc import Callable

from hermes.commands.chat.chat import Chat
from hermes.commands.chat.moving import whole
from hermes.commands.reply import Ask, Line, Reply, Span, Text, count, said
from hermes.errors import BadInput, NotFound
from hermes.model.text import clip
from hermes.store.base import Row
from hermes.store.encode import plain_text

_SHOWN = 60


def _asked(chat: Chat) -> list[Row]:
    """The person's messages in this session, the oldest first."""
    if not chat.agent.created:
        return []
    return [row for row in chat.db.get_messages(chat.agent.session_id) if row["role"] == "user"]


def _go_back(chat: Chat, message: Row) -> int:
    gone = chat.db.delete_messages_from(chat.agent.session_id, message["id"])
    chat.agent.reload()
    return gone


def undo(chat: Chat, rest: str) -> Reply:
    asked = _asked(chat)
    if not asked:
        raise BadInput("There is nothing to take back.")
    first = asked[-min(whole(rest, 1), len(asked))]

    def take_back() -> Reply:
        return said(f"Took back {count(_go_back(chat, first), 'message')}, from “{_short(first)}” on.")

    return _asked_first(chat, first, take_back)


def _asked_first(chat: Chat, first: Row, then: Callable[[], Reply]) -> Reply:
    """What deletes something for good asks before it does, unless the settings say otherwise."""
    if not chat.settings.approvals.destructive_slash_confirm:
        return then()
    return Reply(ask=Ask(f"Delete everything from “{_short(first)}” on, for good?", then))


def retry(chat: Chat, rest: str) -> Reply:
    asked = _asked(chat)
    if not asked:
        raise BadInput("There is no question to ask again.")
    _go_back(chat, asked[-1])
    chat.queue.append(asked[-1]["content"])
    return said(f"Asking again: {_short(asked[-1])}")


def rewind(chat: Chat, rest: str) -> Reply:
    asked = _asked(chat)
    if not rest:
        lines: list[Line] = [(Span(f"{number:>3}  ", "dim"), Span(_short(row))) for number, row in enumerate(asked, 1)]
        return Reply((Text(tuple(lines) or ("Nothing was said yet.",)),))
    number = whole(rest, 1)
    if number > len(asked):
        raise NotFound(f"No message {number}; /rewind shows the {len(asked)} there are.")
    first = asked[number - 1]

    def go_back() -> Reply:
        return said(f"Back to before “{_short(first)}”; {count(_go_back(chat, first), 'message')} went.")

    return _asked_first(chat, first, go_back)


def _short(row: Row) -> str:
    return clip(plain_text(row["content"]), _SHOWN, "…")
