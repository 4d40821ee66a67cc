"""Completion of a reference that is being typed."""

import os
from pathlib import Path

from hermes.agent.references.changes import recent
from hermes.agent.references.files import is_sensitive
from hermes.agent.references.parsing import KINDS

_MOST = 100


def completions(word: str, folder: Path) -> list[tuple[str, str]]:
    """What the word can become, and a remark on each; nothing when it is not the beginning of a reference."""
    if not word.startswith("@"):
        return []
    kind, colon, typed = word[1:].partition(":")
    if not colon:
        return [(_start(name), about) for name, about in KINDS.items() if name.startswith(kind)]
    if kind == "git":
        return [(f"@git:{name}", subject) for name, subject in recent(folder) if name.startswith(typed)]
    if kind in ("file", "folder"):
        return [(f"@{kind}:{path}", about) for path, about in _paths(typed, folder, folders_only=kind == "folder")]
    return []


def _start(kind: str) -> str:
    return f"@{kind}" if kind in ("diff", "staged") else f"@{kind}:"


def _paths(typed: str, folder: Path, *, folders_only: bool) -> list[tuple[str, str]]:
    """Files and folders that begin like this; a folder ends with a slash, to go on from. Secrets are not offered."""
    quote = typed[:1] if typed[:1] in ('"', "'") else ""
    typed = typed.removeprefix(quote)
    above, beginning = os.path.split(typed)
    try:
        inside = sorted(os.scandir(folder / Path(above or ".").expanduser()), key=lambda one: one.name)
    except (OSError, ValueError, RuntimeError):
        return []
    fitting = [
        one
        for one in inside
        if one.name.startswith(beginning)
        and (beginning.startswith(".") or not one.name.startswith("."))
        and (one.is_dir() or not folders_only)
        and not is_sensitive(Path(one.path))
    ]
    return [_path(os.path.join(above, one.name), quote, is_folder=one.is_dir()) for one in fitting[:_MOST]]


def _path(path: str, quote: str, *, is_folder: bool) -> tuple[str, str]:
    quote = quote or ('"' if " " in path else "")
    if is_folder:
        return f"{quote}{path}/", "folder"
    return f"{quote}{path}{quote}", "file"
