"""What a brief use of the store loads, and what one that stays has loaded beforehand."""

import subprocess
import sys
from ast import literal_eval

from hermes.store import SessionDB

SEVERAL_AT_ONCE = """
import sys, threading
from hermes.store import SessionDB
db = SessionDB(brief=True)
db.create_session("s", "cli")
db.append_message("s", "user", "the connection pool")
assert "hermes.store.sqlite.recall" not in sys.modules
gate, found = threading.Barrier(8), []
def search():
    gate.wait()
    found.append(len(db.search_messages("pool")) + len(db.recall("which pool?")))
threads = [threading.Thread(target=search) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(found)
"""
LISTING = """
import sys
from hermes.cli.main import main
main(["sessions", "list"])
heavy = {
    "dataclasses", "hashlib", "zstandard", "tempfile", "ctypes", "shutil", "random", "secrets", "yaml",
    "hermes.store.query", "hermes.store.matching", "hermes.store.questions", "hermes.store.ranking",
    "hermes.store.sqlite.recall", "hermes.store.sqlite.upgrade", "hermes.store.sqlite.check",
    "hermes.store.sqlite.salvage", "hermes.store.sqlite.backup", "hermes.store.sqlite.upkeep",
    "hermes.providers", "hermes.agent",
}
print(sorted(heavy & set(sys.modules)))
"""
STAYING = """
import sys
from hermes.store import SessionDB
db = SessionDB()
before = set(sys.modules)
db.create_session("s", "cli", system_prompt="x" * 5000)
db.append_message("s", "user", "the connection pool")
db.search_messages("pool"), db.recall("which pool?"), db.check(), db.update_token_counts("s", 1)
db.backup(sys.argv[1]); db.close()
print(sorted(set(sys.modules) - before))
"""


def said(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_threads_that_search_first_at_the_same_moment_all_find() -> None:
    assert said(SEVERAL_AT_ONCE) == str([2] * 8)


def test_a_list_loads_nothing_heavy() -> None:
    SessionDB().close()  # there is a store to list
    assert said(LISTING) == "[]"


def test_whoever_stays_loads_nothing_later(tmp_path: object) -> None:
    late = literal_eval(said(STAYING, f"{tmp_path}/copy.db"))
    assert [name for name in late if name.startswith(("hermes", "zstandard"))] == []
