"""Slash commands: the table of them, and how one that was typed is found.

Each has one handler, `handler(chat, rest) -> Reply`, for every front end. The module is loaded when it is needed.
"""

import re
from importlib import import_module
from typing import NamedTuple

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply
from hermes.errors import BadInput, NotFound

_TYPED = re.compile(r"/([a-zA-Z][\w-]*)(?:\s+(.*))?\Z", re.DOTALL)
_HERE = "hermes.commands.chat"


class Slash(NamedTuple):
    """`where`: the terminal, the gateway (chats on platforms), or both. `busy`: works while a turn is under way."""

    module: str
    about: str
    takes: str = ""
    where: str = "both"
    busy: bool = False
    aliases: tuple[str, ...] = ()


COMMANDS = {
    "help": Slash("about", "what can be typed here", busy=True, aliases=("h", "commands")),
    "exit": Slash("moving", "leave", where="terminal", busy=True, aliases=("quit",)),
}


def is_command(chat: Chat, typed: str) -> bool:
    """Whether this is a command and not a message; `/home/me/x` is a message."""
    return _TYPED.match(typed.strip()) is not None


def perform(chat: Chat, typed: str, *, where: str = "terminal") -> Reply:
    """Carry out what was typed. An unknown command is NotFound with the nearest name."""
    match = _TYPED.match(typed.strip())
    if match is None:
        raise BadInput("A command is a slash and a name, such as /help.")
    name, rest = match[1].lower(), (match[2] or "").strip()
    found = find(name)
    if found is None:
        raise NotFound(unknown(chat, name))
    name, command = found
    if command.where not in ("both", where):
        raise BadInput(f"/{name} works in the {command.where} only.")
    if chat.agent.busy and not command.busy:
        raise BadInput(f"A turn is under way; /stop ends it, then /{name} can be done.")
    handler = getattr(import_module(f"{_HERE}.{command.module}"), name)
    reply: Reply = handler(chat, rest)
    return reply


def find(name: str) -> tuple[str, Slash] | None:
    if name in COMMANDS:
        return name, COMMANDS[name]
    return next(((full, one) for full, one in COMMANDS.items() if name in one.aliases), None)


def names(chat: Chat) -> list[str]:
    """Everything that can be typed behind the slash."""
    return [*COMMANDS, *(alias for one in COMMANDS.values() for alias in one.aliases)]


def unknown(chat: Chat, name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names(chat), 1)
    meant = f"; did you mean /{near[0]}?" if near else "; /help shows what there is."
    return f"No command /{name}{meant}"


def offered(chat: Chat, where: str = "terminal") -> list[tuple[str, str]]:
    """What completion offers: names, and a line about each."""
    return [(name, one.about) for name, one in COMMANDS.items() if one.where in ("both", where)]
