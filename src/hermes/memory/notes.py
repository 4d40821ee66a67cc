"""The built-in memory: short notes in two files, `MEMORY.md` (what was learnt) and `USER.md` (about the person).

Entries are divided by a line with `§`. A file has a limit in characters, because all of it is in every prompt: what
does not fit is refused, and the refusal shows the entries, so that something can be merged or taken out.
"""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from hermes import paths
from hermes.config import Settings
from hermes.errors import BadInput, NotFound
from hermes.memory.base import TARGETS, MemoryProvider
from hermes.model.fences import fenced
from hermes.model.owners import main_account, people
from hermes.model.suspicious import suspicions

log = logging.getLogger(__name__)
_NO_LIMIT = 1_000_000_000
_BETWEEN = "\n§\n"
_FILES = {"memory": "MEMORY.md", "user": "USER.md"}
_ABOUT = {"memory": "Notes of yours from earlier conversations", "user": "What you know about the person"}


class Written(NamedTuple):
    """What became of a change: the note it is about, and every entry there is now."""

    target: str
    content: str
    entries: list[str]
    used: int
    limit: int


class Notes(MemoryProvider):
    """`limits`: characters of each target that is switched on. The files are read anew each time: other processes, and
    the person's editor, write them too."""

    name = "notes"

    def __init__(self, folder: Path, limits: Mapping[str, int]) -> None:
        self.folder = folder
        self.limits = limits

    # -- reading

    def file(self, target: str) -> Path:
        if target not in TARGETS:
            raise BadInput(f"There is no target '{target}'; there are: {', '.join(TARGETS)}.")
        return self.folder / _FILES[target]

    def entries(self, target: str) -> list[str]:
        file = self.file(target)
        try:
            text = file.read_text(encoding="utf-8-sig", errors="replace")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {error.strerror}.") from None
        found = (entry.strip() for entry in f"\n{text}\n".replace("\r\n", "\n").split(_BETWEEN))
        return list(dict.fromkeys(filter(None, found)))

    def prompt(self) -> str:
        parts = [self._shown(target) for target in TARGETS if target in self.limits]
        return "\n\n".join(filter(None, parts))

    def _shown(self, target: str) -> str:
        """Entries as data. One that would give orders, which only somebody's editor can have put there, stays out."""
        entries = [entry for entry in self.entries(target) if not suspicions(entry)]
        if not entries:
            return ""
        text = _cut("\n".join(f"- {entry}" for entry in entries), 2 * self.limits[target])
        used = len(_BETWEEN.join(entries))
        return fenced(f"{target}-notes", text, about=_ABOUT[target], used=f"{used} of {self.limits[target]} characters")

    # -- writing

    def add(self, target: str, content: str) -> Written:
        """A new entry. One that is there already stays as it is."""
        content = _checked(content)
        with _alone(self._writable(target)):
            entries = self.entries(target)
            after = entries if content in entries else [*entries, content]
            return self._write(target, content, entries, after)

    def replace(self, target: str, old_text: str, content: str) -> Written:
        """Put `content` in the place of the one entry that contains `old_text`."""
        content = _checked(content)
        with _alone(self._writable(target)):
            entries = self.entries(target)
            gone = self._one(target, old_text, entries)
            return self._write(target, content, entries, [content if one == gone else one for one in entries])

    def remove(self, target: str, old_text: str) -> Written:
        """Take out the one entry that contains `old_text`."""
        with _alone(self._writable(target)):
            entries = self.entries(target)
            gone = self._one(target, old_text, entries)
            return self._write(target, gone, entries, [one for one in entries if one != gone])

    def _writable(self, target: str) -> Path:
        file = self.file(target)
        if target not in self.limits:
            raise BadInput(f"Notes for '{target}' are switched off in the settings (memory).")
        return file

    def _one(self, target: str, old_text: str, entries: list[str]) -> str:
        wanted = old_text.strip()
        if not wanted:
            raise BadInput("old_text has to be some words of the one entry that is meant.")
        found = [entry for entry in entries if wanted in entry]
        if wanted in found:
            return wanted
        if not found:
            raise NotFound(f"No entry of {target} contains '{wanted}'. {listed(entries)}")
        if len(found) > 1:
            raise BadInput(f"'{wanted}' is in {len(found)} entries; give words that are in one alone. {listed(found)}")
        return found[0]

    def _write(self, target: str, content: str, before: list[str], after: list[str]) -> Written:
        used, limit = len(_BETWEEN.join(after)), self.limits[target]
        if used > limit and used >= len(_BETWEEN.join(before)):
            raise BadInput(
                f"That would make {used:,} characters of {target}, and {limit:,} is the limit: merge or remove "
                f"something first. {listed(before)}"
            )
        if after != before:
            from hermes.config import save

            save.replace(self.file(target), _BETWEEN.join(after) + ("\n" if after else ""))
        return Written(target, content, after, used, limit)


def notes_of(settings: Settings, owner: str = "local") -> Notes:
    """The notes about a person, as the settings want them."""
    memory = settings.memory
    limits = {
        "memory": memory.memory_char_limit if memory.memory_enabled else None,
        "user": memory.user_char_limit if memory.user_profile_enabled else None,
    }
    folder = paths.memories_dir(main_account(settings.gateway.identities, owner))
    return Notes(folder, {target: limit for target, limit in limits.items() if limit is not None})


def bring_together(settings: Settings) -> None:
    """What was noted about a person under several accounts goes to where it is kept from now on, as far as it fits."""
    for accounts in people(settings.gateway.identities).values():
        for account in accounts:
            theirs = Notes(paths.memories_dir(account), dict.fromkeys(TARGETS, _NO_LIMIT))
            ours = notes_of(settings, account)
            if theirs.folder != ours.folder:
                _carry(theirs, ours, account)


def _carry(theirs: Notes, ours: Notes, account: str) -> None:
    for target in ours.limits:
        for entry in theirs.entries(target):
            try:
                ours.add(target, entry)
            except BadInput as refused:
                log.warning("a note about %s stays in %s: %s", account, theirs.file(target), refused)
            else:
                theirs.remove(target, entry)


def _alone(file: Path) -> AbstractContextManager[None]:
    """Other writers wait. What writing takes is loaded with the first note."""
    from hermes.config import save

    return save.alone(file)


def listed(entries: list[str]) -> str:
    """The entries in a message, one a line."""
    return "There are:\n" + "\n".join(f"- {entry}" for entry in entries) if entries else "There are none."


def _checked(content: str) -> str:
    content = content.strip()
    if not content:
        raise BadInput("A note needs some words.")
    if _BETWEEN.strip() in content.splitlines():
        raise BadInput("A line with § alone divides notes; leave it out.")
    found = suspicions(content)
    if found:
        raise BadInput(f"This is no note: {found[0].what}. Every note is in the prompt of every conversation.")
    return content


def _cut(text: str, most: int) -> str:
    """An editor knows no limit."""
    return text if len(text) <= most else f"{text[:most]}\n[… cut: the file is far over its limit]"
