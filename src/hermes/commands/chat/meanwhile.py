"""While the agent works: /steer, /queue, /busy, /stop."""

from hermes.commands.chat.chat import BUSY_MODES, Chat
from hermes.commands.reply import Reply, count, said
from hermes.errors import BadInput
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.text import clip
from hermes.store.encode import plain_text


def steer(chat: Chat, rest: str) -> Reply:
    """The model reads it before its next step; without a turn it is a message like any other."""
    if not rest:
        raise BadInput("Type what the agent should know behind /steer.")
    if chat.agent.steer(rest):
        return said("The agent reads it before its next step.")
    chat.queue.append(rest)
    return Reply()


def queue(chat: Chat, rest: str) -> Reply:
    if rest:
        chat.queue.append(rest)
        return said(f"{count(len(chat.queue), 'message')} waiting.") if chat.agent.busy else Reply()
    waiting = [f"{number}  {clip(plain_text(one), 80, '…')}" for number, one in enumerate(chat.queue, 1)]
    return said(*(waiting or ["Nothing is waiting."]))


def busy(chat: Chat, rest: str) -> Reply:
    if rest and rest not in BUSY_MODES:
        raise BadInput(f"'{rest}' is none of {', '.join(BUSY_MODES)}.")
    chat.busy_mode = rest or chat.busy_mode
    return said(f"Typing while the agent works: {chat.busy_mode}.")


def stop(chat: Chat, rest: str) -> Reply:
    chat.queue.clear()
    if not chat.agent.busy:
        return said("Nothing is under way.")
    chat.agent.stop()
    return Reply() if chat.wishes.source in LOCAL_SOURCES else said("Stopped; what was said is kept.")
