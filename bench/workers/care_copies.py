"""What only this program has: a streamed and masked export, import, backup, check."""

import os
import time
from collections.abc import Callable
from typing import Any

from program import answer, job, open_store


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def main() -> None:
    work = job()
    folder = os.path.dirname(work["database"])
    db = open_store(work["database"])
    masked, _ = timed(lambda: db.export_file(f"{folder}/masked.jsonl"))
    streamed, _ = timed(lambda: db.export_file(f"{folder}/plain.jsonl", include_secrets=True))
    backup, _ = timed(lambda: db.backup(f"{folder}/backup.db"))
    check, problems = timed(db.check)
    db.close()
    other = open_store(f"{folder}/imported/state.db")
    took, report = timed(lambda: other.import_file(f"{folder}/plain.jsonl"))
    other.close()
    size = os.path.getsize(f"{folder}/plain.jsonl") / 1e6
    answer(
        {
            "masked": os.path.getsize(f"{folder}/masked.jsonl") / 1e6 / masked,
            "streamed": size / streamed,
            "backup": os.path.getsize(f"{folder}/backup.db") / 1e6 / backup,
            "check": check,
            "import": report.messages / took,
            "problems": len(problems) + len(report.refused),
        }
    )


main()
