"""The system prompt: who the agent is, where it works, what it knows. Built once for a session and then frozen."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from hermes.agent.base import Memory, Skills
from hermes.config import Settings
from hermes.errors import ConfigError
from hermes.model.sources import SOURCES

IDENTITY = (
    "You are Hermes, a personal assistant who works on this person's behalf. Be direct and exact. Say what you do not "
    "know. Do what was asked, no more, and check your work before you call it done."
)
SEARCH = (
    "When the user references something from a past conversation or you suspect relevant prior context exists, use "
    "session_search to recall it before asking them to repeat themselves."
)
TOOLS_OVER_PROMISES = (
    "When a tool can do what is needed, call it in the same answer instead of announcing that you will. Go on until "
    "the request is done or you need something only the person can give."
)
CONTEXT_FILES = ("AGENTS.md",)
MOST_OF_A_FILE = 20_000  # characters of a context file, and of SOUL.md


class Place(NamedTuple):
    """Where and when a session begins."""

    home: Path
    cwd: Path | None
    now: datetime
    source: str


def system_prompt(
    settings: Settings,
    place: Place,
    memory: Memory,
    skills: Skills,
    *,
    personality: str | None = None,
    tools: bool = False,
) -> str:
    """Every part that there is, with a blank line between."""
    insists = settings.agent.tool_use_enforcement
    parts = [
        identity(settings, place.home, personality),
        settings.agent.system_prompt,
        SEARCH,
        TOOLS_OVER_PROMISES if insists == "on" or (insists == "auto" and tools) else "",
        memory.prompt(),
        skills.prompt(),
        *(context_files(place.cwd) if place.cwd else ()),
        surroundings(place),
    ]
    return "\n\n".join(part.strip() for part in parts if part and part.strip())


def identity(settings: Settings, home: Path, name: str | None = None) -> str:
    """SOUL.md in the home, or our own words; then the personality, if one is chosen."""
    soul = _shortened(home / "SOUL.md") or IDENTITY
    name = settings.display.personality if name is None else name
    if name in ("", "none", "default"):
        return soul
    return f"{soul}\n\n{personality_prompt(settings, name)}"


def personality_prompt(settings: Settings, name: str) -> str:
    """The prompt of a named personality: a text, or a mapping with `system_prompt` and, if wanted, tone and style."""
    if name not in settings.personalities:
        known = ", ".join(settings.personalities) or "none yet"
        raise ConfigError(f"No personality '{name}' (there are: {known}); add it under `personalities` in config.yaml.")
    found = settings.personalities[name]
    if isinstance(found, Mapping):
        return _of_mapping(found)
    return str(found)


def _of_mapping(found: Mapping[str, Any]) -> str:
    lines = [str(found.get("system_prompt") or found.get("prompt") or found.get("description") or "")]
    lines += [f"{word.capitalize()}: {found[word]}" for word in ("tone", "style") if found.get(word)]
    return "\n".join(line for line in lines if line)


def context_files(cwd: Path) -> list[str]:
    """What the folder says about itself."""
    found = ((name, _shortened(cwd / name)) for name in CONTEXT_FILES)
    return [f"# {name} of {cwd}\n\n{text}" for name, text in found if text]


def _shortened(path: Path) -> str:
    """The text of a file, its middle left out when it is long; nothing when it cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(4 * MOST_OF_A_FILE)
    except OSError:
        return ""
    text = text.replace("\0", "").strip()
    if len(text) <= MOST_OF_A_FILE:
        return text
    head, tail = MOST_OF_A_FILE * 3 // 4, MOST_OF_A_FILE // 4
    return f"{text[:head]}\n\n[… {path.name} is longer; read the file for the rest …]\n\n{text[-tail:]}"


def surroundings(place: Place) -> str:
    where, system = SOURCES.get(place.source, place.source), os.uname()
    lines = [
        f"This conversation began on {place.now:%A, %d %B %Y} ({place.now:%Z}).",
        f"The person reaches you by: {where}.",
    ]
    lines.append(f"You run on {system.sysname} ({system.machine}).")
    if place.cwd:
        lines.append(f"The working folder is {place.cwd}.")
    return "\n".join(lines)


def now_in(zone: str) -> datetime:
    """The time in the zone of the settings, or in the machine's."""
    if not zone:
        return datetime.now().astimezone()
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # only who asks for a zone pays

    try:
        return datetime.now(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):
        raise ConfigError(f"timezone: '{zone}' is no time zone; use a name such as Europe/Berlin.") from None
