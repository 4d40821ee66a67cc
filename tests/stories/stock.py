"""The stock shell: the standard library's SQLite, in a process of its own.

Never in ours: two copies of SQLite in one process break each other's file locks.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SHELL = """
import json, sqlite3, sys
path, statements = sys.argv[1], json.load(sys.stdin)
connection = sqlite3.connect(path)
answers = []
for sql, bindings in statements:
    cursor = connection.execute(sql, bindings)
    names = [column[0] for column in cursor.description or ()]
    answers.append({"names": names, "rows": [list(row) for row in cursor.fetchall()]})
connection.commit()
connection.close()
json.dump(answers, sys.stdout)
"""


def ask(path: Path, sql: str, bindings: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """The rows one statement answers with."""
    return run(path, (sql, bindings))[0]


def run(path: Path, *statements: tuple[str, Sequence[Any]]) -> list[list[dict[str, Any]]]:
    """The rows each of several statements answers with; committed at the end."""
    done = subprocess.run(
        [sys.executable, "-c", _SHELL, str(path)],
        input=json.dumps([[sql, list(bindings)] for sql, bindings in statements]),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    for answer in answers:
        assert len(set(answer["names"])) == len(answer["names"]), f"a column twice: {answer['names']}"
    return [[dict(zip(a["names"], row, strict=True)) for row in a["rows"]] for a in answers]
