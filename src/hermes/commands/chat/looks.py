"""What is shown around a conversation: /statusbar, /footer, /redraw."""

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, said
from hermes.errors import BadInput


def switched(typed: str, now: bool) -> bool:
    """`on`, `off`, or the other of the two."""
    if typed and typed not in ("on", "off"):
        raise BadInput(f"'{typed}' is neither on nor off.")
    return typed == "on" if typed else not now


def statusbar(chat: Chat, rest: str) -> Reply:
    chat.statusbar = switched(rest, chat.statusbar)
    return said(f"The status bar is {'on' if chat.statusbar else 'off'}.")


def footer(chat: Chat, rest: str) -> Reply:
    chat.footer = switched(rest, chat.footer)
    return said(f"The footer is {'on' if chat.footer else 'off'}.")


def redraw(chat: Chat, rest: str) -> Reply:
    chat.redraw = True
    return Reply()
