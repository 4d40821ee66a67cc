"""From the command line to an open chat."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hermes.cli.answer import open_store
from hermes.cli.screen import say
from hermes.config import Config, load

if TYPE_CHECKING:
    from hermes.commands.chat.chat import Chat
    from hermes.store import SessionDB


def configured(arguments: argparse.Namespace) -> Config:
    """The settings, with what the command line says over them."""
    wanted = arguments.toolsets
    toolsets = [name.strip() for name in wanted.split(",") if name.strip()] if wanted else None
    config = load({"toolsets": toolsets} if toolsets else None)
    for warning in config.warnings:
        say(warning)
    return config


def opened(config: Config, *, brief: bool = False) -> "SessionDB":
    """The store. `brief`: for one question, so that only what it needs is loaded."""
    return open_store(config=config, brief=brief)


def open_chat(
    arguments: argparse.Namespace, config: Config, db: "SessionDB", *, stays: bool = True, titles_by_model: bool = True
) -> "Chat":
    """A new conversation, or the one that is to go on. `stays`: a person sits in front of it."""
    from hermes.commands.chat.chat import Chat, Wishes
    from hermes.commands.chat.images import checked
    from hermes.commands.chat.resuming import to_resume

    images = [checked(path) for path in arguments.image or ()]
    wishes = Wishes(
        arguments.model or "",
        arguments.provider or "",
        Path.cwd(),
        stays=stays,
        titles_by_model=titles_by_model,
        skills=tuple(name.strip() for name in (arguments.skills or "").split(",") if name.strip()),
        yolo=bool(arguments.yolo),
    )
    session_id = None if arguments.resume is None else to_resume(db, " ".join(arguments.resume))
    chat = Chat(db, config, wishes, session_id=session_id)
    chat.images += images
    return chat
