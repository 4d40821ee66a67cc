import shutil
from pathlib import Path

import pytest

from tests.upgrades.build import VERSIONS

HERE = Path(__file__).parent


def fixture(version: int) -> Path:
    return HERE / f"v{version:02}.db"


@pytest.fixture(params=VERSIONS, ids=lambda version: f"v{version}")
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def store(version: int, hermes_home: Path) -> Path:
    """A copy of the old file, where the program looks for its store."""
    hermes_home.mkdir(parents=True)
    return Path(shutil.copyfile(fixture(version), hermes_home / "state.db"))
