import pytest

from tests.unit.cli.program import Hermes


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    return Hermes(capsys, monkeypatch)
