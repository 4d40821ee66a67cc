"""Files that people send: kept where the agent can read them, under names that lead nowhere."""

import os
import re

from hermes import paths


def kept(platform: str, mark: str, name: str, content: bytes) -> str:
    """Keep a file, and return the line that tells the agent where it is. `mark` tells it from others of its name."""
    folder = paths.received_dir(platform)
    paths.make_private_folder(folder)
    file = folder / f"{plain_name(mark)}-{plain_name(name)}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, paths.PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
    return f"[The file {plain_name(name)} is at {file}]"


def plain_name(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name.replace("\0", "").rpartition("/")[2])
    return plain.strip(".")[-80:] or "file"
