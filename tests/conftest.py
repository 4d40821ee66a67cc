"""What every test shares: a home of its own, so that nothing ever touches the real one."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}
settings.register_profile("quick", max_examples=25, derandomize=True, database=None, **_COMMON)
settings.register_profile("long", max_examples=300, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts its background jobs, and they their children
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def hermes_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home
