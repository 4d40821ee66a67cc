"""Slash commands: the table of them, and how one that was typed is found.

Each has one handler, `handler(chat, rest) -> Reply`, for every front end. The module is loaded when it is needed.
"""

import re
from importlib import import_module
from typing import NamedTuple

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, said
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


_BUSY = {"busy": True}
COMMANDS = {
    "help": Slash("about", "what can be typed here", **_BUSY, aliases=("h", "commands")),
    "new": Slash("moving", "begin a new conversation", "[TITLE]", aliases=("reset", "clear")),
    "title": Slash("naming", "name this conversation, or show its name", "[TITLE]", **_BUSY),
    "resume": Slash("moving", "go on with another conversation: an id, a title, or a number of /sessions", "[SESSION]"),
    "sessions": Slash("moving", "recent conversations, with a number each", "[NUMBER]", **_BUSY),
    "search": Slash("finding", "messages that hold every word, in all conversations", "WORDS", **_BUSY),
    "recall": Slash("finding", "conversations that answer a question in plain words", "QUESTION", **_BUSY),
    "branch": Slash("moving", "go on in a copy; this conversation stays as it is", "[TITLE]", aliases=("fork",)),
    "handoff": Slash("handing", "go on with this conversation elsewhere: telegram, or cli", "[PLATFORM]"),
    "undo": Slash("going_back", "take back the last exchange, or the last few", "[NUMBER]"),
    "retry": Slash("going_back", "ask the last question again"),
    "rewind": Slash("going_back", "go back to before a message of yours; without a number: show them", "[NUMBER]"),
    "compress": Slash(
        "keeping", "summarise the middle of this conversation and go on", "[FOCUS]", aliases=("compact",)
    ),
    "skills": Slash("skills", "what the agent has learnt to do; /NAME uses one", "[WORDS]", **_BUSY),
    "model": Slash("answering", "who answers here; another model, from now on", "[MODEL [PROVIDER]]"),
    "fast": Slash("answering", "the provider's faster tier, on or off", "[on|off]"),
    "usage": Slash("figures", "tokens and cost of this conversation", **_BUSY, aliases=("cost",)),
    "insights": Slash("figures", "the last days: tokens, cost, tools, habits", "[DAYS]", **_BUSY),
    "save": Slash("keeping", "write this conversation to a file: .md, .html, .json, .jsonl", "[FILE]", "terminal"),
    "history": Slash("keeping", "what was said so far", "[NUMBER]", **_BUSY),
    "image": Slash("keeping", "a picture for the next message", "FILE", "terminal", **_BUSY),
    "steer": Slash("meanwhile", "say something to the agent while it works", "TEXT", **_BUSY),
    "queue": Slash("meanwhile", "a message for after this turn, or what waits", "[TEXT]", **_BUSY, aliases=("q",)),
    "busy": Slash("meanwhile", "what typing does while the agent works", "[interrupt|queue|steer]", **_BUSY),
    "stop": Slash("meanwhile", "stop the turn; what was said is kept", **_BUSY),
    "status": Slash("figures", "this conversation and who answers", **_BUSY),
    "statusbar": Slash("looks", "the status bar, on or off", "[on|off]", "terminal", **_BUSY, aliases=("sb",)),
    "footer": Slash("looks", "a line with figures after each answer, on or off", "[on|off]", **_BUSY),
    "redraw": Slash("looks", "draw the screen anew", "", "terminal", **_BUSY),
    "debug": Slash("figures", "what to send along with a question about Hermes itself", **_BUSY),
    "exit": Slash("moving", "leave", "", "terminal", **_BUSY, aliases=("quit",)),
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
        return _own(chat, name, rest, where)
    name, command = found
    if command.where not in ("both", where):
        raise BadInput(f"/{name} works in the {command.where} only.")
    if chat.agent.busy and not command.busy:
        raise BadInput(f"A turn is under way; /stop ends it, then /{name} can be done.")
    handler = getattr(import_module(f"{_HERE}.{command.module}"), name)
    reply: Reply = handler(chat, rest)
    return reply


def _own(chat: Chat, name: str, rest: str, where: str) -> Reply:
    """A command of the person's own, from `quick_commands`, or a skill."""
    if name in quick_names(chat):
        from hermes.commands.chat.quick import quick

        return quick(chat, name, rest, where)
    if name in chat.plugins.commands:
        return said(*chat.plugins.run_command(name, rest).splitlines())
    from hermes.commands.chat.skills import use

    if use(chat, name, rest):
        return Reply()
    raise NotFound(unknown(chat, name))


def quick_names(chat: Chat) -> list[str]:
    return [str(name).lower() for name in chat.settings.quick_commands]


def find(name: str) -> tuple[str, Slash] | None:
    if name in COMMANDS:
        return name, COMMANDS[name]
    return next(((full, one) for full, one in COMMANDS.items() if name in one.aliases), None)


def names(chat: Chat) -> list[str]:
    """Everything that can be typed behind the slash."""
    return [
        *COMMANDS,
        *(alias for one in COMMANDS.values() for alias in one.aliases),
        *quick_names(chat),
        *plugin_names(chat),
        *skill_names(chat),
    ]


def plugin_names(chat: Chat) -> list[str]:
    """Commands of plugins; those of the program and of the person's own go before."""
    return [name for name in chat.plugins.commands if find(name) is None and name not in quick_names(chat)]


def skill_names(chat: Chat) -> list[str]:
    """Skills that can be typed; a command of the same name goes before."""
    before = {*quick_names(chat), *plugin_names(chat)}
    return [name for name in chat.skills.library.skills if find(name) is None and name not in before]


def unknown(chat: Chat, name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names(chat), 1)
    meant = f"; did you mean /{near[0]}?" if near else "; /help shows what there is."
    return f"No command /{name}{meant}"


def offered(chat: Chat, where: str = "terminal") -> list[tuple[str, str]]:
    """What completion offers: names, and a line about each."""
    built_in = [(name, one.about) for name, one in COMMANDS.items() if one.where in ("both", where)]
    own = [(name, "a command of your own") for name in quick_names(chat) if name not in COMMANDS]
    skills = [(name, chat.skills.library.skills[name].description) for name in skill_names(chat)]
    brought = [(name, chat.plugins.commands[name].description) for name in plugin_names(chat)]
    return [*built_in, *own, *brought, *skills]
