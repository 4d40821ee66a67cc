"""What was said before, in short: shown when a conversation is resumed.

Shown are the person's messages and the assistant's answers of the last ten exchanges. Tool calls are a count with
names; system messages (a summary is one), results of tools and reasoning are left out. Everything is dimmed and cut,
but the last answer, which is what the person goes on from.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hermes.commands.reply import Line, Span, Style, count
from hermes.model.text import clip
from hermes.store.encode import plain_text

EXCHANGES = 10
USER_LENGTH = 300
ANSWER_LENGTH, ANSWER_LINES = 200, 3
_NAMES: dict[str, tuple[str, Style]] = {"user": ("● You: ", "user"), "assistant": ("◆ Hermes: ", "assistant")}


class Said(NamedTuple):
    role: str
    text: str
    calls: tuple[str, ...] = ()  # names of the tools called


def recap(messages: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """The lines; none when nothing was said yet."""
    said = spoken(messages)
    shown = _last_exchanges(said)
    lines: list[Line] = []
    earlier = len(said) - len(shown)
    if earlier:
        lines += [(Span(f"... {earlier:,} earlier message{'s' * (earlier > 1)} ...", "dim"),), ""]
    newest = max((place for place, one in enumerate(shown) if one.role == "assistant" and one.text), default=-1)
    for place, one in enumerate(shown):
        lines += _lines(one, whole=place == newest)
    return tuple(lines)


def spoken(messages: Sequence[Mapping[str, Any]]) -> list[Said]:
    """What people read of a conversation. Calls without a word belong to the remark before them."""
    said: list[Said] = []
    for message in messages:
        role, text = message["role"], plain_text(message.get("content")).strip()
        if role == "user":
            said.append(Said(role, text or _pictures(message)))
        elif role == "assistant":
            calls = _names(message)
            if not text and said and said[-1].role == "assistant":
                said[-1] = said[-1]._replace(calls=(*said[-1].calls, *calls))
            elif text or calls:
                said.append(Said(role, text, calls))
    return said


def _pictures(message: Mapping[str, Any]) -> str:
    return "[picture]" if isinstance(message.get("content"), list) else ""


def _names(message: Mapping[str, Any]) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    return tuple(str((call.get("function") or call).get("name") or "?") for call in found)


def _last_exchanges(said: list[Said]) -> list[Said]:
    """From the tenth last message of the person on."""
    asked = [place for place, one in enumerate(said) if one.role == "user"]
    return said[asked[-EXCHANGES] :] if len(asked) > EXCHANGES else said


def _lines(one: Said, *, whole: bool) -> list[Line]:
    name, style = _NAMES[one.role]
    text = one.text if whole else _cut(one)
    inner: Style = "" if whole else "dim"
    texts = [Span(line, inner) for line in text.splitlines()]
    if one.calls:
        names = ", ".join(dict.fromkeys(one.calls))
        texts.append(Span(f"[{count(len(one.calls), 'tool call')}: {names}]", "dim"))
    first, *rest = texts or [Span("")]
    return [(Span(name, style), first), *((Span("  "), line) for line in rest)]


def _cut(one: Said) -> str:
    if one.role == "user":
        return clip(one.text, USER_LENGTH)
    lines = [line for line in one.text.splitlines() if line.strip()]
    text = "\n".join(lines[:ANSWER_LINES])
    return text[:ANSWER_LENGTH].rstrip() + "..." if len(lines) > ANSWER_LINES or len(text) > ANSWER_LENGTH else text
