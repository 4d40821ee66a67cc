"""`hermes demo`, and the README's first minute on it."""

import json
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path
from shlex import split

import pytest

from hermes.cli.main import COMMANDS
from hermes.commands.demo import TRY
from hermes.commands.demo.fill import fill
from hermes.commands.demo.scenes import scenes
from hermes.store import SessionDB
from hermes.store.base import ListQuery
from tests.unit.cli.program import Hermes, refused

ROOT = Path(__file__).parents[2]
NOW = time.time()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "state.db"
    with SessionDB(path) as db:
        fill(db, NOW)
    return path


def everything(path: Path) -> list[dict[str, object]]:
    with SessionDB(path, read_only=True) as db:
        return db.export_all(include_secrets=True)


def test_it_is_the_same_each_time(filled: Path, tmp_path: Path) -> None:
    with SessionDB(tmp_path / "again.db") as db:
        fill(db, NOW)
    assert everything(tmp_path / "again.db") == everything(filled)


def test_it_spans_months_platforms_languages_and_models(filled: Path) -> None:
    with SessionDB(filled, read_only=True) as db:
        rows = db.list_conversations(ListQuery(limit=1000))
        assert 300 <= len(rows) <= 400
        assert len({row["source"] for row in rows}) >= 10
        assert max(row["last_active"] for row in rows) - min(row["started_at"] for row in rows) > 150 * 86400
        assert max(row["last_active"] for row in rows) <= NOW
        for word in ("Servern", "bicicleta", "美術館", "集群", "장애", "редактору", "زيارة", "assinaturas", "rapport"):
            assert db.search_messages(word), word
        models = {row["model"]: row["cost_usd"] for row in db.usage_by("model")}
        assert len(models) == 6
        assert models["qwen3:32b"] is None
        assert sum(row["id"] != row["lineage_id"] for row in rows) >= 5  # compressed
        assert any(row["end_reason"] == "branched" for row in rows)
        assert sum(bool(row["title"]) for row in rows) > len(rows) / 2
        assert db.list_conversations(ListQuery(tag="work"))
        assert db.list_conversations(ListQuery(shelf="archived"))
        assert db.check() == []


def test_nothing_in_the_scenes_is_left_unfilled(filled: Path) -> None:
    said = [str(message["content"]) for row in everything(filled) for message in row["messages"]]  # type: ignore[attr-defined]
    assert len(said) > 1500
    assert [text for text in said if re.search(r"\$(?:[a-z]+\b|\{)", text) and "$(seq" not in text] == []
    assert all(scene.sources and scene.tags and len(scene.lines) >= 2 for scene in scenes())


def test_it_is_made_elsewhere_and_the_home_is_not_touched(hermes: Hermes, hermes_home: Path, tmp_path: Path) -> None:
    done = hermes("demo", str(tmp_path / "demo"), "--json")
    assert json.loads(done.out)["home"] == str(tmp_path / "demo")
    assert not hermes_home.exists()
    assert stat.S_IMODE((tmp_path / "demo").stat().st_mode) == 0o700


def test_without_a_name_it_lies_in_a_temporary_folder(
    hermes: Hermes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    home = Path(json.loads(hermes("demo", "--json").out)["home"])
    assert home.parent == tmp_path
    assert (home / "state.db").exists()


def test_what_is_there_already_is_never_touched(hermes: Hermes, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    assert "name a new folder" in refused(hermes("demo", str(tmp_path / "mine")), 2)
    assert "name another folder" in refused(hermes("demo", str(tmp_path / "mine" / "file" / "x")), 2)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]


def test_what_it_says_to_try_works(
    hermes: Hermes, filled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(filled.parent))
    for line in TRY:
        done = hermes(*split(line)[1:])
        assert (done.code, done.err) == (0, ""), (line, done)
        assert len(done.lines) > 2, line


def test_the_first_minute_of_the_readme_works(tmp_path: Path) -> None:
    """Each line as a shell runs it, with this Python's `hermes` in the place of scripts/hermes."""
    (block,) = re.findall(r"## The first minute\n.*?```bash\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names = re.findall(r"^scripts/hermes (\S+)", block, re.MULTILINE)
    assert {"demo", "sessions", "insights"} <= set(names) <= set(COMMANDS)
    (tmp_path / "scripts").mkdir()
    program = tmp_path / "scripts" / "hermes"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c 'from hermes.cli.main import entry; entry()' \"$@\"\n")
    program.chmod(0o700)
    environment = {**os.environ, "HOME": str(tmp_path)}
    environment.pop("HERMES_HOME", None)
    done = subprocess.run(
        ["sh", "-e"],
        input=block,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ">>>connection<<< >>>pool<<<" in done.stdout
    assert "The nightly backup" in done.stdout
    assert "Notable conversations" in done.stdout
    assert (tmp_path / "half-a-year.html").exists()
    assert not (tmp_path / ".hermes").exists()
