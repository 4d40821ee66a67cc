"""The log: a rotating file under HERMES_HOME/logs, readable by its owner alone.

What people say never goes into it: modules log ids, counts and paths. The file is opened with the first
record, so that a command that has nothing to tell pays nothing.
"""

import logging
import os
from typing import Any

from hermes import paths

_BYTES, _KEPT = 2_000_000, 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s[%(process)d] %(message)s"


class _OnFirstRecord(logging.Handler):
    _file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if self._file is None:
            self._file = _open_file()
            self._file.setFormatter(logging.Formatter(_FORMAT))
        self._file.emit(record)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def _open_file() -> logging.Handler:
    """A home that cannot be written is no reason to fail."""
    from logging.handlers import RotatingFileHandler

    class PrivateFile(RotatingFileHandler):
        def _open(self) -> Any:
            flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC
            descriptor = os.open(self.baseFilename, flags, paths.PRIVATE_FILE)
            os.fchmod(descriptor, paths.PRIVATE_FILE)
            return os.fdopen(descriptor, self.mode, encoding="utf-8", errors="backslashreplace")

    try:
        for folder in (paths.hermes_home(), paths.logs_dir()):
            paths.make_private_folder(folder)
        return PrivateFile(paths.logs_dir() / "hermes.log", maxBytes=_BYTES, backupCount=_KEPT)
    except OSError:
        return logging.NullHandler()


def set_up(level: int = logging.INFO) -> None:
    """Send what the `hermes.*` loggers say to the file. Calling it again changes nothing."""
    logger = logging.getLogger("hermes")
    if not any(isinstance(handler, _OnFirstRecord) for handler in logger.handlers):
        logger.setLevel(level)
        logger.propagate = False
        logger.addHandler(_OnFirstRecord())
