"""Keeping the store itself well: backup and restore, check and repair, optimize, back from an upgrade."""

import time
from pathlib import Path

from hermes.commands.replace import put_in_place
from hermes.commands.reply import Ask, Column, Reply, Table, Text, count, said
from hermes.errors import NotFound, StoreCorrupt
from hermes.store import SessionDB

_PROBLEMS = (Column("Kind", 10), Column("Problem", 60))
_RULE = 72
_WAYS = "hermes sessions restore-backup FILE, or hermes sessions repair --salvage NEW"


def backup(db: SessionDB, target: Path | None = None) -> Reply:
    """A complete copy while others read and write; beside the store unless a place is named."""
    if target is None:
        target = db.db_path.with_name(f"{db.db_path.name}.backup-{time.strftime('%Y%m%d-%H%M%S')}")
    made = db.backup(target)
    size = made.stat().st_size
    return said(
        f"Backed up to {made} ({size / 1e6:.1f} MB).",
        "Nothing is masked in it: keep it private.",
        f"Take it back: hermes sessions restore-backup {made}",
        data={"path": str(made), "bytes": size},
    )


def restore_backup(db: SessionDB, source: Path, *, yes: bool = False) -> Reply:
    """The content of a backup in the store's place; the present content is kept beside it."""
    _check_there(source)

    def go() -> Reply:
        kept = db.restore(source)
        return said(
            f"Restored {source} ({count(db.session_count(), 'session')}).",
            f"What was there before is {kept}",
            data={"restored": str(source), "kept": str(kept)},
        )

    if yes:
        return go()
    now = count(db.session_count(), "session")
    return Reply(ask=Ask(f"Replace {db.db_path} ({now}) with {source}? The present content is kept beside it.", go))


def _check_there(source: Path) -> None:
    if not source.exists():
        raise NotFound(f"{source} does not exist; `hermes sessions backup` makes one.")


def check(db: SessionDB) -> Reply:
    """Everything that is not as it should be, and what mends it."""
    return _problems(db.check(), "Everything is as it should be.")


def repair(db: SessionDB, *, rebuild_index: bool = False) -> Reply:
    """Mend what can be derived anew; says what is left."""
    before = db.check()
    if rebuild_index:
        db.rebuild_index()
    left = db.repair() if before else []
    mended = len(before) - len(left)
    return _problems(left, f"Mended {count(mended, 'problem')}." if mended else "Nothing needed mending.")


def _problems(found: list[dict[str, str | None]], well: str) -> Reply:
    if not found:
        return said(well, data=[])
    lines = tuple((problem["kind"], problem["what"]) for problem in found)
    advice = (
        "Mend it: hermes sessions repair"
        if any(problem["mend"] for problem in found)
        else f"This cannot be mended in place: {_WAYS}"
    )
    return Reply((Table(_PROBLEMS, lines, _RULE), Text((advice,))), data=found, exit_code=3)


def nothing_there(store: Path) -> Reply:
    return said(f"There is no store at {store} yet, and nothing to check.", data=[])


def damaged(error: StoreCorrupt) -> Reply:
    """A store that cannot even be opened."""
    found = {"kind": "damage", "what": str(error), "mend": None}
    told = str(error) if "hermes sessions" in str(error) else f"{error} Two ways: {_WAYS}"
    return Reply(notices=(told,), data=[found], exit_code=3)


def salvage(store: Path, target: Path) -> Reply:
    """Read what can be read of a damaged store into a new one."""
    if not store.exists():
        raise NotFound(f"{store} does not exist; there is nothing to salvage.")
    report = SessionDB.salvage(store, target)
    lines = [f"Saved {count(report.sessions, 'session')} and {count(report.messages, 'message')} into {target}"]
    if report.unreadable_messages:
        lines.append(f"{count(len(report.unreadable_messages), 'message')} could not be read.")
    if report.unreadable_sessions:
        lines.append(f"{count(len(report.unreadable_sessions), 'session')} lost their details, not their messages.")
    lines += report.notes[:10]
    lines.append(f"Use it: hermes sessions restore-backup {target}")
    data = {
        "sessions": report.sessions,
        "messages": report.messages,
        "unreadable_messages": report.unreadable_messages,
        "unreadable_sessions": report.unreadable_sessions,
        "complete": report.complete,
    }
    return said(*lines, data=data, exit_code=0 if report.complete else 3)


def optimize(db: SessionDB) -> Reply:
    """Fold the index into one piece and give free space back to the disk."""
    result = db.vacuum()
    freed = int(str(result["bytes_freed"]))
    lines = [f"Optimized; the store takes {db.database_size() / 1e6:.1f} MB, {freed / 1e6:.1f} MB less than before."]
    if not result["complete"]:
        lines.append("Another program is reading; run it again later to free the rest.")
    return said(*lines, data=result)


def restore_over_damage(store: Path, source: Path) -> Reply:
    """A backup in the place of a store that cannot be opened; the damaged file is set aside."""
    _check_there(source)
    with SessionDB(source, read_only=True) as backup:  # a damaged backup, or none at all, is refused here
        sessions = backup.session_count()
    kept = put_in_place(store, source, "damaged")
    return said(
        f"Restored {source} ({count(sessions, 'session')}).",
        f"The damaged store was set aside as {kept}",
        data={"restored": str(source), "kept": str(kept)},
    )


def undo_upgrade(store: Path, backup: Path | None = None) -> Reply:
    """Put a backup from before an upgrade in the store's place; the upgraded file is kept beside it."""
    from hermes.store.sqlite import upgrade
    from hermes.store.sqlite.guard import Guard

    found = upgrade.backups(store)
    backup = backup or (found[-1] if found else None)
    if backup is None or not backup.is_file():
        raise NotFound(f"No upgrade backup beside {store}; name one.")
    kept = upgrade.restore(store, backup, Guard(store.with_name(store.name + ".lock")))
    return said(
        f"{store} is again as it was before the upgrade. The upgraded store is {kept}.",
        data={"restored": str(backup), "kept": str(kept)},
    )
