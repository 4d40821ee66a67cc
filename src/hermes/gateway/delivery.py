"""What goes out: split where the platform wants it, kept in the outbox, sent once or marked.

Each piece is a row of its own. It is marked `sending` before it is sent and `sent` after; one that is found in
`sending` after a crash may have arrived, so it is marked `undelivered`, unless the platform recognises what comes
twice.
"""

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes.errors import HermesError
from hermes.gateway.base import Adapter, Undelivered
from hermes.gateway.keys import Place
from hermes.store import SessionDB
from hermes.store.base import Row

log = logging.getLogger("hermes.gateway")
_TRIES = 5
_LONGEST_PAUSE = 60.0
_PLACES_TO_SPLIT = ("\n\n", "\n", ". ", " ")


def pieces(text: str, longest: int, length: Callable[[str], int] = len) -> list[str]:
    """The text in messages of at most `longest`: split between paragraphs where that leaves them half full, else
    between lines, sentences, words. A code block that is cut is closed, and opened again in the next piece."""
    found: list[str] = []
    fence = ""
    rest = text.strip()
    while rest:
        opened = f"{fence}\n" if fence else ""
        if length(opened + rest) <= longest:
            found.append(opened + rest)
            break
        room = longest - length(opened) - 4  # for the end of a code block
        cut = _cut(rest, _fitting(rest, room, length))
        piece, rest = rest[:cut].rstrip(), rest[cut:].lstrip("\n ")
        fence = _open_fence(opened + piece)
        found.append(opened + piece + ("\n```" if fence else ""))
    return found


def _fitting(text: str, room: int, length: Callable[[str], int]) -> int:
    """How many characters fit."""
    low, high = 1, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if length(text[:middle]) <= room else (low, middle - 1)
    return low


def _cut(text: str, most: int) -> int:
    for place in _PLACES_TO_SPLIT:
        at = text.rfind(place, 0, most)
        if at > most // 2:
            return at + len(place)
    return most


def _open_fence(text: str) -> str:
    fences = [line for line in text.split("\n") if line.startswith("```")]
    return fences[-1] if len(fences) % 2 else ""


class Delivery:
    def __init__(self, db: SessionDB, adapters: Mapping[str, Adapter]) -> None:
        self._db = db
        self._adapters = adapters
        self._over = threading.Event()

    def rows(self, place: Place, key: str, owner: str, text: str) -> list[Row]:
        """The rows of the outbox that this text makes."""
        adapter = self._adapters[place.platform]
        return [
            {"owner": owner, "key": key, "content": json.dumps({"place": place, "text": piece}, ensure_ascii=False)}
            for piece in pieces(text, adapter.longest, adapter.length)
        ]

    def say(self, place: Place, key: str, owner: str, text: str) -> None:
        """Something that is no message of a session: a command's answer, a notice."""
        for row in self.rows(place, key, owner, text):
            self.send(self._db.post(place.platform, row), row["content"])

    def send(self, post: int, content: str, live: str | None = None) -> None:
        """Send a row that is pending. With `live`, the message that grew meanwhile takes the text."""
        value: Any = json.loads(content)
        place = Place(*value["place"])
        adapter = self._adapters[place.platform]
        if not self._db.settle_post(post, "sending", expect="pending"):
            return
        for attempt in range(_TRIES):
            try:
                self._once(adapter, place, value, post, live)
                self._db.settle_post(post, "sent", tries=attempt + 1)
                return
            except Undelivered as failed:
                if failed.final or failed.unsure or attempt == _TRIES - 1 or self._wait(failed, attempt):
                    log.warning("a message to %s was not delivered: %s", place.platform, failed)
                    self._db.settle_post(post, "undelivered", tries=attempt + 1, error=str(failed)[:500])
                    return
                live = None

    def _once(self, adapter: Adapter, place: Place, value: Any, post: int, live: str | None) -> None:
        try:
            self._try(adapter, place, value, post, live)
        except HermesError:
            raise
        except Exception as error:  # an adapter's edge: whatever an SDK raises, the row must not stay as it is
            log.exception("an adapter failed")
            raise Undelivered(f"{type(error).__name__}: {error}", unsure=True) from error

    def _try(self, adapter: Adapter, place: Place, value: Any, post: int, live: str | None) -> None:
        text = value["text"]
        if value.get("file"):
            file = Path(value["file"])
            if not file.is_file() or file.resolve() != file:  # or a link was put in its place
                raise Undelivered(f"{file} is gone.", final=True)
            adapter.send_file(place, file, text, key=f"hermes-{post}")
            return
        if live is not None:
            adapter.edit(place, live, text)
            return
        for number, piece in enumerate(pieces(text, adapter.longest, adapter.length)):  # a job's answer comes whole
            adapter.send(place, piece, key=f"hermes-{post}-{number}")

    def _wait(self, failed: Undelivered, attempt: int) -> bool:
        """True: the gateway is leaving, and this was the last try."""
        pause = 2.0**attempt if failed.seconds is None else failed.seconds
        return self._over.wait(min(pause, _LONGEST_PAUSE))

    def resume(self, rows: Sequence[Row]) -> int:
        """What the last run left: send what was not begun, mark what may have arrived. Returns how many were marked."""
        marked = 0
        for row in rows:
            adapter = self._adapters.get(row["platform"])
            if adapter is None:
                continue
            if row["state"] == "sending" and not adapter.repeats:
                why = "Hermes ended while it was sent; it may have arrived."
                marked += self._db.settle_post(row["id"], "undelivered", expect="sending", error=why)
                continue
            if row["state"] == "sending":
                self._db.settle_post(row["id"], "pending", expect="sending")
            self.send(row["id"], row["content"])
        return marked

    def stop(self) -> None:
        self._over.set()
