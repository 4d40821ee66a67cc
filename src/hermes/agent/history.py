"""With no provider set up, the person's own history answers: passages that fit the question, with their sessions."""

from collections.abc import Generator
from datetime import datetime
from typing import Any

from hermes.agent.turn import text_of
from hermes.model.text import clip
from hermes.model.usage import Usage
from hermes.providers.base import Event, Finished, Request, TextDelta
from hermes.store.db import OpenStore

_BEGINS = "No model is set up yet"  # every such answer, so that none is quoted in another
_HOW = "`hermes setup` or `hermes model choose` does that"
_SESSIONS = 3
_LOOKED_AT = 12  # some have nothing but such answers in them


def no_model(how: str = "") -> str:
    """What every answer begins with. `how` says what is missing; that nothing is there yet is said already."""
    missing = _HOW if not how or how.startswith(_BEGINS) else how.rstrip(".")
    return f"{_BEGINS} ({missing}), so this is from your own history; your message is saved."


class History:
    """A provider that needs no network and no key."""

    name = "history"
    model = "history"
    window = 1_000_000

    def __init__(self, db: OpenStore, how: str = "") -> None:
        self._db, self.how = db, how

    def stream(self, request: Request) -> Generator[Event]:
        asked = [message for message in request.messages if message["role"] == "user"]
        question = text_of(asked[-1].get("content")) if asked else ""
        text = "\n\n".join([no_model(self.how), *self._found(question, request.cache_key)])
        yield TextDelta(text)
        message = {"role": "assistant", "content": text, "finish_reason": "stop"}
        yield Finished(message, Usage())  # no model was asked, so there is nothing for the ledger

    def _found(self, question: str, lineage: str) -> list[str]:
        rows = self._db.recall(question, _LOOKED_AT, exclude_lineages=[lineage] if lineage else [])
        told = [row | {"excerpts": [one for one in row["excerpts"] if self._tells(row, one, question)]} for row in rows]
        found = [_session(row) for row in told if row["excerpts"]]
        return found[:_SESSIONS] or ["Nothing in earlier sessions is about this."]

    def _tells(self, row: dict[str, Any], excerpt: dict[str, Any], question: str) -> bool:
        """Whether it says more than the same question did, asked before, or its answer from history."""
        if excerpt["role"] != "assistant":
            return bool(excerpt["text"].strip() != question.strip())
        message = self._db.get_messages(row["session_id"], after=excerpt["message_id"] - 1, limit=1)
        return bool(message) and not text_of(message[0]["content"]).startswith(_BEGINS)


def _session(row: dict[str, Any]) -> str:
    day = datetime.fromtimestamp(row["last_active"]).strftime("%Y-%m-%d")
    heading = f"{row['title'] or 'untitled'} ({day}, `hermes --resume {row['session_id']}`)"
    lines = [f"  {excerpt['role']}: {clip(excerpt['text'], 300, '…')}" for excerpt in row["excerpts"]]
    return "\n".join([heading, *lines])
