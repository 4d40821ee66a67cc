"""Writing: all or nothing, readable by its owner alone, one process at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.config import document, save
from hermes.config.edits import Drop, Put
from hermes.errors import ConfigError

FEW = [Put(("sessions", "trash_days"), 7)]


@pytest.fixture
def file(hermes_home: Path) -> Path:
    return hermes_home / "config.yaml"


def test_the_first_setting_makes_a_private_home_and_file(file: Path) -> None:
    old = os.umask(0)
    try:
        save.change(file, FEW)
    finally:
        os.umask(old)
    assert file.read_text() == "sessions:\n  trash_days: 7\n"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert os.listdir(file.parent) == ["config.yaml"]


def test_a_file_others_could_read_is_private_afterwards(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("a: 1\n")
    file.chmod(0o644)
    save.change(file, FEW)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_change_that_changes_nothing_writes_nothing(file: Path) -> None:
    save.change(file, FEW)
    before = file.stat()
    assert save.change(file, FEW) == ([], None)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "hermes.yaml"
    real.parent.mkdir()
    real.write_text("timezone: a # mine\n")
    file.parent.mkdir()
    file.symlink_to(real)
    save.change(file, FEW)
    assert file.is_symlink()
    assert real.read_text() == "timezone: a # mine\nsessions:\n  trash_days: 7\n"


def test_line_ends_of_another_system_stay(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"a: 1 # x\r\n\r\n# y\r\nb: 2\r\n")
    save.change(file, [Put(("b",), 3), Put(("c",), 4), Drop(("a",))])
    assert file.read_bytes() == b"\r\n# y\r\nb: 3\r\nc: 4\r\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a: b: c\n", r"config\.yaml:1:5: .*; nothing was changed"),
        ("a: 1\na: 2\n", r"config\.yaml:2: a stands there twice"),
        ("base: &x {trash_days: 1}\nsessions: *x\n", "cannot be changed here"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(file: Path, content: str, told: str) -> None:
    file.parent.mkdir()
    file.write_text(content)
    with pytest.raises(ConfigError, match=told):
        save.change(file, FEW)
    assert file.read_text() == content
    assert os.listdir(file.parent) == ["config.yaml"]


def test_a_write_that_fails_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save.change(file, FEW)

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left on device; nothing was changed"):
        save.change(file, [Put(("timezone",), "x")])
    assert file.read_text() == "sessions:\n  trash_days: 7\n"
    assert os.listdir(file.parent) == ["config.yaml"]


def test_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from hermes.config import save; from hermes.config.edits import Put\n"
        "for n in range(10): save.change(Path(sys.argv[1]), [Put(('quick_commands', f'{sys.argv[2]}{n}'), n)])"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(file), name]) for name in "abc"]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    written = document.parse(file.read_text()).tree["quick_commands"]
    assert written == {f"{name}{n}": n for name in "abc" for n in range(10)}


def test_a_variable_is_saved_in_a_private_dotenv(hermes_home: Path) -> None:
    file = hermes_home / ".env"
    save.change_variable(file, "KEY", "a b")
    save.change_variable(file, "OTHER", "c")
    save.change_variable(file, "KEY", "d")
    assert file.read_text() == "KEY=d\nOTHER=c\n"
    assert file.stat().st_mode & 0o777 == 0o600
    save.change_variable(file, "KEY", None)
    assert file.read_text() == "OTHER=c\n"


def test_a_dotenv_that_is_not_text_is_left_alone(hermes_home: Path) -> None:
    hermes_home.mkdir()
    file = hermes_home / ".env"
    file.write_bytes(b"A=\xff\n")
    with pytest.raises(ConfigError, match="nothing was changed"):
        save.change_variable(file, "KEY", "a")
    assert file.read_bytes() == b"A=\xff\n"
