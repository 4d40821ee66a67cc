"""The reference program in an environment of its own, made once and kept in the cache folder."""

import os
import subprocess
import sys
import venv
from pathlib import Path

VERSION = "0.14.0"


def cache_folder() -> Path:
    """Where the corpus, the reference's environment and its filled databases are kept between runs."""
    folder = Path(os.environ.get("HERMES_BENCH_CACHE") or Path.home() / ".cache" / "hermes-bench")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def reference_python() -> Path:
    """The interpreter that has the reference installed: $HERMES_BENCH_REFERENCE, or one made here."""
    named = os.environ.get("HERMES_BENCH_REFERENCE")
    if named:
        return Path(named)
    folder = cache_folder() / f"reference-{VERSION}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"bench: installing the reference (hermes-agent {VERSION}) once ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"hermes-agent=={VERSION}"]
        subprocess.run(install, check=True)
        (folder / "ready").touch()
    return python
