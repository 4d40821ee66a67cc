"""A process that does to a store what it is told over a pipe, so that tests can have several of them.

python -m tests.contract.worker
"""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from hermes.errors import HermesError
from hermes_state import SessionDB

Outcome = tuple[str, Any]  # ("ok", what came back) or ("error", the name of the class)


class Local:
    """The store in this process."""

    def __init__(self) -> None:
        self.db: SessionDB | None = None

    def open(self, address: str) -> None:
        self.db = SessionDB(address)

    def close(self) -> None:
        if self.db is not None:
            self.db.close()

    def do(self, scope: str | None, name: str, *arguments: Any, **options: Any) -> Outcome:
        assert self.db is not None
        db = self.db if scope is None else self.db.scoped(scope)
        try:
            return "ok", getattr(db, name)(*arguments, **options)
        except HermesError as error:
            return "error", type(error).__name__


class Remote:
    """The same, in a process of its own."""

    def __init__(self) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "tests.contract.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )

    def open(self, address: str) -> None:
        self._call("open", address)

    def close(self) -> None:
        self._call("close")

    def do(self, scope: str | None, name: str, *arguments: Any, **options: Any) -> Outcome:
        return self._call("do", scope, name, *arguments, **options)

    def stop(self) -> None:
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait(30)
        self._child.stdout.close()

    def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        assert self._child.stdin is not None and self._child.stdout is not None
        pickle.dump((method, arguments, options), self._child.stdin)
        self._child.stdin.flush()
        return pickle.load(self._child.stdout)


def main() -> None:
    local = Local()
    while True:
        try:
            method, arguments, options = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(getattr(local, method)(*arguments, **options), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
