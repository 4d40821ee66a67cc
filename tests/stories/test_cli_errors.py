"""Everything that can be wrong with a store, an answer or an output: one clear line and the right exit code."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.store import SessionDB
from hermes.store.sqlite import gate
from hermes.store.sqlite.guard import Guard
from tests.stories import stock
from tests.unit.cli.program import AUTH, PROGRAM, PROJECT, WEATHER, Done, Hermes, refused, spawn

READS = [
    ["list"],
    ["stats"],
    ["show", AUTH],
    ["search", "auth"],
    ["recall", "weather"],
    ["lineage", AUTH],
    ["export", "-"],
]
WRITES = [["rename", AUTH, "x"], ["pin", AUTH], ["archive", AUTH], ["tag", AUTH, "x"], ["delete", AUTH, "--yes"]]
_HOLD = """
import apsw, sys, time
connection = apsw.Connection(sys.argv[1])
connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE sessions SET title = title").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


# -- which session


@pytest.mark.parametrize("action", ["show", "lineage", "delete", "rename", "pin", "archive", "tag", "restore", "purge"])
def test_a_session_that_is_not_there_is_exit_code_1(action: str, home: Path, hermes: Hermes) -> None:
    more = ["x"] if action == "rename" else []
    assert "No session 'nope'" in refused(hermes("sessions", action, "nope", *more), 1)


def test_an_ambiguous_beginning_lists_the_candidates(home: Path, hermes: Hermes) -> None:
    line = refused(hermes("sessions", "show", "202503"), 1)
    assert all(one in line for one in (AUTH, WEATHER, PROJECT))
    assert "type more" in line
    assert hermes("sessions", "show", "20250303").code == 0


def test_an_id_wins_over_a_title_and_a_title_over_a_beginning(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        db.set_session_title(AUTH, WEATHER)
        db.set_session_title(WEATHER, "2025")
    assert "Las Vegas" in hermes("sessions", "show", WEATHER).out
    assert "Las Vegas" in hermes("sessions", "show", "2025").out


@pytest.mark.parametrize("typed", ["", " ", "\udcff", "a\nb", "../config", "x" * 300, "%", "*", "-- -x"])
def test_whatever_is_typed_for_a_session_is_an_answer_not_a_crash(typed: str, home: Path, hermes: Hermes) -> None:
    for action in ("show", "delete", "restore"):
        done = hermes("sessions", action, typed)
        assert done.code in (1, 2)
        assert len(done.err.splitlines()) == 1


# -- the store


def test_a_missing_store_is_a_new_one(hermes_home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "list") == Done(0, "No sessions yet.\n", "")
    assert hermes("sessions", "list", "--source", "x").out == "No sessions found.\n"
    assert hermes("sessions", "trash").out == "The trash is empty.\n"
    assert hermes("sessions", "list", "--archived").out == "Nothing is archived.\n"
    assert hermes("sessions", "stats").lines[:2] == ["Total sessions: 0", "Total messages: 0"]


def test_looking_at_a_home_creates_nothing(hermes_home: Path, hermes: Hermes) -> None:
    for command in (["status"], ["doctor"], ["sessions", "check"], ["logs"], ["version"]):
        assert hermes(*command).code == 0
    assert not hermes_home.exists()


@pytest.mark.parametrize("action", [*READS, *WRITES, ["optimize"], ["backup"]])
def test_a_damaged_store_is_exit_code_3(action: list[str], hermes_home: Path, hermes: Hermes) -> None:
    hermes_home.mkdir()
    (hermes_home / "state.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    assert str(hermes_home) in refused(hermes("sessions", *action), 3)


@pytest.mark.parametrize("action", [["list"], ["pin", AUTH]])
def test_a_store_from_the_future_is_exit_code_3(action: list[str], home: Path, hermes: Hermes) -> None:
    stock.ask(home / "state.db", "UPDATE schema_version SET version = 99")
    line = refused(hermes("sessions", *action), 3)
    assert "schema 99" in line
    assert "`pip install -U hermes`" in line
    assert "`hermes sessions list --read-only`" in line


def test_a_store_from_the_future_can_still_be_read(home: Path, hermes: Hermes) -> None:
    stock.ask(home / "state.db", "UPDATE schema_version SET version = 99")
    done = hermes("sessions", "list", "--read-only")
    assert (done.code, done.err) == (0, "")
    assert AUTH in done.out


def without_roots_powers() -> None:
    """Root may write anywhere; a child that gave that up is like everybody else."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def as_a_person(*arguments: str) -> Done:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=without_roots_powers if os.geteuid() == 0 else None,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_store_that_can_only_be_read_is_read_and_says_so(home: Path) -> None:
    for path in home.iterdir():
        path.chmod(0o400)
    home.chmod(0o500)
    try:
        for action in ("list", "stats"):
            done = as_a_person("sessions", action)
            assert done.code == 0
            (line,) = done.err.splitlines()
            assert "can only be read here" in line
        done = as_a_person("sessions", "pin", AUTH)
        assert (done.code, done.out) == (3, "")
        assert done.err.splitlines()[-1].endswith("nothing was changed.")
        assert "cannot be written" in as_a_person("doctor").out
    finally:
        home.chmod(0o700)


def test_a_locked_store_is_exit_code_3_after_a_while(home: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(home / "state.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None and holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        assert "locked" in refused(spawn("sessions", "list"), 3)
    finally:
        holder.stdin.close()
        holder.stdout.close()
        holder.wait(60)


@pytest.mark.parametrize("typed", [["-z", "hi"], ["-q", "hi"], ["-c", "-z", "hi"], ["-c", "-q", "hi"]])
def test_a_question_to_a_locked_store_waits_once(
    typed: list[str], home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []
    stand_in_line = Guard.acquire

    def counted(guard: Guard, patience: float | None) -> None:
        waits.append(patience)
        stand_in_line(guard, patience)

    other = Guard(home / "state.db.lock")
    other.acquire(1)
    monkeypatch.setattr(gate, "PATIENCE_S", 0.1)
    monkeypatch.setattr(Guard, "acquire", counted)
    done = hermes(*typed)
    other.release()
    other.close()
    assert (done.code, waits) == (3, [0.1])
    assert "has held the write lock" in done.err


# -- the answer, the output, the signals


def test_without_an_answer_nothing_is_changed(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "delete", AUTH, answer="")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[1].startswith("hermes: Nobody answered")
    assert AUTH in hermes("sessions", "list").out


def test_a_closed_pipe_ends_quietly_whatever_writes_to_it(home: Path) -> None:
    with SessionDB() as db:
        db.append_message(AUTH, "user", "a long text " * 50_000)
    for action in (["show", AUTH], ["export", "-"], ["list", "--json", "--all"]):
        reader = subprocess.Popen(
            [*PROGRAM, "sessions", *action], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        assert reader.stdout is not None and reader.stderr is not None
        reader.stdout.read(1)
        reader.stdout.close()
        assert reader.stderr.read() == b""
        assert reader.wait(30) == 0
        reader.stderr.close()


def test_an_output_that_cannot_be_written_is_one_line(home: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "sessions", "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert done.returncode == 3
    assert done.stderr.splitlines() == ["hermes: No space left on device"]


def test_no_output_at_all_is_fine(home: Path) -> None:
    for closed in (">&-", ">&- 2>&-", "<&-"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, "sessions", "list"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), closed


def test_an_export_to_a_closed_output_asks_for_a_file(home: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, "sessions", "export", "-"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "hermes: The output is closed; name a file to export to.\n")


def test_ctrl_c_is_exit_code_130_and_quiet(home: Path) -> None:
    log = home / "logs" / "hermes.log"
    log.parent.mkdir(mode=0o700, exist_ok=True)
    log.write_text("2026-03-05 09:15:23,123 INFO hermes.store[1] ready\n")
    following = subprocess.Popen(
        [*PROGRAM, "logs", "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert following.stdout is not None
    assert b"ready" in following.stdout.readline()
    following.send_signal(signal.SIGINT)
    out, err = following.communicate(timeout=30)
    assert (following.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_encoding_makes_it_crash(encoding: str, home: Path) -> None:
    with SessionDB() as db:
        db.set_session_title(AUTH, "日本語 👩‍👩‍👧 café")
        db.append_message(AUTH, "user", "日本語 \ud800 \x1b[31m")
    for action in (["list"], ["show", AUTH], ["search", "日本語"], ["lineage", AUTH], ["list", "--json"]):
        done = spawn("sessions", *action, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (done.code, done.err) == (0, ""), action
    lines = done.out.splitlines()
    assert "日本語 👩‍👩‍👧 café" in [json.loads(line)["title"] for line in lines]


def test_a_bug_is_one_line_and_the_rest_is_in_the_log(
    home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.commands.lists.stats", lambda db: 1 / 0)
    line = refused(hermes("sessions", "stats"), 3)
    assert "ZeroDivisionError" in line
    assert str(home / "logs") in line
