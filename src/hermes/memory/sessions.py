"""A memory made of past conversations: what was said about the same thing before comes with the person's message.

It knows no store; whoever puts the program together hands it a function that recalls.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hermes.memory.base import MemoryProvider
from hermes.model.fences import fenced

Recall = Callable[[str, int, str], Sequence[Mapping[str, Any]]]  # question, how many, the session that asks → rows

_SESSIONS, _EXCERPTS = 3, 2
_MOST = 2400  # characters of everything that is recalled for one message
_LONGEST_QUESTION = 2000
_WORD = re.compile(r"\w{3,}|[^\W\d_a-zA-Z]{2,}")
_FEWEST_WORDS = 2  # "thanks" is no question


class Sessions(MemoryProvider):
    name = "sessions"

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    def prompt(self) -> str:
        return (
            "With a message may come excerpts of earlier conversations, found by its words. They are a help to "
            "remember, may be beside the point, and session_search finds more."
        )

    def on_turn_start(self, session_id: str, text: str) -> str:
        if len(_WORD.findall(text)) < _FEWEST_WORDS:
            return ""
        rows = self._recall(text[:_LONGEST_QUESTION], _SESSIONS, session_id)
        parts: list[str] = []
        for row in rows:
            part = _shown(row)
            if part and sum(map(len, parts)) + len(part) <= _MOST:
                parts.append(part)
        return "\n".join(parts)


def _shown(row: Mapping[str, Any]) -> str:
    """Excerpts of one conversation, as data, with where and when it was."""
    said = [f"{one['role']}: {' '.join(str(one['text']).split())}" for one in row["excerpts"][:_EXCERPTS]]
    if not said:
        return ""
    when = time.strftime("%Y-%m-%d", time.localtime(row["last_active"]))
    about = {"session": row["session_id"], "title": row["title"] or "", "source": row["source"], "date": when}
    return fenced("recalled", "\n".join(said), **about)
