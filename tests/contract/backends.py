"""The engines the contract is tested on. PostgreSQL joins by one more class in `BACKENDS`."""

from pathlib import Path

from hermes_state import SessionDB


class SqliteBackend:
    """A store in a folder of its own; every `open` is another connection to the same one."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "store" / "state.db")

    def open(self, *, read_only: bool = False) -> SessionDB:
        return SessionDB(self.address, read_only=read_only)


BACKENDS = (SqliteBackend,)
