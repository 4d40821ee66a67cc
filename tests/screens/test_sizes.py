"""Any terminal: 80×24, 40 columns, no colour, hostile text, a mouse."""

import asyncio

import pytest
from textual.widgets import Footer

from hermes.cli.browse.rows import line
from hermes.cli.width import width
from hermes.commands.browse import View
from hermes.store import SessionDB
from tests.screens.browser import browsing, play
from tests.screens.demo import DEPLOY, DINNER, KYOTO, NOW


@pytest.mark.parametrize("size", [(80, 24), (40, 24), (200, 60), (20, 8)])
def test_everything_is_on_the_screen_at_any_size(db: SessionDB, size: tuple[int, int]) -> None:
    async def story() -> None:
        async with browsing(db, size=size) as browser:
            lines = browser.text.splitlines()
            assert len(lines) <= size[1]
            assert max(width(text) for text in lines) <= size[0]
            for widget in ("#search", "#rows", "#pane", "#status", "Footer"):
                region = browser.screen.query_one(widget).region
                assert region.width > 0 and region.height > 0, widget
                assert region.right <= size[0] and region.bottom <= size[1], widget
            assert "Deploy" in browser.text
            await browser.press("down")
            assert "tart" in browser.text or size[1] < 24

    play(story)


def test_on_forty_columns_the_conversation_stands_below_the_list(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db, size=(40, 24)) as browser:
            rows, preview = browser.screen.rows.region, browser.screen.preview.region
            assert rows.bottom <= preview.y
            assert rows.width == 40
            await browser.pilot.resize_terminal(100, 30)
            await browser.settled()
            assert browser.screen.rows.region.right <= browser.screen.preview.region.x
            assert browser.current == DEPLOY

    play(story)


def test_at_eighty_columns_every_shown_key_fits(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab")
            assert browser.screen.query_one(Footer).max_scroll_x == 0
            assert "? Help" in browser.text

    play(story)


@pytest.mark.parametrize("columns", [12, 20, 34, 40, 60, 100])
def test_a_line_is_exactly_as_wide_as_the_list(db: SessionDB, columns: int) -> None:
    rows = db.find_conversations("京都") + db.find_conversations("deploy")
    assert [row["id"] for row in rows][:2] == [KYOTO, DEPLOY]
    for row in rows:
        drawn = line(row, max(columns, 14), NOW, "deploy").plain
        assert width(drawn) == max(columns, 14)


# -- without colour


def test_without_colour_the_chosen_row_and_the_hits_are_reversed(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def story() -> None:
        async with browsing(db, View("deploy")) as browser:
            assert browser.app.no_color and browser.app.native_ansi_color
            pieces = [piece for strip in browser.app.screen._compositor.render_strips() for piece in strip]
            reversed_texts = [piece.text for piece in pieces if piece.style is not None and piece.style.reverse]
            assert "the billing…" in "".join(reversed_texts)
            assert "deployment" in reversed_texts

    play(story)


# -- text from outside


def test_control_characters_are_shown_and_never_obeyed(db: SessionDB) -> None:
    db.create_session("hostile", "cli", started_at=NOW)
    db.append_message("hostile", "user", "\x1b]0;owned\x07 \x1b[2J [bold red]markup[/] \u202eback", timestamp=NOW)
    db.create_session("nameless", "[@click=app.quit]x[/]", started_at=NOW + 1)
    db.append_message("nameless", "user", "[@click=app.quit]press me[/]", timestamp=NOW + 1)

    async def story() -> None:
        async with browsing(db, size=(120, 30)) as browser:
            assert browser.current == "nameless"
            assert "[@click=app.quit]press me[/]" in browser.text
            await browser.press("down")
            assert browser.current == "hostile"
            assert r"\x1b]0;owned\x07 \x1b[2J [bold red]markup[/]" in browser.text
            assert "\x1b" not in browser.text
            await browser.press("tab", "s")
            await browser.until(lambda: "1 session" in browser.text)
            assert "[@click=app.quit]x[/]" in browser.text

    play(story)


# -- the mouse


def test_a_click_looks_and_a_double_click_resumes(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.pilot.click("#rows", offset=(3, 1))
            await browser.settled()
            assert browser.current == DINNER
            assert "lemon tart" in browser.text
            assert browser.app.is_running
            await asyncio.sleep(0.6)  # longer than a double click takes
            await browser.pilot.click("#rows", offset=(3, 1), times=2)
            await browser.until(lambda: not browser.app.is_running)
        assert browser.app.return_value == DINNER

    play(story)


def test_the_line_of_filters_and_the_footer_can_be_clicked(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.pilot.click("#narrowed", offset=(3, 0))
            await browser.until(lambda: "telegram: 2 sessions" in browser.text)
            await browser.press("escape")
            await browser.pilot.click("#narrowed", offset=(16, 0))
            await browser.until(lambda: "yesterday" in browser.text and "When" in browser.text)

    play(story)
