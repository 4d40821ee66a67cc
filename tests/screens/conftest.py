from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.screens import demo


@pytest.fixture
def db(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionDB]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    with demo.home(hermes_home) as store:
        yield store
