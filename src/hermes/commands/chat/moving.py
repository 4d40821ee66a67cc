"""From one conversation to another: /new, /resume, /branch, /exit."""

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply


def exit(chat: Chat, rest: str) -> Reply:
    chat.leaving = True
    return Reply()
