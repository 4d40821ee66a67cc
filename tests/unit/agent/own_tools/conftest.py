from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.store import SessionDB


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        yield store
