"""The example plugin, built, installed into a fresh environment, and used from there."""

import os
import site
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.scripted import Say, Scripted

PROJECT = Path(__file__).parents[2]
EXAMPLE = PROJECT / "examples" / "hermes-dice"


def run(*command: str | Path, **variables: str) -> str:
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the example, and nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, EXAMPLE)
    [wheel] = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-index", "--no-deps", wheel)
    return python


def test_the_package_is_found_switched_on_and_used(fresh: Path, hermes_home: Path) -> None:
    borrowed = os.pathsep.join([str(PROJECT / "src"), *site.getsitepackages()])  # Hermes and what it needs

    def hermes(*arguments: str) -> str:
        return run(fresh, "-c", "from hermes.cli.main import entry; entry()", *arguments, PYTHONPATH=borrowed)

    assert "dice" in hermes("plugins", "list")
    assert hermes("plugins", "enable", "dice") == "dice is on, from the next chat.\n"
    assert "Registers tools: roll_dice" in hermes("plugins", "show", "dice")
    with Scripted(Say(calls=[("roll_dice", {"throw": "3d1"})]), Say("Three ones.")) as server:
        settings = server.settings + "plugins:\n  enabled: [dice]\n"
        (hermes_home / "config.yaml").write_text(settings)
        assert hermes("-z", "Roll three dice with one side") == "Three ones.\n"
        assert '"sum": 3' in server.sent[1].messages[-1]["content"]
