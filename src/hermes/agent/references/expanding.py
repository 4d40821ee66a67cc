"""From references to what they stand for, within limits, without secrets."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from hermes.agent.references.changes import commits, diff
from hermes.agent.references.files import file_text, folder_text
from hermes.agent.references.parsing import KINDS, Reference, references
from hermes.config import Settings
from hermes.errors import HermesError, ToolError
from hermes.model.fences import fenced
from hermes.model.secrets import redact

_MOST = 20  # references of one message
_LEAST = 200  # characters worth attaching


class Expanded(NamedTuple):
    """`text` is what was typed, `attached` what goes to the model with it; empty: there was no reference."""

    text: str
    attached: str = ""
    notices: tuple[str, ...] = ()


def expand(
    text: str, folder: Path, settings: Settings, *, room: int = 200_000, kinds: Collection[str] = tuple(KINDS)
) -> Expanded:
    """What the references of a message stand for, in at most `room` characters. Never fails: what cannot be had is
    told to the person and to the model. Paths begin at `folder`."""
    found = [one for one in references(text) if one.kind in kinds]
    parts: list[str] = []
    notices = [f"Only the first {_MOST} references are used." for _ in found[_MOST : _MOST + 1]]
    for one in found[:_MOST]:
        part, notice = _attached(one, folder, settings, room)
        room -= len(part)
        parts.append(part)
        notices += [f"{one.written}: {notice}"] if notice else []
    return Expanded(text, "\n\n".join(parts), tuple(notices))


def _attached(one: Reference, folder: Path, settings: Settings, room: int) -> tuple[str, str]:
    """The part for the model, and what the person should know about it."""
    about = {"reference": one.written}
    try:
        if room < _LEAST:
            raise ToolError("left out, there is no room for it in the model's window.")
        content = _content(one, folder, settings)
    except HermesError as error:
        return fenced("attached", f"[not attached: {error}]", **about), f"not attached: {error}"
    if settings.security.redact_secrets:
        content, _ = redact(content)
    most = min(room, settings.file_read_max_chars)
    if len(content) <= most:
        return fenced("attached", content, **about), ""
    note = f"cut after {most:,} of {len(content):,} characters."
    return fenced("attached", f"{content[:most]}\n[{note}]", **about), note


def _content(one: Reference, folder: Path, settings: Settings) -> str:
    if one.kind == "file":
        return file_text(one.target, one.lines, folder)
    if one.kind == "folder":
        return folder_text(one.target, folder)
    if one.kind == "url":
        from hermes.tools.web.reading import read_page

        return read_page(one.target, settings).text
    return commits(one.target, folder) if one.kind == "git" else diff(folder, staged=one.kind == "staged")
