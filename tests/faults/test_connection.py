"""How SQLite is set up."""

from pathlib import Path

from hermes.store.sqlite.connection import WAL_LIMIT, connect
from hermes.store.sqlite.table import scalar


def test_every_setting_is_in_force(tmp_path: Path) -> None:
    (tmp_path / "state.db").touch()
    connection = connect(tmp_path / "state.db")
    wanted = {
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 2,
        "temp_store": 2,
        "cache_size": -16000,
        "journal_size_limit": WAL_LIMIT,
        "wal_autocheckpoint": 0,
        "busy_timeout": 1000,
    }
    assert {name: scalar(connection, f"PRAGMA {name}") for name in wanted} == wanted
    connection.close()
