from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_state import SessionDB
from tests.contract.backends import BACKENDS, SqliteBackend


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteBackend:
    return request.param(tmp_path)


@pytest.fixture
def db(backend: SqliteBackend) -> Iterator[SessionDB]:
    with backend.open() as store:
        yield store
