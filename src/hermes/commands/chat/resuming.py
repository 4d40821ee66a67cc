"""Going on with a conversation: which one, what is said about it, and how to come back later."""

import time
from typing import Any

from hermes.commands import choose
from hermes.commands.chat.chat import Chat
from hermes.commands.chat.recap import recap
from hermes.commands.reply import Line, Panel, Part, Reply, Text, count
from hermes.errors import NotFound
from hermes.store import SessionDB
from hermes.store.base import ListQuery


def to_resume(db: SessionDB, words: str) -> str:
    """The session that is meant: by id, a beginning of one, or title; without a word the newest of the terminal."""
    if words.strip():
        return db.resolve_resume_session_id(choose.to_read(db, words.strip()))
    rows = db.list_conversations(ListQuery(order="active", sources=["cli"], limit=1))
    if not rows:
        raise NotFound("There is no session to continue yet; `hermes` begins one, `hermes sessions list` lists all.")
    return db.resolve_resume_session_id(rows[0]["id"])


def resumed(chat: Chat) -> Reply:
    """What a person sees who comes back: which session this is, and what was said last."""
    messages = chat.agent.messages
    asked = [message for message in messages if message["role"] == "user"]
    title = f' "{chat.agent.title}"' if chat.agent.title else ""
    counts = f"({count(len(asked), 'user message')}, {count(len(messages), 'total message')})"
    parts: list[Part] = [Text((f"↻ Resumed session {chat.agent.session_id}{title} {counts}",))]
    display = chat.settings.display
    lines = recap(messages) if display.resume_display == "full" else ()
    if lines:
        parts.append(Text(lines) if display.compact else Panel("Previous Conversation", lines))
    data = {"session_id": chat.agent.session_id, "title": chat.agent.title}
    return Reply(tuple(parts), (_ELSEWHERE,) if chat.elsewhere else (), data)


_ELSEWHERE = "This conversation is open elsewhere too. Both may write, and each reads what the other said."


def farewell(chat: Chat) -> Reply:
    """How to come back, and what this was. Nothing when nothing was said."""
    agent = chat.agent
    if not agent.created:
        return Reply()
    messages, title = agent.messages, agent.title
    lines: list[Line] = ["Resume this session with:", f"  hermes --resume {agent.session_id}"]
    lines += [f"  hermes -c {quoted(title)}"] if title else []
    lines += ["", f"Session:   {agent.session_id}"]
    lines += [f"Title:     {title}"] if title else []
    lines += [f"Duration:  {duration(time.monotonic() - chat.began)}", f"Messages:  {_counted(messages)}"]
    return Reply((Text(("", *lines)),), data={"session_id": agent.session_id, "title": title})


def _counted(messages: list[dict[str, Any]]) -> str:
    asked = sum(message["role"] == "user" for message in messages)
    calls = sum(len(message.get("tool_calls") or ()) for message in messages)
    return f"{len(messages):,} ({asked:,} user, {count(calls, 'tool call')})"


_SPECIAL = '"\\$`'


def quoted(title: str) -> str:
    """A title as a shell takes it."""
    return '"' + "".join(f"\\{char}" if char in _SPECIAL else char for char in title) + '"'


def duration(seconds: float) -> str:
    """`12s`, `4m 9s`, `2h 5m`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"
