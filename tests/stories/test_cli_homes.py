"""`hermes backup` and `hermes import`: a whole home as one archive, and archives that lie."""

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hermes.commands import archive
from hermes.errors import BadInput
from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, Hermes, fill_guide, refused


@pytest.fixture
def home(hermes: Hermes, hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with SessionDB() as db:
        fill_guide(db)
    hermes("config", "set", "sessions.retention_days", "30")
    hermes("config", "set", "OPENROUTER_API_KEY", "sk-or-v1-secret")
    (hermes_home / "skills" / "notes").mkdir(parents=True)
    (hermes_home / "skills" / "notes" / "SKILL.md").write_text("# Notes\n")
    return hermes_home


def names(path: str) -> set[str]:
    with zipfile.ZipFile(path) as opened:
        return set(opened.namelist())


def test_a_backup_holds_the_home_without_keys_and_is_private(home: Path, hermes: Hermes) -> None:
    (home / "link").symlink_to("/etc/passwd")
    for name in ("api-server.key", "gateway.json", "state.db.gateway-telegram"):
        (home / name).write_text("of a gateway")
    assert hermes("backup", "all.zip").lines[0].startswith(f"Backed up {home} to all.zip (3 files, ")
    assert names("all.zip") == {"hermes-home.json", "state.db", "config.yaml", "skills/notes/SKILL.md"}
    assert stat.S_IMODE(Path("all.zip").stat().st_mode) == 0o600
    assert hermes("backup", "keys.zip", "--include-secrets").code == 0
    assert names("keys.zip") - names("all.zip") == {".env", "api-server.key"}
    assert "exists" in refused(hermes("backup", "all.zip"), 2)
    assert sorted(path.name for path in Path().iterdir() if path.name != "home") == ["all.zip", "keys.zip"]


def test_a_backup_is_taken_while_others_write(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        db.append_message(AUTH, "user", "said a moment ago")
        assert hermes("backup", "all.zip").code == 0
    with zipfile.ZipFile("all.zip") as opened:
        opened.extract("state.db", "out")
    with SessionDB("out/state.db") as copy:
        assert copy.search_messages("moment ago")


def test_a_home_comes_back_and_the_present_one_is_kept(home: Path, hermes: Hermes) -> None:
    hermes("backup", "all.zip", "--include-secrets")
    hermes("sessions", "purge", AUTH, "--yes")
    hermes("config", "unset", "sessions.retention_days")
    hermes("profile", "create", "work")
    assert "The present home is kept beside it. [y/N]" in hermes("import", "all.zip", answer="n\n").err
    assert hermes("import", "all.zip", answer="").code == 2
    assert list(home.parent.glob("*import*")) == list(home.parent.glob(".*import*")) == []
    done = hermes("import", "all.zip", answer="y\n")
    assert done.lines[0] == f"Imported all.zip into {home} (5 sessions)."
    kept = Path(done.lines[1].removeprefix("What was there before is "))
    assert (kept / "state.db").exists()
    assert AUTH in hermes("sessions", "list").out
    assert hermes("config", "get", "sessions.retention_days").out == "30\n"
    assert (home / "skills" / "notes" / "SKILL.md").read_text() == "# Notes\n"
    assert (home / "profiles" / "work").is_dir()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE((home / name).stat().st_mode) for name in ("state.db", ".env", "config.yaml")} == {0o600}
    assert {stat.S_IMODE((home / name).stat().st_mode) for name in ("skills", "skills/notes")} == {0o700}


def test_keys_that_an_archive_has_not_are_those_from_before(home: Path, hermes: Hermes) -> None:
    hermes("backup", "all.zip")
    done = hermes("import", "all.zip", "--yes")
    assert done.lines[2].startswith("The archive has no keys; those from before: cp ")
    os.system(done.lines[2].removeprefix("The archive has no keys; those from before: "))
    assert "sk-or-v1-secret" in (home / ".env").read_text()


def test_an_empty_home_is_filled_without_asking(home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    hermes("backup", "all.zip")
    monkeypatch.setenv("HERMES_HOME", str(home.parent / "another"))
    assert hermes("import", "all.zip").code == 0
    assert AUTH in hermes("sessions", "list").out


def test_a_home_in_use_is_left_alone(home: Path, hermes: Hermes) -> None:
    hermes("backup", "all.zip")
    code = (
        "import sys; from hermes.store import SessionDB; db = SessionDB(); print(1, flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert "in use by another process" in refused(hermes("import", "all.zip", "--yes"), 3)
        other.communicate(b"\n", timeout=30)
    assert [path.name for path in home.parent.glob("*import*")] == []


def test_settings_that_name_another_store_are_told(home: Path, hermes: Hermes) -> None:
    hermes("config", "set", "sessions.database", str(home.parent / "elsewhere.db"))
    hermes("backup", "all.zip")
    assert "names another store" in hermes("import", "all.zip", "--yes").err


# -- archives that lie


def entry(name: str, mode: int = stat.S_IFREG | 0o600) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def hostile(*entries: tuple[zipfile.ZipInfo, bytes], about: bytes = b'{"format": 1}') -> Path:
    path = Path("hostile.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("hermes-home.json", about)
        for info, content in entries:
            out.writestr(info, content)
    return path


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (entry("../outside"), "leads out"),
        (entry("a/../../outside"), "leads out"),
        (entry("/tmp/outside"), "leads out"),
        (entry("a\\..\\outside"), "leads out"),
        (entry("line\nbreak"), "leads out"),
        (entry("link", stat.S_IFLNK | 0o777), "a link or a device"),
        (entry("device", stat.S_IFCHR | 0o600), "a link or a device"),
        (entry("x/" * 40 + "y"), "too deep"),
        (entry("n" * 1500), "too long"),
        (entry("profiles/other/config.yaml"), "no part"),
        (entry("state.db-wal"), "no part"),
        (entry("CONFIG.yaml"), "twice"),
    ],
)
def test_hostile_entries_are_refused_and_nothing_changes(
    home: Path, hermes: Hermes, bad: zipfile.ZipInfo, told: str
) -> None:
    before = sorted(home.parent.rglob("*"))
    path = hostile((entry("config.yaml"), b"{}"), (bad, b"/etc/passwd"))
    assert told in refused(hermes("import", str(path), "--yes"), 2)
    assert sorted(one for one in home.parent.rglob("*") if one.name != "hostile.zip") == before


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = hostile((entry("big"), bytes(3_000_000)))
    with pytest.raises(BadInput, match="more than there is room for"):
        archive.unpack(path, tmp_path / "new", most=1_000_000)
    assert not (tmp_path / "new").exists()


def test_an_archive_that_lies_about_sizes_is_refused(home: Path, hermes: Hermes) -> None:
    path = hostile((entry("big"), bytes(3_000_000)))
    content = path.read_bytes()
    path.write_bytes(content.replace((3_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    assert "hostile.zip" in refused(hermes("import", str(path), "--yes"), 2)
    assert AUTH in hermes("sessions", "list").out


@pytest.mark.parametrize("cut", [10, 200, -30])
def test_half_an_archive_is_refused(home: Path, hermes: Hermes, cut: int) -> None:
    hermes("backup", "all.zip")
    Path("half.zip").write_bytes(Path("all.zip").read_bytes()[:cut])
    assert "half.zip" in refused(hermes("import", "half.zip", "--yes"), 2)
    assert AUTH in hermes("sessions", "list").out


@pytest.mark.parametrize("about", [b"{}", b"not JSON", b"[]", b'{"format": 2}'])
def test_what_backup_did_not_make_is_refused(home: Path, hermes: Hermes, about: bytes) -> None:
    assert "was not made by `hermes backup`" in refused(hermes("import", str(hostile(about=about)), "--yes"), 2)


def test_a_damaged_store_in_an_archive_is_refused(home: Path, hermes: Hermes) -> None:
    damaged = bytearray((home / "state.db").read_bytes())
    damaged[8192 : len(damaged) // 2] = os.urandom(len(damaged) // 2 - 8192)
    for content in (b"no database", bytes(damaged)):
        path = hostile((entry("state.db"), content))
        assert "The store in the archive" in refused(hermes("import", str(path), "--yes"), 2)
    assert AUTH in hermes("sessions", "list").out


def test_nothing_is_asked_about_an_archive_that_cannot_be_taken(home: Path, hermes: Hermes) -> None:
    path = hostile((entry("state.db"), b"no database"))
    for refusal in (hermes("import", str(path), answer="y\n"), hermes("import", __file__, answer="y\n")):
        assert "[y/N]" not in refused(refusal, 2)
    assert list(home.parent.glob(".*import*")) == []


def test_what_is_not_there_is_told(home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "hermes backup" in refused(hermes("import", "nowhere.zip"), 1)
    assert "is a folder" in refused(hermes("backup", "."), 2)
    assert "is a folder" in refused(hermes("import", "."), 2)
    monkeypatch.setenv("HERMES_HOME", str(home.parent / "nowhere"))
    assert "nothing to back up" in refused(hermes("backup"), 1)
