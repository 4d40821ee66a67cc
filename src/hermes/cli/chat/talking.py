"""A conversation on a terminal, from the first prompt to the farewell."""

import argparse
from typing import TYPE_CHECKING

from hermes.cli import terminal
from hermes.cli.chat.early import first_prompt, keys_kept

if TYPE_CHECKING:
    from hermes.commands.chat.chat import Chat


def talk(arguments: argparse.Namespace) -> int:
    """With everything a terminal can do, or line by line on one that can do little."""
    if not terminal.is_interactive():
        return _line_by_line(arguments)
    with keys_kept():
        return _begin(arguments) if arguments.resume is None else _go_on(arguments)


def _begin(arguments: argparse.Namespace) -> int:
    """The prompt first; the store and the agent are opened while the person types."""
    with first_prompt():
        from hermes.cli.chat.repl import Repl
    return Repl(lambda: _open(arguments)).run()


def _go_on(arguments: argparse.Namespace) -> int:
    """What was said before stands above the first prompt."""
    chat = _open(arguments)
    _recap(chat)
    with first_prompt():
        from hermes.cli.chat.repl import Repl
    return Repl(lambda: chat).run()


def _line_by_line(arguments: argparse.Namespace) -> int:
    from hermes.cli.chat.plain import converse

    chat = _open(arguments)
    if arguments.resume is not None:
        _recap(chat)
    return converse(chat)


def _open(arguments: argparse.Namespace) -> "Chat":
    from hermes.cli.chat.opening import configured, open_chat, opened

    config = configured(arguments)
    return open_chat(arguments, config, opened(config))


def _recap(chat: "Chat") -> None:
    from hermes.cli.screen import Screen
    from hermes.commands.chat.resuming import resumed

    Screen().show(resumed(chat))
