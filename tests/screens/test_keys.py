"""Every key of `hermes sessions browse`."""

import threading
from pathlib import Path

import pytest
from textual.widgets import Input

from hermes.cli.browse.dialogs import Choice, Page, Prompt
from hermes.commands.browse import View
from hermes.store import SessionDB
from hermes.store.base import ListQuery, Row
from tests.screens.browser import Browser, browsing, play
from tests.screens.demo import AUTH, CAFE, DEPLOY, DINNER, KYOTO, POSTGRES, PROJECT_TIP, TALKS, WEATHER


async def typed(browser: Browser, text: str, *, instead: bool = False) -> None:
    """Answer the dialog that is open."""
    await browser.until(lambda: isinstance(browser.app.screen, Prompt))
    field = browser.app.screen.query_one(Input)
    field.value = text if instead else field.value + text
    await browser.pilot.press("enter")
    await browser.until(lambda: not isinstance(browser.app.screen, Prompt))
    await browser.settled()


# -- finding


def test_it_opens_with_the_newest_conversations_and_a_look_at_the_first(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            assert browser.current == DEPLOY
            assert len(browser.ids) == len(TALKS)
            assert "That was it. Deployed!" in browser.text

    play(story)


def test_typing_finds_titles_and_messages_and_marks_them(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press(*"deploy")
            assert browser.ids == [DEPLOY, POSTGRES]
            assert browser.screen.preview.hits
            await browser.press("backspace", "backspace")
            assert browser.screen.view.query == "depl"
            assert browser.ids == [DEPLOY, POSTGRES]

    play(story)


def test_accents_and_scripts_without_spaces_are_found(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press(*"zurich")
            assert browser.ids == [CAFE]
            await browser.press("ctrl+u", *"嵐山")
            assert browser.ids == [KYOTO]

    play(story)


def test_nothing_found_is_said(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press(*"xyzzy")
            assert browser.ids == []
            assert "No title and no message" in browser.text
            for key in ("enter", "escape", "r", "p", "t", "a", "d", "e", "l"):
                await browser.press(key)
            assert browser.app.is_running
            assert browser.app.screen is browser.screen

    play(story)


def test_up_and_down_move_the_list_while_typing_goes_on(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("down", "down")
            assert browser.current == AUTH
            assert "Help me refactor" in browser.text
            await browser.press("up")
            assert browser.current == DINNER
            await browser.press("pagedown")
            assert browser.current == CAFE
            await browser.press("pageup")
            assert browser.current == DEPLOY
            await browser.press(*"caf")
            assert browser.ids == [CAFE]

    play(story)


def test_a_query_given_at_the_start_is_there(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db, View("risotto", source="telegram")) as browser:
            assert browser.ids == [DINNER]
            assert "telegram" in browser.text

    play(story)


def test_n_goes_from_hit_to_hit(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db, View("deploy")) as browser:
            await browser.press("tab", "n")
            assert browser.status.startswith("Hit 2 of ")
            await browser.press("N", "N")
            number = len(browser.screen.preview.hits)
            assert browser.status == f"Hit {number} of {number}"

    play(story)


def test_the_preview_opens_where_the_first_hit_is(db: SessionDB) -> None:
    db.append_messages(AUTH, [{"role": "user", "content": f"line {n}\n" * 5} for n in range(60)])
    db.append_message(AUTH, "assistant", "here is the needle")
    db.append_messages(AUTH, [{"role": "user", "content": f"more {n}\n" * 5} for n in range(60)])

    async def story() -> None:
        async with browsing(db, View("needle")) as browser:
            await browser.until(lambda: "here is the needle" in browser.text)
            await browser.press("ctrl+u", *"refactoring")
            assert browser.current == AUTH
            await browser.press("ctrl+u")
            await browser.until(lambda: "more 59" in browser.text)

    play(story)


def test_the_list_grows_when_its_end_is_reached(db: SessionDB) -> None:
    with db.transaction() as tx:
        for number in range(250):
            tx.create_session(f"filler-{number}", "cli", started_at=1_000_000.0 + number)

    async def story() -> None:
        async with browsing(db) as browser:
            assert len(browser.ids) == 60
            await browser.press("tab", "end")
            await browser.until(lambda: len(browser.ids) == 120)
            assert browser.current == "filler-199"  # where the end was before
            for number in (240, 250 + len(TALKS)):
                await browser.press("end")
                await browser.until(lambda number=number: len(browser.ids) == number)

    play(story)


# -- narrowing


def test_s_shows_one_source(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "s")
            await browser.until(lambda: isinstance(browser.app.screen, Choice))
            await browser.pilot.press("down", "down", "enter")
            await browser.until(lambda: browser.screen.view.source == "telegram")
            await browser.settled()
            assert browser.ids == [DINNER, WEATHER]
            await browser.press("s")
            await browser.until(lambda: isinstance(browser.app.screen, Choice))
            await browser.pilot.press("home", "enter")
            await browser.until(lambda: browser.screen.view.source is None)

    play(story)


def test_w_shows_a_time_and_refuses_what_is_none(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "w")
            await typed(browser, "2026-03-12..2026-03-14", instead=True)
            await browser.until(lambda: browser.ids == [AUTH, WEATHER, KYOTO])
            assert "from 2026-03-12 before 2026-03-14" in browser.text
            await browser.press("w")
            await browser.until(lambda: isinstance(browser.app.screen, Prompt))
            browser.app.screen.query_one(Input).value = "soon"
            await browser.pilot.press("enter")
            await browser.until(lambda: "'soon' is no time" in browser.text)
            await browser.press("escape")
            assert browser.screen.view.after == "2026-03-12"

    play(story)


def test_escape_shows_everything_again_and_then_leaves(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db, View("deploy", source="cli")) as browser:
            await browser.press("escape")
            assert browser.app.focused is browser.screen.rows
            await browser.press("escape")
            assert browser.screen.view == View()
            assert len(browser.ids) == len(TALKS)
            await browser.pilot.press("escape")
            await browser.until(lambda: not browser.app.is_running)
        assert (browser.app.return_value, browser.app.return_code) == (None, 0)

    play(story)


# -- looking after


def test_r_renames_and_a_taken_title_is_refused(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "r")
            await typed(browser, " again")
            await browser.until(lambda: "renamed to" in browser.status)
            await browser.settled()
            assert db.get_session_title(DEPLOY) == "Deploy the billing service again"
            assert browser.current == DEPLOY
            await browser.press("r")
            await typed(browser, "Dinner for eight", instead=True)
            await browser.until(lambda: "already in use" in browser.status)
            assert db.get_session_title(DEPLOY) == "Deploy the billing service again"
            await browser.press("r")
            await browser.until(lambda: isinstance(browser.app.screen, Prompt))
            await browser.press("escape")
            assert db.get_session_title(DEPLOY) == "Deploy the billing service again"

    play(story)


def test_p_pins_and_unpins(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "p")
            await browser.until(lambda: "Pinned" in browser.status)
            await browser.settled()
            assert "★ Deploy" in browser.text
            await browser.press("p")
            await browser.until(lambda: "Unpinned" in browser.status)
            row = db.get_session(DEPLOY)
            assert row is not None and not row["pinned"]

    play(story)


def test_t_changes_the_tags(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "t")
            await browser.until(lambda: isinstance(browser.app.screen, Prompt))
            assert browser.app.screen.query_one(Input).value == "infra work"
            await typed(browser, "work Kubernetes", instead=True)
            await browser.until(lambda: "#kubernetes" in browser.text)
            assert db.get_tags(DEPLOY) == ["kubernetes", "work"]

    play(story)


def test_d_deletes_and_u_brings_back(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "d")
            await browser.until(lambda: DEPLOY not in browser.ids)
            assert "u brings it back" in browser.status
            await browser.settled()
            assert browser.current == DINNER
            await browser.press("d")
            await browser.until(lambda: DINNER not in browser.ids)
            await browser.press("u")
            await browser.until(lambda: DINNER in browser.ids)
            await browser.press("u")
            await browser.until(lambda: DEPLOY in browser.ids)
            assert "Restored" in browser.status
            await browser.press("u")
            assert browser.status == "There is nothing to undo."

    play(story)


def test_a_archives_and_archived_ones_can_be_seen_and_put_back(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "a")
            await browser.until(lambda: DEPLOY not in browser.ids)
            await browser.press("A")
            await browser.until(lambda: browser.ids == [DEPLOY])
            assert "archived" in browser.text
            await browser.settled()
            await browser.press("a")
            await browser.until(lambda: browser.ids == [])
            await browser.press("A")
            await browser.until(lambda: DEPLOY in browser.ids)

    play(story)


def test_an_archive_is_undone_too(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "a")
            await browser.until(lambda: DEPLOY not in browser.ids)
            await browser.press("u")
            await browser.until(lambda: DEPLOY in browser.ids)

    play(story)


def test_e_writes_a_file_and_never_over_another(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "e")
            await typed(browser, "talk.md", instead=True)
            await browser.until(lambda: "Exported 1 session" in browser.status)
            assert "kubectl rollout restart" in Path("talk.md").read_text()
            await browser.press("e")
            await typed(browser, "talk.md", instead=True)
            await browser.until(lambda: browser.screen.query_one("#status").has_class("bad"))
            assert "talk.md" in browser.status
            await browser.press("e")
            await typed(browser, "no/such/folder/talk.md", instead=True)
            await browser.until(lambda: "no/such/folder" in browser.status)
            assert browser.app.is_running

    play(story)


def test_l_shows_the_lineage(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db, View("release notes")) as browser:
            assert browser.ids == [PROJECT_TIP]
            await browser.press("tab", "l")
            await browser.until(lambda: isinstance(browser.app.screen, Page))
            await browser.settled()
            assert "└─" in browser.text
            assert "← this one" in browser.text
            await browser.press("q")
            assert browser.app.screen is browser.screen

    play(story)


def test_a_store_that_can_only_be_read_refuses_changes_in_words(db: SessionDB) -> None:
    async def story() -> None:
        with SessionDB(db.db_path, read_only=True) as reader:
            async with browsing(reader) as browser:
                await browser.press("tab", "d")
                await browser.until(lambda: browser.screen.query_one("#status").has_class("bad"))
                assert DEPLOY in browser.ids

    play(story)


# -- help, and leaving


@pytest.mark.parametrize("keys", [["question_mark"], ["f1"], ["tab", "question_mark"], ["a", "f1"]])
def test_help_is_there_from_the_search_and_from_the_list(db: SessionDB, keys: list[str]) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press(*keys)
            await browser.until(lambda: isinstance(browser.app.screen, Page))
            await browser.settled()
            assert "rename" in browser.text
            await browser.press("escape")
            assert browser.app.screen is browser.screen

    play(story)


def test_a_question_mark_inside_a_query_is_a_letter(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press(*"ideas", "question_mark")
            assert browser.screen.view.query == "ideas?"
            assert browser.app.screen is browser.screen

    play(story)


@pytest.mark.parametrize(
    ("keys", "chosen", "code"),
    [
        (["enter"], DEPLOY, 0),
        (["down", "enter"], DINNER, 0),
        (["tab", "down", "enter"], DINNER, 0),
        (["tab", "q"], None, 0),
        (["ctrl+q"], None, 0),
        (["ctrl+c"], None, 130),
        (["tab", "ctrl+c"], None, 130),
    ],
)
def test_it_ends_with_what_was_chosen(db: SessionDB, keys: list[str], chosen: str | None, code: int) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            *before, last = keys
            await browser.press(*before)
            await browser.pilot.press(last)
            await browser.until(lambda: not browser.app.is_running)
        assert (browser.app.return_value, browser.app.return_code) == (chosen, code)

    play(story)


class SlowStore(SessionDB):
    """The real store on a slow disk: a search takes until it may end."""

    may_end = threading.Event()

    def find_conversations(self, query: str, which: ListQuery = ListQuery()) -> list[Row]:
        assert self.may_end.wait(30)
        return super().find_conversations(query, which)


@pytest.mark.parametrize(("keys", "chosen"), [(["enter"], WEATHER), (["tab", "d"], None)])
def test_a_key_pressed_before_the_list_is_there_means_what_will_be_found(
    db: SessionDB, keys: list[str], chosen: str | None
) -> None:
    async def story() -> None:
        with SlowStore(db.db_path) as store:
            async with browsing(store) as browser:
                await browser.pilot.press(*"weath", *keys)
                assert browser.current == DEPLOY
                store.may_end.set()
                await browser.until(lambda: not browser.app.is_running if chosen else "u brings" in browser.status)
            assert browser.app.return_value == chosen
        rows = {name: db.get_session(name) for name in (DEPLOY, WEATHER)}
        assert [name for name, row in rows.items() if row and row["trashed_at"]] == ([] if chosen else [WEATHER])

    SlowStore.may_end.clear()
    play(story)


def test_leaving_waits_for_nobody_and_an_answer_that_comes_then_harms_nothing(db: SessionDB) -> None:
    async def story() -> None:
        with SlowStore(db.db_path) as store:
            async with browsing(store) as browser:
                await browser.pilot.press(*"weath", "tab", "p", "ctrl+q")
                await browser.until(lambda: not browser.app.is_running)
                store.may_end.set()
            assert (browser.app.return_value, browser.app.return_code) == (None, 0)

    SlowStore.may_end.clear()
    play(story)


def test_slash_leads_back_to_the_search_and_tab_into_the_conversation(db: SessionDB) -> None:
    async def story() -> None:
        async with browsing(db) as browser:
            await browser.press("tab", "tab")
            assert browser.app.focused is browser.screen.preview.pane
            await browser.press("slash", *"auth")
            assert browser.screen.view.query == "auth"

    play(story)


def test_an_empty_store_says_so_and_fills_while_one_looks(hermes_home: Path) -> None:
    async def story() -> None:
        with SessionDB() as db:
            async with browsing(db) as browser:
                assert "No sessions yet." in browser.text
                await browser.press("tab", "enter", "d", "u", "n")
                assert browser.app.is_running
                db.create_session("first", "cli")
                db.append_message("first", "user", "hello there")
                await browser.press("slash", *"hel")
                assert browser.ids == ["first"]

    play(story)
