"""A home as one archive (zip), and back. Nothing in an archive is trusted: names, kinds and sizes are checked first.

A zip tells every name and size before anything is unpacked, and nothing of it is read into memory as a whole.
"""

import json
import os
import shutil
import stat
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from hermes import __version__, paths
from hermes.errors import BadInput

STORE = "state.db"
MANIFEST = "hermes-home.json"
MOST_FILES = 200_000
MOST_BYTES = 500 * 10**9
_DEEPEST, _LONGEST = 32, 1000
_PIECE = 1024 * 1024
_SPARE = 100_000_000  # room that stays on the disk
_SECRET = (".env", "auth.json", "credentials.json", "api-server.key")
# The store comes as a copy of one moment; what lies beside it, the log, other homes and what a gateway that runs says
# about itself are not part of this one.
_APART = ("logs", "profiles", "gateway.json", "state.db-wal", "state.db-shm", "state.db.lock", "state.db.reserve")
_HELD = "state.db.gateway-"  # how the files begin that a gateway holds while it serves a platform


def files_of(home: Path, *, secrets: bool) -> Iterator[tuple[str, Path]]:
    """Name in the archive and file, for everything of a home but its store. Links and odd files are left out."""
    aside = {path.name for path in paths.copies_of(home / STORE)}
    for folder, inner, names in os.walk(home):
        here = Path(folder)
        if here == home:
            inner[:] = [name for name in inner if name not in _APART]
            left_out = {STORE, MANIFEST, *_APART, *aside}
            names = [name for name in names if name not in left_out and not name.startswith(_HELD)]
        for name in sorted(names):
            path = here / name
            is_secret = name in _SECRET or name.startswith(".env.")
            if stat.S_ISREG(path.lstat().st_mode) and not name.endswith(".part") and (secrets or not is_secret):
                yield path.relative_to(home).as_posix(), path


def pack(out: IO[bytes], home: Path, store: Path | None, *, secrets: bool) -> list[str]:
    """Write the archive; returns the names in it. `store` is a finished copy of the store."""
    names = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        about = {"format": 1, "hermes": __version__, "made_at": time.time(), "secrets": secrets}
        archive.writestr(_entry(MANIFEST), json.dumps(about) + "\n")
        for name, path in [*files_of(home, secrets=secrets), *([(STORE, store)] if store else [])]:
            try:
                source = path.open("rb")
            except FileNotFoundError:  # deleted meanwhile
                continue
            with source, archive.open(_entry(name), "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target, _PIECE)
            names.append(name)
    return names


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, time.localtime()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | paths.PRIVATE_FILE) << 16
    return entry


def unpack(archive: Path, folder: Path, *, most: int = MOST_BYTES) -> dict[str, Any]:
    """Everything of an archive into a new private folder; what the archive says about itself. BadInput, and whatever
    was unpacked is for the caller to remove, when it is not one of ours or not what it claims."""
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = _checked(archive, opened)
            room = min(most, shutil.disk_usage(folder.parent).free - _SPARE)
            if sum(entry.file_size for entry in entries) > room:
                raise BadInput(f"{archive} unpacks to more than there is room for ({room / 1e9:.1f} GB).")
            about = _about(archive, opened)
            folder.mkdir(mode=paths.PRIVATE_FOLDER)
            for entry in entries:
                _write(opened, entry, folder)
            return about
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadInput(f"{archive} is no archive of a Hermes home, or it is damaged ({error}).") from error
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{archive} cannot be unpacked ({getattr(error, 'strerror', None) or error}).") from error


def _checked(archive: Path, opened: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files in it, when all of them may be there: no way out of the folder, no links, nothing twice."""
    found = opened.infolist()
    if len(found) > MOST_FILES:
        raise BadInput(f"{archive} holds {len(found):,} files; a home has at most {MOST_FILES:,}.")
    seen: set[str] = set()
    for entry in found:
        problem = _problem(entry)
        folded = entry.filename.rstrip("/").casefold()
        if problem is None and folded in seen:
            problem = "it is in there twice"
        if problem is not None:
            raise BadInput(f"{archive} is refused because of {entry.filename[:80]!a}: {problem}.")
        seen.add(folded)
    return [entry for entry in found if not entry.is_dir() and entry.filename != MANIFEST]


def _problem(entry: zipfile.ZipInfo) -> str | None:
    name = entry.filename
    parts = PurePosixPath(name).parts
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if not name or name.startswith("/") or "\\" in name or ".." in parts or any(ord(char) < 32 for char in name):
        return "its name leads out of the home"
    if len(name) > _LONGEST or len(parts) > _DEEPEST:
        return "its name is too long or too deep"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is a link or a device"
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is encrypted, or packed in a way this Hermes does not use"
    if parts[0] in _APART:
        return "it is no part of a home's archive"
    return None


def _about(archive: Path, opened: zipfile.ZipFile) -> dict[str, Any]:
    try:
        with opened.open(MANIFEST) as file:
            about = json.loads(file.read(10_000))
    except (KeyError, ValueError):
        about = None
    if not isinstance(about, dict) or about.get("format") != 1:
        raise BadInput(f"{archive} was not made by `hermes backup`; for sessions use `hermes sessions import`.")
    return about


def _write(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    """A piece at a time, and never more than the archive said."""
    target = folder.joinpath(*PurePosixPath(entry.filename).parts)
    paths.make_private_folder(target.parent)
    descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, paths.PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as out, opened.open(entry) as packed:
        left = entry.file_size
        while piece := packed.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise BadInput(f"{entry.filename[:80]!a} is larger than the archive says.")
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
