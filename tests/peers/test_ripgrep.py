"""search_files with ripgrep, as Debian ships it: the same answers as by our own program."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.unit.tools.working import work_in

from hermes.tools.registry import registry
from hermes.tools.work import Work

pytestmark = pytest.mark.peers


@pytest.fixture
def work(tmp_path: Path) -> Work:
    for name in ("src/deep", ".git", "empty"):
        (tmp_path / "project" / name).mkdir(parents=True)
    (tmp_path / "project/src/a.py").write_text("import os\n\ndef find_me():\n    return os\n")
    (tmp_path / "project/src/deep/b.txt").write_text("find_me too\nand find_you\n")
    (tmp_path / "project/.git/c.py").write_text("find_me not\n")
    (tmp_path / "project/p.bin").write_bytes(bytes(range(256)) + b"find_me")
    return work_in(tmp_path / "project")


@pytest.mark.parametrize(
    "arguments",
    [{"pattern": r"find_\w+"}, {"pattern": "find_me", "path": "src/a.py", "context": 1}, {"pattern": "^import"},
     {"pattern": "find", "file_glob": "*.txt"}, {"pattern": "nowhere"}],
)  # fmt: skip
def test_ripgrep_finds_the_same(work: Work, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert shutil.which("rg"), "scripts/test-peers installs ripgrep"
    by_ripgrep = registry.dispatch("search_files", arguments, work).content
    monkeypatch.setenv("PATH", str(work.place.folder / "empty"))
    assert registry.dispatch("search_files", arguments, work).content == by_ripgrep
