"""A real model over real HTTP: SmolLM2 (135M), served by `hermes model serve`. It babbles, but its tokens, its stream,
its counts and its JSON are real."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the model that was installed in the folder; the address, for model.base_url."""
    child = subprocess.Popen(
        [sys.executable, "-c", "from hermes.cli.main import entry; entry()", "model", "serve", "--port", "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(folder)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert child.stdout is not None
        told = re.search(r"http://127\.0\.0\.1:\d+/v1", child.stdout.readline())
        assert told is not None, "the model did not start"
        yield told[0]
    finally:
        child.kill()
        child.communicate()
