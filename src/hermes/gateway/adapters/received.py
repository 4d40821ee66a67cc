"""Files that people send: kept where the agent can read them, under names that lead nowhere."""

import logging
import os
import re

from hermes import paths

log = logging.getLogger("hermes.gateway")
_LONGEST_NAME = 80  # bytes; a file system takes 255 for the mark and the name together


def kept(platform: str, mark: str, name: str, content: bytes) -> str:
    """Keep a file, and return the line that tells the agent where it is. `mark` tells it from others of its name. What
    cannot be kept is said, too: the message it came with is heard in any case."""
    folder = paths.received_dir(platform)
    file = folder / f"{plain_name(mark)}-{plain_name(name)}"
    try:
        paths.make_private_folder(folder)
        _write(file, content)
    except OSError as error:
        log.warning("a file could not be kept: %s", error)
        return f"[The file {plain_name(name)} could not be kept: {error.strerror}.]"
    return f"[The file {plain_name(name)} is at {file}]"


def _write(file: os.PathLike[str], content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(file, flags, paths.PRIVATE_FILE), "wb") as out:
        out.write(content)


def plain_name(name: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name.replace("\0", "").rpartition("/")[2])
    end = plain.strip(".").encode()[-_LONGEST_NAME:]  # with what the name says of the kind
    return end.decode(errors="ignore") or "file"
