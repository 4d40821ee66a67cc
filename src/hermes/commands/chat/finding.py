"""/search and /recall: the same as `hermes sessions search` and `recall`, from inside a conversation."""

from hermes.commands import search as finding
from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply
from hermes.errors import BadInput


def search(chat: Chat, rest: str) -> Reply:
    return finding.search(chat.db, rest, limit=10)


def recall(chat: Chat, rest: str) -> Reply:
    if not rest:
        raise BadInput("Type a question behind /recall.")
    return finding.recall(chat.db, rest)
