"""What most stories begin with: the program, a home that was used, a model, a store, a homeserver."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted
from tests.servers.synapse import Synapse
from tests.unit.cli.program import Hermes, fill_guide


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    return Hermes(capsys, monkeypatch)


@pytest.fixture
def home(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the three conversations of the guide."""
    monkeypatch.chdir(tmp_path)
    with SessionDB() as db:
        fill_guide(db)
    return hermes_home


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """The one in the settings, over real HTTP; it finds everything fine unless it is told what to say."""
    monkeypatch.chdir(tmp_path)
    with Scripted(otherwise=Say("Fine.")) as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield server


@pytest.fixture
def db(hermes_home: Path) -> Iterator[SessionDB]:
    with SessionDB() as opened:
        yield opened


@pytest.fixture(scope="session")
def synapse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synapse]:
    server = Synapse(tmp_path_factory.mktemp("synapse"))
    try:
        yield server.start()
    finally:
        server.stop()
