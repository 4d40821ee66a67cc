"""Which conversations are open at a terminal: two may write to the same one, and each should know.

Every chat holds a shared lock on a file named after its conversation. Whoever gets it alone is alone.
"""

import fcntl
import os

from hermes import paths


class Live:
    """The mark of one chat. Never fails: where nothing can be written, everybody is alone."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._name = ""

    def hold(self, lineage_id: str) -> bool:
        """Mark this conversation as open here; whether it is open elsewhere too."""
        if lineage_id == self._name:
            return False
        self.let_go()
        try:
            paths.make_private_folder(paths.live_chats())
            self._file = os.open(paths.live_chats() / lineage_id, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        self._name = lineage_id
        alone = self._alone(self._file)
        fcntl.flock(self._file, fcntl.LOCK_SH)
        return not alone

    @staticmethod
    def _alone(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def let_go(self) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        if self._alone(file):
            (paths.live_chats() / self._name).unlink(missing_ok=True)
        os.close(file)
        self._name = ""
