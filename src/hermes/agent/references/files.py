"""Files and folders that a message refers to. What holds keys or passwords is refused, whoever asks."""

import os
from collections.abc import Iterator
from pathlib import Path

from hermes import paths
from hermes.errors import ToolError
from hermes.tools.approvals.places import is_secret, real
from hermes.tools.files.places import is_store, readable
from hermes.tools.files.textfile import encoding_of

_LARGEST = 10_000_000  # bytes of a file
_ENTRIES = 300
_DEPTH = 3
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".tox"})
_NOT_FILES = (Path("/proc"), Path("/sys"), Path("/dev"))


def located(target: str, folder: Path) -> Path:
    """The path that is meant. ToolError when it is nobody's business."""
    if "\0" in target:
        raise ToolError("a path has no zero in it.")
    path = Path(os.path.normpath(folder / Path(target).expanduser()))
    if is_sensitive(path):
        raise ToolError(f"{path.name} may hold keys or passwords, or belongs to Hermes itself; it goes to no model.")
    return path


def is_sensitive(path: Path) -> bool:
    where, home = real(path), real(paths.hermes_home())
    if is_secret(path) or is_secret(where / "x") or is_store(path):
        return True
    return where.parent == home or where == home or any(where.is_relative_to(one) for one in _NOT_FILES)


def file_text(target: str, lines: tuple[int, int] | None, folder: Path) -> str:
    """A file, or the lines of it that are wanted."""
    path = located(target, folder)
    if path.is_dir():
        raise ToolError(f"{target} is a folder; @folder:{target} shows what is in it.")
    if readable(path).st_size > _LARGEST:
        raise ToolError(f"{target} is larger than {_LARGEST // 1_000_000} MB.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ToolError(f"{target}: {error.strerror}.") from None
    encoding = encoding_of(content[:8192])
    if encoding is None:
        raise ToolError(f"{target} is not text ({len(content):,} bytes).")
    text = content.decode(encoding, "replace")
    return text if lines is None else _lines(text, lines, target)


def _lines(text: str, lines: tuple[int, int], target: str) -> str:
    first, last = max(1, lines[0]), lines[1]
    every = text.splitlines()
    if last < first or first > len(every):
        raise ToolError(f"{target} has {len(every):,} lines; {lines[0]}-{lines[1]} are none of them.")
    return "\n".join(f"{number}|{line}" for number, line in enumerate(every[first - 1 : last], first))


def folder_text(target: str, folder: Path) -> str:
    """What is in a folder, three levels deep: names, and sizes of files."""
    path = located(target, folder)
    if not path.is_dir():
        raise ToolError(f"there is no folder {target}.")
    entries: list[str] = []
    for line in _tree(path, 0):
        if len(entries) == _ENTRIES:
            return "\n".join([*entries, f"[more than {_ENTRIES} entries]"])
        entries.append(line)
    return "\n".join(entries) or "[empty]"


def _tree(folder: Path, depth: int) -> Iterator[str]:
    try:
        inside = sorted(os.scandir(folder), key=lambda one: (not one.is_dir(follow_symlinks=False), one.name))
    except OSError as error:
        yield f"{'  ' * depth}[{error.strerror}]"
        return
    for one in inside:
        if one.is_dir(follow_symlinks=False):
            yield f"{'  ' * depth}{one.name}/"
            if depth + 1 < _DEPTH and one.name not in _SKIPPED:
                yield from _tree(Path(one.path), depth + 1)
        else:
            yield f"{'  ' * depth}{one.name}{_size(one)}"


def _size(one: "os.DirEntry[str]") -> str:
    if one.is_symlink():
        return " (a link)"
    return f" ({one.stat(follow_symlinks=False).st_size:,} bytes)"
