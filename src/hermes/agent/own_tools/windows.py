"""What stands around a hit: the message itself, and as many before and after it as there is room for."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hermes.agent.turn import text_of
from hermes.model.calls import told
from hermes.store.db import OpenStore

Row = dict[str, Any]
_FARTHEST = 200  # messages on each side of a hit
_LEFT_OUT = "[…]"
_WORTH_SHOWING = 100  # characters; less room than this is no room


class Hit(NamedTuple):
    """A message that was found; `place` says where in its text."""

    session_id: str
    message_id: int
    place: Callable[[str], int] = lambda text: 0


class _Stretch(NamedTuple):
    """Messages that follow each other, and where among them the hit is."""

    rows: Sequence[Row]
    centre: int
    hit: Hit


def window(db: OpenStore, hits: Sequence[Hit], room: int) -> str:
    """Up to about `room` characters: first the hits themselves, best first, then what is nearest to them."""
    stretches = list(_stretches(db, hits, max(4, min(_FARTHEST, room // 200))))
    texts: dict[int, str] = {}
    rows: dict[int, Row] = {}
    for row, hit in _nearest_first(stretches):
        original = row["carried_from"] or row["id"]  # a message that was carried along is shown once
        if original in rows:
            continue
        share = max(600, room // 2) if hit else max(300, room // 4)
        text = _cut(said(row), hit.place if hit else None, min(room, share))
        if not text:
            continue
        texts[original], rows[original] = text, row
        room -= len(text) + 40
        if room < _WORTH_SHOWING:
            break
    return _joined(rows, texts, _neighbours(stretches))


def beginning(rows: Iterator[Row], room: int) -> tuple[str, int | None]:
    """The first messages that fit, and the id of the first that does not."""
    shown: list[str] = []
    for row in rows:
        text = _cut(said(row), None, max(_WORTH_SHOWING, room))
        if room < _WORTH_SHOWING:
            return "\n".join(shown), row["id"]
        if text and row["carried_from"] is None:
            shown.append(_message(row, text))
            room -= len(text) + 40
    return "\n".join(shown), None


def said(row: Mapping[str, Any]) -> str:
    """A message in words: what was said, and the calls that were made."""
    content = row["content"]
    text = text_of(content) if isinstance(content, str | list) or content is None else json.dumps(content)
    return "\n".join(filter(None, (text.strip(), told(row["tool_calls"]))))


def _stretches(db: OpenStore, hits: Sequence[Hit], reach: int) -> Iterator[_Stretch]:
    """Around each hit; one that lies in what was read for another needs no reading."""
    read: list[_Stretch] = []
    for hit in hits:
        found = next(filter(None, (_within(one, hit) for one in read)), None) or _around(db, hit, reach)
        if found is not None:
            read.append(found)
            yield found


def _within(stretch: _Stretch, hit: Hit) -> _Stretch | None:
    if stretch.hit.session_id != hit.session_id:
        return None
    places = (place for place, row in enumerate(stretch.rows) if row["id"] == hit.message_id)
    centre = next(places, None)
    return None if centre is None else _Stretch(stretch.rows, centre, hit)


def _around(db: OpenStore, hit: Hit, reach: int) -> _Stretch | None:
    before = db.get_messages(hit.session_id, before=hit.message_id, limit=reach, newest=True)
    after = db.get_messages(hit.session_id, after=hit.message_id - 1, limit=reach + 1)
    if not after or after[0]["id"] != hit.message_id:
        return None
    return _Stretch([*before, *after], len(before), hit)


def _nearest_first(stretches: Sequence[_Stretch]) -> Iterator[tuple[Row, Hit | None]]:
    for one in stretches:
        yield one.rows[one.centre], one.hit
    for distance in range(1, max((len(one.rows) for one in stretches), default=0)):
        for one in stretches:
            for place in (one.centre - distance, one.centre + distance):
                if 0 <= place < len(one.rows):
                    yield one.rows[place], None


def _neighbours(stretches: Sequence[_Stretch]) -> set[tuple[int, int]]:
    """Pairs of messages between which nothing was said."""
    return {
        (first["carried_from"] or first["id"], second["carried_from"] or second["id"])
        for one in stretches
        for first, second in zip(one.rows, one.rows[1:], strict=False)
    }


def _joined(rows: Mapping[int, Row], texts: Mapping[int, str], neighbours: set[tuple[int, int]]) -> str:
    lines: list[str] = []
    previous: int | None = None
    for key in sorted(rows):
        if previous is not None and (previous, key) not in neighbours:
            lines.append(_LEFT_OUT)
        lines.append(_message(rows[key], texts[key]))
        previous = key
    return "\n".join(lines)


def _message(row: Row, text: str) -> str:
    """Its id, who spoke and when; the text is set in, so that nothing in it can pass for another message."""
    who = f"{row['role']} {row['tool_name']}" if row["tool_name"] else row["role"]
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["timestamp"]))
    return f"[#{row['id']} {who} {when}]\n" + "\n".join(f"  {line}" for line in text.splitlines())


def _cut(text: str, place: Callable[[str], int] | None, width: int) -> str:
    """About `width` characters of a text, around the place where something was found."""
    if len(text) <= width:
        return text
    at = place(text) if place else 0
    start = max(0, min(at - width // 3, len(text) - width))
    end = start + width
    return (_LEFT_OUT if start else "") + text[start:end] + (_LEFT_OUT if end < len(text) else "")
