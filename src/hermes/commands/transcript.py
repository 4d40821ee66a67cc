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
    """Where a session comes from and what grew out of it. The parts of a conversation hang under its first one."""
    session_id = choose.to_read(db, session)
    root = db.get_ancestors(session_id)[-1]
    rows = {row["id"]: row for row in db.get_descendants(root["id"])}
    relations = {row["id"]: _relation(row, rows) for row in rows.values()}
    nodes = tuple(
        (depth, _branch(row, relations[row["id"]], row["id"] == session_id))
        for depth, row in _in_order(rows, relations)
    )
    return Reply((Tree(nodes),), data=[{**_brief(row), "relation": relations[row["id"]]} for row in rows.values()])


def _relation(row: Row, rows: dict[str, Row]) -> str:
    """How a session follows from its parent."""
    parent = rows.get(row["parent_session_id"])
    if parent is None or next(iter(rows)) == row["id"]:
        return "start"
    if parent["lineage_id"] == row["lineage_id"]:
        return "continued"
    return "branch" if parent["end_reason"] == "branched" else "delegated"


def _in_order(rows: dict[str, Row], relations: dict[str, str]) -> Iterable[tuple[int, Row]]:
    """Parents before their children, each with its depth; not recursive, because lineages have no limit."""
    first_parts: dict[str, str] = {}
    children: dict[str, list[Row]] = {}
    for row in rows.values():
        first = first_parts.setdefault(row["lineage_id"], row["id"])
        if relations[row["id"]] != "start":
            above = first if relations[row["id"]] == "continued" else row["parent_session_id"]
            children.setdefault(above, []).append(row)
    todo = [(0, next(iter(rows.values())))]
    while todo:
        depth, row = todo.pop()
        yield depth, row
        todo += [(depth + 1, child) for child in reversed(children.get(row["id"], ()))]


def _branch(row: Row, relation: str, is_asked: bool) -> Line:
    words = [row["title"] or "(no title)", row["source"], count(row["message_count"] or 0, "message")]
    if relation != "start":
        words.insert(0, relation)
    if row["trashed_at"]:
        words.append("in the trash")
    line = (Span(row["id"], "strong" if is_asked else ""), Span("  " + " · ".join(words), "dim"))
    return (*line, Span("  ← this one", "strong")) if is_asked else line


_BRIEF = ("id", "title", "source", "parent_session_id", "lineage_id", "started_at", "ended_at", "end_reason")


def _brief(row: Row) -> Row:
    return {name: row[name] for name in (*_BRIEF, "message_count")}
