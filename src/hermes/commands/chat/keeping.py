"""What was said, and what goes along: /history, /save, /compress, /image."""

from pathlib import Path

from hermes.commands.chat.chat import Chat
from hermes.commands.chat.images import checked
from hermes.commands.chat.moving import whole
from hermes.commands.reply import Reply, count, said
from hermes.commands.transcript import show
from hermes.commands.transfer import What, export
from hermes.errors import BadInput


def _session(chat: Chat) -> str:
    if not chat.agent.created:
        raise BadInput("Nothing was said yet.")
    return chat.agent.session_id


def history(chat: Chat, rest: str) -> Reply:
    return show(chat.db, _session(chat), last=whole(rest, 20))


def save(chat: Chat, rest: str) -> Reply:
    """To a file of the person's own; secrets are masked. An existing file stays."""
    session_id = _session(chat)
    file = Path(rest).expanduser() if rest else Path(f"{session_id}.md")
    return export(chat.db, file, What(session=session_id))


def compress(chat: Chat, rest: str) -> Reply:
    done = chat.agent.compress(rest or None)
    if done is None:
        return said("This conversation is too short to compress.")
    name = f' "{done.title}"' if done.title else ""
    told = f"Compressed: {done.tokens_before:,} → {done.tokens_after:,} tokens; going on in {done.session_id}{name}."
    return said(told, data=done._asdict())


def image(chat: Chat, rest: str) -> Reply:
    if not rest:
        return said(*(map(str, chat.images) if chat.images else ["No picture is waiting; type /image FILE."]))
    chat.images.append(checked(rest))
    return said(f"{count(len(chat.images), 'picture')} for your next message.")
