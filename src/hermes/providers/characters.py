"""Whole characters. A server that counts in UTF-16 can send the two halves of an emoji in two deltas; each half by
itself can be neither shown nor stored."""

from collections.abc import Iterator
from typing import Any

from hermes.providers.base import Event, Finished, ReasoningDelta, TextDelta, ToolCallDelta


def whole_characters(events: Iterator[Event]) -> Iterator[Event]:
    """The events, with halves put together; one that stays alone becomes U+FFFD."""
    held: dict[Any, str] = {}
    for event in events:
        if isinstance(event, TextDelta | ReasoningDelta):
            text = _shown(held, type(event), event.text)
            if text:
                yield event._replace(text=text)
        elif isinstance(event, ToolCallDelta):
            yield event._replace(name=well_formed(event.name), arguments=_shown(held, event.index, event.arguments))
        elif isinstance(event, Finished):
            yield event._replace(message=_mended(event.message))
        else:
            yield event


def well_formed(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _shown(held: dict[Any, str], key: Any, text: str) -> str:
    """What can be shown now; a first half waits for the second."""
    text = held.pop(key, "") + text
    if "\ud800" <= text[-1:] <= "\udbff":
        held[key] = text[-1]
        text = text[:-1]
    return well_formed(text)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, list) else value
