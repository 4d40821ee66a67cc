"""Driving the browser of sessions in a test: press keys, wait until something is so, look at the screen."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot
from textual.widgets import Static

from hermes.cli.browse.app import Browse
from hermes.cli.browse.screen import BrowseScreen
from hermes.commands.browse import View
from hermes.store import SessionDB
from tests.screens.demo import NOW

_PATIENCE = 10.0  # seconds


class Browser:
    def __init__(self, app: Browse, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> BrowseScreen:
        """The browser itself, whatever lies on top of it."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, BrowseScreen)
        return screen

    @property
    def ids(self) -> list[str]:
        return [row["id"] for row in self.screen.rows.rows]

    @property
    def current(self) -> str | None:
        row = self.screen.rows.current
        return None if row is None else row["id"]

    @property
    def status(self) -> str:
        return str(self.screen.query_one("#status", Static).visual)

    @property
    def text(self) -> str:
        """What a person sees, line by line."""
        return "\n".join("".join(piece.text for piece in strip).rstrip() for strip in self._lines())

    def _lines(self) -> list[list]:  # type: ignore[type-arg]  # rich's segments
        return [list(strip) for strip in self.app.screen._compositor.render_strips()]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settled()

    async def settled(self) -> None:
        """Until every question is answered and drawn."""
        await self.pilot.pause()
        await self.until(lambda: not self.screen._lists.busy and not self.screen._looks.busy)
        await self.pilot.pause()

    async def until(self, so: Callable[[], bool]) -> None:
        for _ in range(int(_PATIENCE / 0.002)):
            if so():
                return
            await asyncio.sleep(0.002)
        raise AssertionError(f"it never came to be; the screen:\n{self.text}")


@asynccontextmanager
async def browsing(
    db: SessionDB, view: View = View(), *, size: tuple[int, int] = (80, 24), now: float = NOW
) -> AsyncIterator[Browser]:
    app = Browse(db, view, now)
    async with app.run_test(size=size) as pilot:
        browser = Browser(app, pilot)
        await browser.settled()
        yield browser


def play(story: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous story in a plain test."""

    async def bounded() -> None:
        await asyncio.wait_for(story(), 60)

    asyncio.run(bounded())
