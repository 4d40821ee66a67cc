"""The program around the screen: how it begins and how it ends."""

from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.worker import WorkerFailed

from hermes.cli import terminal
from hermes.cli.browse.screen import BrowseScreen
from hermes.commands.browse import View
from hermes.store import SessionDB

_INTERRUPTED = 130


class Browse(App[str]):
    """Ends with the id of the conversation to resume, or with None."""

    TITLE = "hermes sessions browse"
    CSS_PATH = "browse.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Leave", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "Leave", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, db: SessionDB, view: View = View(), now: float | None = None) -> None:
        super().__init__(ansi_color=None if terminal.wants_colour() else True)
        self.animation_level = "none"  # over ssh every frame is a message
        self._db, self._view, self._start = db, view, now

    def get_default_screen(self) -> BrowseScreen:
        return BrowseScreen(self._db, self._view, self._start)

    def action_interrupt(self) -> None:
        self.exit(return_code=_INTERRUPTED)

    def _fatal_error(self) -> None:
        """No traceback here: `browse` raises the error again, for the top of the process to log and to tell."""
        self._close_messages_no_wait()

    @property
    def failure(self) -> BaseException | None:
        error = self._exception
        return error.error if isinstance(error, WorkerFailed) else error


def browse(db: SessionDB, view: View) -> tuple[str | None, int]:
    """Run the screen; returns the conversation to resume, if any, and the exit code."""
    app = Browse(db, view)
    chosen = app.run()
    if app.failure is not None:
        raise app.failure
    return chosen, app.return_code or 0
