"""A conversation as people read it, and the tree it belongs to."""

import json
import re
from collections.abc import Iterable
from typing import Any

from hermes.commands import choose
from hermes.commands.reply import Entry, Line, Reply, Span, Transcript, Tree, count
from hermes.errors import BadInput
from hermes.store import SessionDB
from hermes.store.base import Row
from hermes.store.encode import plain_text

_TOOL_LINES = 8
_ARGUMENTS = 200
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\Z")


def show(db: SessionDB, session: str, *, part: bool = False, last: int | None = None, full: bool = False) -> Reply:
    """The whole conversation a session belongs to, or with `part` that session alone."""
    session_id = choose.to_read(db, session)
    parts = db.get_lineage(session_id)
    shown = [row for row in parts if row["id"] == session_id] if part else parts
    messages = [message for row in shown for message in _own(db, row, alone=len(shown) == 1)]
    if last is not None:
        if last < 1:
            raise BadInput("--last takes a number of messages, 1 or more.")
        messages = messages[-last:]
    heading = _heading(db, shown, parts, full)
    return Reply((Transcript(heading, tuple(entries(messages, full=full))),), data=[*shown, *messages])


def _own(db: SessionDB, part: Row, *, alone: bool) -> list[Row]:
    """What was said in a part; what was carried along from an earlier one shows there, unless this stands alone."""
    rows = db.get_messages(part["id"])
    return rows if alone else [row for row in rows if row.get("carried_from") is None]


def _heading(db: SessionDB, shown: list[Row], parts: list[Row], full: bool) -> tuple[Line, ...]:
    row = shown[-1]
    about = [row["source"], row["model"] or "", count(sum(part["message_count"] or 0 for part in shown), "message")]
    about += [f"#{tag}" for tag in db.get_tags(row["id"])]
    about += [word for word, column in (("pinned", "pinned"), ("archived", "archived_at")) if row[column]]
    if row["trashed_at"]:
        about.append("in the trash")
    lines: list[Line] = [(Span(row["title"] or "(no title)", "strong"),), (Span(row["id"], "dim"),)]
    lines.append((Span(" · ".join(word for word in about if word), "dim"),))
    if len(parts) > 1:
        which = f"part {parts.index(row) + 1} of {len(parts)}" if len(shown) == 1 else f"{len(parts)} parts"
        lines.append((Span(f"{which}; `hermes sessions lineage {row['id']}` shows them", "dim"),))
    if full and row["system_prompt"]:
        lines += ["", (Span("System prompt", "strong"),), *row["system_prompt"].splitlines()]
    return tuple(lines)


def entries(messages: Iterable[Row], *, full: bool) -> Iterable[Entry]:
    """Messages to read. Unless `full`, tool calls are a count, results cut, system messages and reasoning hidden."""
    for message in messages:
        role, text = message["role"], plain_text(message["content"])
        if role == "system" and not full:
            continue
        notes = _notes(message, full)
        if role == "tool" and not full:
            text, cut = _cut(text)
            notes = (*notes, *cut)
        pictures = images(message["content"])
        if text or notes or pictures:
            yield Entry(role, text, message["timestamp"], message["tool_name"] or "", notes, pictures)


def _notes(message: Row, full: bool) -> tuple[str, ...]:
    calls = message["tool_calls"] if isinstance(message["tool_calls"], list) else []
    if not full:
        names = ", ".join(dict.fromkeys(_call(call)[0] for call in calls))
        return (f"[{count(len(calls), 'tool call')}: {names}]",) if calls else ()
    reasoning = message["reasoning"] or message["reasoning_content"]
    thought = (f"[thinking] {reasoning}",) if reasoning else ()
    return (*thought, *(f"[tool call] {name} {arguments}" for name, arguments in map(_call, calls)))


def _call(call: Any) -> tuple[str, str]:
    """Name and arguments of a tool call, of whatever shape it came in."""
    function = call.get("function") if isinstance(call, dict) else None
    described = function if isinstance(function, dict) else call if isinstance(call, dict) else {}
    arguments = described.get("arguments", described.get("input", ""))
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return str(described.get("name") or "?"), written


def _cut(text: str) -> tuple[str, tuple[str, ...]]:
    lines = text.splitlines()
    if len(lines) <= _TOOL_LINES and len(text) <= _TOOL_LINES * _ARGUMENTS:
        return text, ()
    kept = "\n".join(line[:_ARGUMENTS] for line in lines[:_TOOL_LINES])
    return kept, (f"[{len(text):,} characters; --full shows all]",)


def images(content: Any) -> tuple[str, ...]:
    """Pictures inside a multimodal content that can be shown from the text itself."""
    found = []
    for part in content if isinstance(content, list) else ():
        link = part.get("image_url") if isinstance(part, dict) else None
        url = link.get("url") if isinstance(link, dict) else link
        if isinstance(url, str) and _IMAGE.match(url):
            found.append(url)
    return tuple(found)


def lineage(db: SessionDB, session: str) -> Reply:
    """Where a session comes from and what grew out of it: the tree from its first ancestor."""
    session_id = choose.to_read(db, session)
    root = db.get_ancestors(session_id)[-1]
    rows = db.get_descendants(root["id"])
    children: dict[str, list[Row]] = {}
    for row in rows[1:]:
        children.setdefault(row["parent_session_id"], []).append(row)
    data = [{**_brief(row), "relation": relation(row, rows)} for row in rows]
    return Reply((_tree(root, children, rows, session_id),), data=data)


def relation(row: Row, rows: list[Row]) -> str:
    """How a session follows from its parent."""
    parent = next((one for one in rows if one["id"] == row["parent_session_id"]), None)
    if parent is None:
        return "start"
    if parent["lineage_id"] == row["lineage_id"]:
        return "continued"
    return "branch" if parent["end_reason"] == "branched" else "delegated"


def _tree(row: Row, children: dict[str, list[Row]], rows: list[Row], session_id: str) -> Tree:
    words = [row["title"] or "(no title)", row["source"], count(row["message_count"] or 0, "message")]
    kind = relation(row, rows)
    if kind != "start":
        words.insert(0, kind)
    if row["trashed_at"]:
        words.append("in the trash")
    name = Span(row["id"], "strong" if row["id"] == session_id else "")
    mark = Span("  ← this one", "strong") if row["id"] == session_id else Span("")
    line = (name, Span("  " + " · ".join(words), "dim"), mark)
    return Tree(line, tuple(_tree(child, children, rows, session_id) for child in children.get(row["id"], ())))


_BRIEF = ("id", "title", "source", "parent_session_id", "lineage_id", "started_at", "ended_at", "end_reason")


def _brief(row: Row) -> Row:
    return {name: row[name] for name in (*_BRIEF, "message_count")}
