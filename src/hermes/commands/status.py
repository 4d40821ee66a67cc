"""Where everything is, how large, and in which state."""

from pathlib import Path
from typing import Any

from hermes import __version__, paths
from hermes.commands.doctor import sqlite_version
from hermes.commands.reply import Facts, Kind, Reply
from hermes.errors import HermesError
from hermes.store import SessionDB


def status(store: Path) -> Reply:
    """Home, store, sizes, index lag, SQLite. Only looks: nothing is created or upgraded."""
    facts: list[tuple[str, str, Any, Kind]] = [
        ("version", "Hermes", __version__, "text"),
        ("sqlite", "SQLite", sqlite_version(), "text"),
        ("home", "Home", str(paths.hermes_home()), "text"),
        ("store", "Store", str(store), "text"),
    ]
    if not store.exists() or store.stat().st_size == 0:
        return _reply([*facts, ("state", "State", "none yet", "text")])
    try:
        with SessionDB(store, read_only=True) as db:
            facts += _numbers(db)
    except HermesError as error:
        reply = _reply([*facts, ("state", "State", str(error), "text")])
        return Reply(reply.parts, data=reply.data, exit_code=error.exit_code)
    return _reply(facts)


def _numbers(db: SessionDB) -> list[tuple[str, str, Any, Kind]]:
    numbers = db.stats()
    copies = paths.copies_of(db.db_path)
    return [
        ("bytes", "Size", db.database_size(), "bytes"),
        ("sessions", "Sessions", numbers["sessions"], "number"),
        ("messages", "Messages", numbers["messages"], "number"),
        ("index_lag", "Index", _behind(db.index_lag()), "text"),
        ("copies", "Older copies", len(copies), "number"),
        ("copies_bytes", "Size of those", sum(copy.stat().st_size for copy in copies), "bytes"),
    ]


def _behind(messages: int) -> str:
    return f"{messages:,} messages behind" if messages else "up to date"


def _reply(facts: list[tuple[str, str, Any, Kind]]) -> Reply:
    shown = Facts(tuple((name, value, kind) for _, name, value, kind in facts))
    return Reply((shown,), data={key: value for key, _, value, _ in facts})
