"""Pictures of what Hermes looks like: `python -m tests.screens.pictures [NAME …]` makes them.

Those for the documentation lie in docs/images, those that only guard a screen in tests/screens/snapshots; a test
compares all of them with what the program draws now. To add one, write a function that takes the demo store and
returns SVG, and put `@picture("name")` above it.
"""

import asyncio
import io
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from hermes.cli.draw import lines_of
from hermes.cli.screen import Screen
from hermes.commands import lists
from hermes.commands.browse import View
from hermes.commands.chat.chat import Chat
from hermes.commands.chat.resuming import resumed, to_resume
from hermes.commands.demo.fill import fill
from hermes.commands.insights import insights
from hermes.commands.reply import Reply
from hermes.config import load
from hermes.store import SessionDB
from tests.screens import demo
from tests.screens.browser import Browser, browsing

DOCUMENTS = Path(__file__).parents[2] / "docs" / "images"
SNAPSHOTS = Path(__file__).parent / "snapshots"
Draw = Callable[[SessionDB], str]
PICTURES: dict[Path, Draw] = {}


def picture(name: str, folder: Path = DOCUMENTS) -> Callable[[Draw], Draw]:
    """This function draws that picture."""

    def named(draw: Draw) -> Draw:
        PICTURES[folder / f"{name}.svg"] = draw
        return draw

    return named


def printed(command: str, reply: Reply, columns: int) -> str:
    """A reply as a terminal of that width shows it, under the command that was typed."""
    screen = Screen(io.StringIO())
    screen.colour, screen.now = True, demo.NOW
    console = Console(width=columns, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "dim"), command))
    for part in reply.parts:
        for line in lines_of(part, screen):
            console.print(Text.from_ansi(line))
    return console.export_svg(title=command)


def seen(db: SessionDB, *keys: str, view: View = View(), size: tuple[int, int] = (80, 24), until: str = "") -> str:
    """The browser after these keys, once it shows those words."""

    async def story() -> str:
        async with browsing(db, view, size=size) as browser:
            await browser.press(*keys)
            await browser.until(lambda: until in browser.text)
            await steady(browser)
            return browser.app.export_screenshot()

    return asyncio.run(story())


async def steady(browser: Browser) -> None:
    """Until two looks are the same; a cursor that blinks is shown."""
    for field in browser.app.screen.query("Input"):
        field.cursor_blink = False  # type: ignore[attr-defined]
    await browser.settled()
    before = ""
    for _ in range(100):
        now = browser.app.export_screenshot()
        if now == before:
            return
        before = now
        await browser.pilot.pause(0.05)
    raise AssertionError(f"the screen never came to rest:\n{browser.text}")


# -- for the documentation


@picture("list")
def _list(db: SessionDB) -> str:
    return printed("hermes sessions list", lists.recent(db), 108)


@picture("browse")
def _browse(db: SessionDB) -> str:
    return seen(db, *"deploy", size=(100, 26), until="kubectl")


@picture("recap")
def _recap(db: SessionDB) -> str:
    chat = Chat(db, load())
    chat.open(to_resume(db, "Deploy the billing service"))
    return printed('hermes -c "Deploy the billing service"', resumed(chat), 110)


@picture("insights")
def _insights(_db: SessionDB) -> str:
    with tempfile.TemporaryDirectory() as folder, SessionDB(Path(folder) / "state.db") as db:
        fill(db, demo.NOW)
        reply = insights(db, days=60, now=datetime.fromtimestamp(demo.NOW))
    return printed("hermes insights --days 60", reply, 90)


# -- to guard a screen


@picture("browse-80", SNAPSHOTS)
def _eighty(db: SessionDB) -> str:
    return seen(db, "tab", "down", until="lemon tart")


@picture("browse-40", SNAPSHOTS)
def _forty(db: SessionDB) -> str:
    return seen(db, *"deploy", size=(40, 24), until="In three steps")


@picture("browse-help", SNAPSHOTS)
def _help(db: SessionDB) -> str:
    return seen(db, "question_mark", until="rename")


@picture("browse-rename", SNAPSHOTS)
def _rename(db: SessionDB) -> str:
    return seen(db, "tab", "r", until="Empty takes the title away")


@picture("browse-source", SNAPSHOTS)
def _source(db: SessionDB) -> str:
    return seen(db, "tab", "s", until="telegram: 2 sessions")


@picture("browse-lineage", SNAPSHOTS)
def _lineage(db: SessionDB) -> str:
    return seen(db, "tab", "l", view=View("release notes"), until="this one")


@picture("browse-nothing", SNAPSHOTS)
def _nothing(db: SessionDB) -> str:
    return seen(db, *"xyzzy", until="No title and no message")


def drawn(draw: Draw) -> str:
    """The picture, from a fresh demo store."""
    with tempfile.TemporaryDirectory() as folder, demo.home(Path(folder)) as db:
        return draw(db)


def main(names: list[str]) -> None:
    for path, draw in PICTURES.items():
        if not names or path.stem in names:
            path.parent.mkdir(exist_ok=True)
            path.write_text(drawn(draw))
            print(path.relative_to(Path(__file__).parents[2]))


if __name__ == "__main__":
    main(sys.argv[1:])
