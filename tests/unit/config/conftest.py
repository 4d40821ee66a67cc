"""A home with the config file and the `.env` a test wants, and nothing of this machine's environment."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.config import Config, load

Loading = Callable[..., Config]


@pytest.fixture
def loading(tmp_path: Path) -> Loading:
    def run(yaml: str | bytes | None = None, *, dotenv: str | None = None, overrides=None, **variables: str) -> Config:
        if yaml is not None:
            (tmp_path / "config.yaml").write_bytes(yaml if isinstance(yaml, bytes) else yaml.encode())
        if dotenv is not None:
            (tmp_path / ".env").write_text(dotenv)
        return load(overrides, home=tmp_path, process=variables)

    return run
