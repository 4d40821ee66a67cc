"""Completion at the prompt: slash commands, titles behind those that take a session, references, files."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

if TYPE_CHECKING:
    from hermes.commands.chat.chat import Chat

_TITLES = ("/resume", "/title", "/sessions", "/continue")
_FILES = ("/image", "/save")
_QUOTED = re.compile(r"""@(?:file|folder):(?:"[^"\n]*|'[^'\n]*)\Z""")


class SlashCompleter(Completer):
    def __init__(self, chat: "Callable[[], Chat | None]") -> None:
        self._chat = chat
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        chat = self._chat()
        command, space, rest = text.partition(" ")
        if text.startswith("/") and not space and "\n" not in text and chat is not None:
            yield from _commands(chat, text[1:])
        if command in _TITLES and space and chat is not None:
            yield from _titles(chat, rest)
        elif command in _FILES and space:
            yield from self._files(rest, complete_event)
        else:
            yield from self._word(_last_word(text), complete_event)

    def _word(self, word: str, event: CompleteEvent) -> Iterable[Completion]:
        """A reference (`@file:…`) or a path, wherever it stands in a message."""
        from hermes.agent.references import completions

        found = completions(word, Path.cwd()) if word.startswith("@") else []
        if found:
            yield from (Completion(text, start_position=-len(word), display_meta=about) for text, about in found)
        elif _is_path(word):
            yield from self._files(word, event)

    def _files(self, typed: str, event: CompleteEvent) -> Iterable[Completion]:
        return self._paths.get_completions(Document(typed.removeprefix("@")), event)


def _last_word(text: str) -> str:
    """What is being typed; in a quoted reference a space is part of it."""
    reference = _QUOTED.search(text)
    if reference is not None:
        return reference[0]
    return text.split()[-1] if text and not text[-1].isspace() else ""


def _is_path(word: str) -> bool:
    """Whether somebody is typing a path: `./x`, `~/x`, `@x`, or `/x/y`."""
    return word.startswith(("./", "../", "~/", "@")) or (word.startswith("/") and os.sep in word[1:])


def _commands(chat: "Chat", typed: str) -> Iterable[Completion]:
    from hermes.commands.chat.slash import offered

    for name, about in offered(chat):
        if name.startswith(typed.lower()):
            yield Completion("/" + name, start_position=-len(typed) - 1, display_meta=about)


def _titles(chat: "Chat", typed: str) -> Iterable[Completion]:
    from hermes.model.sources import UNLISTED
    from hermes.store.base import ListQuery

    for row in chat.db.list_conversations(ListQuery(order="active", exclude_sources=UNLISTED, limit=200)):
        title = row["title"]
        if title and typed.lower() in title.lower():
            yield Completion(title, start_position=-len(typed), display_meta=row["source"])
