"""Everything as JSON Lines in a file, nothing masked: the one export both programs have."""

import json
import os
import time

from program import answer, job, open_store


def main() -> None:
    work = job()
    db = open_store(work["database"])
    choice = {"include_secrets": True} if work["program"] == "ours" else {}
    begun = time.perf_counter()
    with open(work["file"], "w", encoding="utf-8", errors="backslashreplace") as out:
        for session in db.export_all(**choice):
            out.write(json.dumps(session, ensure_ascii=False) + "\n")
    seconds = time.perf_counter() - begun
    db.close()
    answer({"plain": os.path.getsize(work["file"]) / 1e6 / seconds})


main()
