"""A whole home into one file, and back: `hermes backup` and `hermes import`."""

import os
import shutil
import time
import weakref
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.commands import archive
from hermes.commands.reply import Ask, Reply, count, said
from hermes.errors import BadInput, HermesError, NotFound, StoreBusy
from hermes.store import SessionDB
from hermes.store.sqlite.holders import is_open_elsewhere
from hermes.store.transfer import private_file


def backup(home: Path, store: Path, target: Path | None = None, *, secrets: bool = False, force: bool = False) -> Reply:
    """One archive with the store, the settings and everything else of this home; complete or not there at all."""
    if not home.is_dir():
        raise NotFound(f"{home} does not exist; there is nothing to back up yet.")
    target = target or Path(f"hermes-backup-{time.strftime('%Y%m%d-%H%M%S')}.zip")
    copy = target.with_name(f".{target.name}.{os.getpid()}.store") if target.name else target
    try:
        with private_file(target, force=force) as out:
            names = archive.pack(out, home, _copied(store, copy), secrets=secrets)
    finally:
        if copy != target:
            copy.unlink(missing_ok=True)
    size = target.stat().st_size
    lines = [f"Backed up {home} to {target} ({count(len(names), 'file')}, {size / 1e6:.1f} MB)."]
    if secrets:
        lines.append("Keys are in it: keep it private.")
    else:
        lines.append("Without keys; --include-secrets takes them along. What was said is in it: keep it private.")
    lines.append(f"Take it back: hermes import {target}")
    return said(*lines, data={"path": str(target), "bytes": size, "files": names, "secrets": secrets})


def _copied(store: Path, copy: Path) -> Path | None:
    """The store of one moment, while others read and write."""
    if not store.exists() or store.stat().st_size == 0:
        return None
    with SessionDB(store, read_only=True) as db:
        return db.backup(copy)


def take(home: Path, source: Path, *, yes: bool = False) -> Reply:
    """The home an archive holds, in the place of this one, which is kept beside it."""
    if source.is_dir():
        raise BadInput(f"{source} is a folder; name an archive in it.")
    if not source.is_file():
        raise NotFound(f"{source} does not exist; `hermes backup` makes an archive.")
    home = Path(os.path.realpath(home))
    unpacked = _Unpacked(home, source)  # so that a question is only asked about what can be taken

    def go() -> Reply:
        return _taken(home, source, unpacked)

    if yes or not home.exists() or not any(home.iterdir()):
        return go()
    return Reply(ask=Ask(f"Put {source} in the place of {home}? The present home is kept beside it.", go))


class _Unpacked:
    """What an archive holds, checked, in a folder beside the home. The folder goes with this object."""

    def __init__(self, home: Path, source: Path) -> None:
        self.folder = home.with_name(f".{home.name}.importing-{os.getpid()}")
        self.remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        paths.make_private_folder(home.parent)
        try:
            archive.unpack(source, self.folder)
            self.sessions = _verified(self.folder)
        except BaseException:
            self.remove()
            raise


def _taken(home: Path, source: Path, unpacked: _Unpacked) -> Reply:
    try:
        kept = _swap(home, unpacked.folder)
    finally:
        unpacked.remove()
    sessions = unpacked.sessions
    lines = [f"Imported {source} into {home} ({count(sessions, 'session')})."]
    if kept:
        lines.append(f"What was there before is {kept}")
        if paths.dotenv_file(kept).exists() and not paths.dotenv_file(home).exists():
            lines.append(f"The archive has no keys; those from before: cp '{kept}/.env' '{home}/'")
    data: dict[str, Any] = {"home": str(home), "sessions": sessions, "kept": str(kept) if kept else None}
    return said(*lines, data=data, notices=tuple(_elsewhere(home)))


def _verified(fresh: Path) -> int:
    """How many sessions there are; a store that cannot be used is refused before anything changes."""
    store = fresh / archive.STORE
    if not store.exists():
        return 0
    try:
        with SessionDB(store, read_only=True) as db:
            problems = [problem for problem in db.check() if not problem["mend"]]
            sessions = db.session_count()
    except HermesError as error:
        raise BadInput(f"The store in the archive cannot be used: {error}") from error
    if problems:
        raise BadInput(f"The store in the archive is damaged ({problems[0]['what']}); nothing was changed.")
    for suffix in ("-wal", "-shm", ".lock", ".reserve"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    return sessions


def _swap(home: Path, fresh: Path) -> Path | None:
    """Two renames: at every moment both homes are whole somewhere. Profiles stay where they are."""
    if is_open_elsewhere(home / archive.STORE):
        raise StoreBusy(f"{home} is in use by another process; end it (a chat, the gateway), then try again.")
    kept = None
    try:
        if home.exists():
            kept = home.with_name(f"{home.name}.before-import-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
            home.rename(kept)
        fresh.rename(home)
        if kept and (kept / "profiles").is_dir():
            (kept / "profiles").rename(home / "profiles")
    except OSError as error:
        if kept and kept.exists() and not home.exists():
            kept.rename(home)
        raise BadInput(f"{home} cannot be replaced ({error.strerror}); nothing was changed.") from error
    return kept


def _elsewhere(home: Path) -> list[str]:
    """Settings that name a store of their own would hide the imported one."""
    from hermes.config import load

    named = load(home=home).settings.sessions.database
    return (
        [f"config.yaml names another store ({named}); `hermes config unset sessions.database` uses this one."]
        if named
        else []
    )
