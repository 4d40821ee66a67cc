"""`hermes sessions …`: list, show the numbers, and go back to a file from before an upgrade."""

import argparse
import json
import sys
import time
from pathlib import Path

from hermes import paths
from hermes.errors import NotFound, StoreBusy, UserError


def add_arguments(sessions: argparse.ArgumentParser) -> None:
    actions = sessions.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser(
        "list",
        help="recent sessions",
        epilog="example: hermes sessions list --source telegram --limit 50",
    )
    listing.add_argument("--source", help="only sessions of this platform, such as cli or telegram")
    listing.add_argument("--limit", type=int, default=20, help="how many (default: 20)")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")
    listing.set_defaults(run="hermes.cli.sessions:show_list")
    stats = actions.add_parser("stats", help="how much there is", epilog="example: hermes sessions stats --json")
    stats.add_argument("--json", action="store_true", help="as one JSON object")
    stats.set_defaults(run="hermes.cli.sessions:show_stats")
    undo = actions.add_parser(
        "undo-upgrade",
        help="go back to the store as it was before an upgrade",
        epilog="example: hermes sessions undo-upgrade",
    )
    undo.add_argument("backup", nargs="?", help="which backup (default: the newest)")
    undo.set_defaults(run="hermes.cli.sessions:undo_upgrade")


def _open():  # type: ignore[no-untyped-def]
    from hermes.store import SessionDB

    db = SessionDB()
    for notice in db.notices:
        print(f"hermes: {notice}", file=sys.stderr)
    return db


def show_list(arguments: argparse.Namespace) -> int:
    with _open() as db:
        rows = db.list_sessions_rich(source=arguments.source, limit=arguments.limit, order_by_last_active=True)
    if arguments.json:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        return 0
    if not rows:
        print("No sessions yet.")
        return 0
    now = time.time()
    from hermes.cli.times import relative

    titled = any(row["title"] for row in rows)
    if titled:
        print(f"{'Title':<30} {'Preview':<39} {'Last Active':<12} ID")
        print("─" * 96)
    else:
        print(f"{'Preview':<49} {'Last Active':<12} {'Src':<5} ID")
        print("─" * 86)
    for row in rows:
        when = relative(row["last_active"], now)
        if titled:
            title = (row["title"] or "—")[:29]
            print(f"{title:<30} {row['preview'][:38]:<39} {when:<12} {row['id']}")
        else:
            print(f"{row['preview'][:48]:<49} {when:<12} {row['source'][:4]:<5} {row['id']}")
    return 0


def show_stats(arguments: argparse.Namespace) -> int:
    with _open() as db:
        stats = {**db.stats(), "bytes": db.database_size()}
    if arguments.json:
        print(json.dumps(stats))
        return 0
    print(f"Total sessions: {stats['sessions']}")
    print(f"Total messages: {stats['messages']}")
    for source, count in stats["sources"].items():
        print(f"{source}: {count} sessions")
    print(f"Database size: {stats['bytes'] / 1e6:.1f} MB")
    return 0


def undo_upgrade(arguments: argparse.Namespace) -> int:
    """Put a backup from before an upgrade in the store's place; the upgraded file is kept beside it."""
    from hermes.store.sqlite import upgrade
    from hermes.store.sqlite.guard import Guard

    path = paths.state_db()
    found = upgrade.backups(path)
    backup = Path(arguments.backup) if arguments.backup else (found[-1] if found else None)
    if backup is None or not backup.is_file():
        raise NotFound(f"No upgrade backup beside {path}; name one.")
    kept = upgrade.restore(path, backup, Guard(path.with_name(path.name + ".lock")))
    print(f"{path} is again as it was before the upgrade. The upgraded store is {kept}.")
    return 0


__all__ = ["NotFound", "StoreBusy", "UserError", "add_arguments"]
