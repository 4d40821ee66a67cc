"""`hermes profile`: homes of their own."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.unit.cli.program import Hermes, refused, session


@pytest.fixture
def work(hermes: Hermes, hermes_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile with one session."""
    assert hermes("profile", "create", "work").code == 0
    with SessionDB(hermes_home / "profiles" / "work" / "state.db") as db:
        session(db, "at-work", "cli", "the budget", ["What about the budget?"], 1_700_000_000.0)
    return hermes_home / "profiles" / "work"


def test_a_profile_is_a_private_home_of_its_own(hermes: Hermes, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    assert hermes("sessions", "list").out == "No sessions yet.\n"
    assert "the budget" in hermes("--profile", "work", "sessions", "list").out


def test_the_list_marks_the_one_in_use(hermes: Hermes, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [json.loads(line) for line in hermes("profile", "list", "--json").lines]
    assert [(row["profile"], row["in_use"]) for row in rows] == [("default", True), ("work", False)]
    assert rows[1]["home"] == str(work)
    assert rows[1]["bytes"] > 0
    monkeypatch.setenv("HERMES_HOME", str(work))
    assert [line.split()[:2] for line in hermes("profile", "list").lines[2:]][1] == ["*", "work"]


def test_settings_can_be_copied_keys_never_are(hermes: Hermes, hermes_home: Path) -> None:
    hermes("config", "set", "sessions.retention_days", "30")
    hermes("config", "set", "OPENROUTER_API_KEY", "sk-or-v1-secret")
    hermes("profile", "create", "copy", "--copy-settings")
    copy = hermes_home / "profiles" / "copy"
    assert hermes("--profile", "copy", "config", "get", "sessions.retention_days").out == "30\n"
    assert not (copy / ".env").exists()
    assert stat.S_IMODE((copy / "config.yaml").stat().st_mode) == 0o600


def test_delete_asks_and_then_leaves_nothing(hermes: Hermes, work: Path) -> None:
    asked = hermes("profile", "delete", "work", answer="n\n")
    assert "Delete profile 'work' (1 session) for good, with its settings and keys? [y/N]" in asked.err
    assert work.exists()
    assert hermes("profile", "delete", "work", answer="y\n").out == "Deleted profile 'work' (1 session).\n"
    assert not work.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["delete", "default", "--yes"], 2, "cannot be deleted"),
        (["delete", "nowhere", "--yes"], 1, "No profile 'nowhere' (there are: work)"),
        (["delete", "../work", "--yes"], 2, "cannot be a profile"),
        (["create", "work"], 2, "exists already"),
        (["create", "default"], 2, "always there"),
        (["create", "Upper Case"], 2, "cannot be a profile"),
    ],
)
def test_what_makes_no_sense_is_refused(hermes: Hermes, work: Path, arguments: list[str], code: int, told: str) -> None:
    assert told in refused(hermes("profile", *arguments), code)
    assert (work / "state.db").exists()


def test_the_profile_in_use_is_not_deleted(hermes: Hermes, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(work))
    assert "is in use" in refused(hermes("profile", "delete", "work", "--yes"), 2)


def test_a_profile_somebody_works_in_is_not_deleted(hermes: Hermes, work: Path) -> None:
    code = f"import sys; from hermes.store import SessionDB; db = SessionDB({str(work / 'state.db')!r})\n"
    code += "print('open', flush=True); sys.stdin.readline()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        assert "open in another process" in refused(hermes("profile", "delete", "work", "--yes"), 2)
        other.communicate(b"\n", timeout=30)
    assert hermes("profile", "delete", "work", "--yes").code == 0
