"""What was decided: what is allowed for good, and a log of every decision. Both are readable by their owner alone."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from hermes import paths
from hermes.config import save
from hermes.errors import ConfigError

_LOG_BYTES = 1_000_000


class Action(NamedTuple):
    """Something that may need a yes: a command in a folder, or a path to be written or read. Decisions hold for exactly
    these bytes, in this folder."""

    kind: str  # command, write, read
    subject: str
    folder: str

    @property
    def key(self) -> str:
        joined = "\0".join(self).encode("utf-8", "surrogatepass")
        return hashlib.sha256(joined).hexdigest()


class Decision(NamedTuple):
    """`how`: once, session, always, denied, nobody (is there to ask), time, yolo, listed (in the settings), cron,
    remembered (from earlier in this conversation)."""

    allowed: bool
    how: str


# -- allowed for good


def always() -> list[dict[str, Any]]:
    """Everything that is allowed for good, oldest first. A file that makes no sense allows nothing."""
    try:
        entries = json.loads(paths.approvals_file().read_text(encoding="utf-8"))["always"]
        return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("key"), str)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def is_always(action: Action) -> bool:
    return any(entry["key"] == action.key for entry in always())


def allow_always(action: Action, session_id: str) -> None:
    """The key is what counts; the text is kept to be read by people, secrets masked."""
    from hermes.model.secrets import redact

    shown = {**action._asdict(), "subject": redact(action.subject)[0]}
    entry = {"key": action.key, **shown, "session": session_id, "at": time.time()}
    _rewrite(lambda entries: [*(one for one in entries if one["key"] != action.key), entry])


def revoke(prefixes: list[str] | None) -> list[dict[str, Any]]:
    """Take back what begins with one of these keys; None: everything. Returns what was taken back."""
    gone = [one for one in always() if prefixes is None or one["key"].startswith(tuple(prefixes))]
    keys = {one["key"] for one in gone}
    if gone:
        _rewrite(lambda entries: [one for one in entries if one["key"] not in keys])
    return gone


def _rewrite(change: Any) -> None:
    file = paths.approvals_file()
    with save.alone(file):
        save.replace(file, json.dumps({"always": change(always())}, ensure_ascii=False, indent=1) + "\n")


# -- the log


def note(action: Action, decision: Decision, reasons: tuple[str, ...], session_id: str) -> None:
    """One line in the log, secrets masked. A log that cannot be written stops nothing."""
    from hermes.model.secrets import redact  # a hundred patterns, compiled when the first secret is looked for

    entry = {
        "at": time.time(),
        "session": session_id,
        "kind": action.kind,
        "subject": redact(action.subject)[0][:2000],
        "folder": action.folder,
        "key": action.key,
        "allowed": decision.allowed,
        "how": decision.how,
        "why": [redact(reason)[0] for reason in reasons],
    }
    try:
        _append(json.dumps(entry, ensure_ascii=False))
    except (OSError, ConfigError):
        pass


def _append(line: str) -> None:
    file = paths.approvals_log()
    for folder in (paths.hermes_home(), file.parent):
        paths.make_private_folder(folder)
    if file.exists() and file.stat().st_size > _LOG_BYTES:
        os.replace(file, file.with_suffix(".jsonl.1"))
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC
    descriptor = os.open(file, flags, paths.PRIVATE_FILE)
    try:
        os.write(descriptor, (line + "\n").encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)


def decided(most: int = 50) -> list[dict[str, Any]]:
    """The latest decisions, newest first."""
    return list(_entries())[-most:][::-1]


def _entries() -> Iterator[dict[str, Any]]:
    try:
        lines = paths.approvals_log().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # torn by a crash
        if isinstance(entry, dict) and {"at", "kind", "subject", "allowed", "how"} <= set(entry):
            yield entry
