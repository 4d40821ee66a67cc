"""The screen: what is typed, what is listed, what is seen of it."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from hermes.cli.browse.actions import Actions, told
from hermes.cli.browse.newest import Newest
from hermes.cli.browse.preview import Look, Preview
from hermes.cli.browse.rows import Rows
from hermes.cli.screen import safe
from hermes.commands.browse import View, conversations
from hermes.commands.reply import Reply
from hermes.errors import HermesError
from hermes.store import SessionDB
from hermes.store.base import Row

_AT_ONCE = 60  # conversations; more are fetched when the last one is reached


class Search(Input):
    """Where one types. Up and down move the list, so that typing can go on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "screen.move(-1)", show=False),
        Binding("down", "screen.move(1)", show=False),
        Binding("pageup", "screen.move(-10)", show=False),
        Binding("pagedown", "screen.move(10)", show=False),
        Binding("enter", "submit", "Resume", key_display="⏎"),
        Binding("tab,escape", "screen.list", "List", key_display="Tab"),
    ]

    async def _on_key(self, event: events.Key) -> None:
        if event.character == "?" and not self.value:  # nobody's search begins so
            event.stop()
            event.prevent_default()
            await self.run_action("screen.help")
            return
        await super()._on_key(event)


class BrowseScreen(Actions, Screen[str]):
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-narrow"), (70, "-wide")]
    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-low"), (14, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "resume", show=False),
        Binding("slash", "search", "Search", show=False),
        Binding("r", "rename", "Rename"),
        Binding("p", "pin", "Pin"),
        Binding("t", "tag", "Tag"),
        Binding("a", "archive", "Archive"),
        Binding("d,delete", "delete", "Delete"),
        Binding("u", "undo", "Undo"),
        Binding("e", "export", "Export"),
        Binding("s", "source", "Source", show=False),
        Binding("w", "when", "When", show=False),
        Binding("A", "archived", "Archived ones", show=False),
        Binding("l", "lineage", "Lineage", show=False),
        Binding("n", "hit(1)", "Next hit", show=False),
        Binding("N", "hit(-1)", "Previous hit", show=False),
        Binding("question_mark,f1", "help", "Help", key_display="?"),
        Binding("q", "leave", "Leave", show=False),
        Binding("escape", "back", "Back", show=False),
    ]

    def __init__(self, db: SessionDB, view: View, now: float | None = None) -> None:
        super().__init__()
        self.db = db
        self.view = view
        self._now = now
        self._limit = _AT_ONCE
        # Kept here, because an answer may come when the screen is being taken down already.
        self.rows, self.preview = Rows(), Preview()
        self._narrowed, self._status = Static(id="narrowed"), Static(id="status")
        self.undo: list[tuple[Callable[..., Reply], str]] = []
        self._lists: Newest[tuple[View, Reply]] = Newest(self.run_worker, self._listed, self.refuse)
        self._looks: Newest[tuple[str, Look]] = Newest(self.run_worker, self._looked, self.refuse)

    def compose(self) -> ComposeResult:
        yield Search(self.view.query, placeholder="Type to search titles and messages", compact=True, id="search")
        yield self._narrowed
        with Container(id="body"):
            yield self.rows
            yield self.preview
        yield self._status
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.tell("? shows every key. Enter resumes, Tab goes to the list, Ctrl-Q leaves.")
        self.look_again()

    # -- asking

    def look_again(self, **changes: Any) -> None:
        """The list anew: for another view, or because something changed."""
        if changes:
            self.view, self._limit = replace(self.view, **changes), _AT_ONCE
        self._narrowed.update(narrowed(self.view), layout=False)
        view, limit = self.view, self._limit
        self._lists.ask(lambda: (view, conversations(self.db, view, limit=limit)))

    def look_at(self, session_id: str) -> None:
        query, columns = self.view.query, self.preview.columns
        self._looks.ask(lambda: (session_id, Look(self.db, session_id, query, columns)))

    def _listed(self, answer: tuple[View, Reply]) -> None:
        view, reply = answer
        if view != self.view or not self.is_running:
            return
        self.rows.show(reply.data, self._now or time.time(), view.query)
        if not reply.data:
            self.preview.say(told(reply))

    def _looked(self, answer: tuple[str, Look]) -> None:
        session_id, look = answer
        current = self.rows.current
        if current is not None and current["id"] == session_id and self.is_running:
            self.preview.show(look)

    def _look_at_current(self) -> None:
        if self.rows.current is not None:
            self.look_at(self.rows.current["id"])

    # -- what happens on the screen

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value != self.view.query:
            self.rows.highlighted = 0 if self.rows.rows else None
            self.look_again(query=event.value)

    def on_rows_highlighted(self) -> None:
        self._look_at_current()
        if self.rows.highlighted == self._limit - 1:
            self._limit *= 2
            self.call_after_refresh(self.look_again)

    def on_resize(self) -> None:
        self.call_after_refresh(self._look_at_current)  # its lines are as long as they were

    def on_input_submitted(self) -> None:
        self.action_resume()

    def on_rows_taken(self) -> None:
        self.action_resume()

    def tell(self, words: str, *, bad: bool = False) -> None:
        self._status.set_class(bad, "bad")
        self._status.update(Content(" ".join(safe(words).split())), layout=False)

    def refuse(self, error: HermesError | OSError) -> None:
        self.tell(str(error), bad=True)

    async def chosen(self) -> Row | None:
        """The highlighted conversation, once the list is the one that was asked for: who types and presses a key at
        once means what is found, not what was there before."""
        await self._lists.idle()
        return self.rows.current

    def action_move(self, by: int) -> None:
        self.rows.action_move(by)

    def action_list(self) -> None:
        self.rows.focus()

    def action_search(self) -> None:
        self.query_one(Search).focus()

    def action_hit(self, step: int) -> None:
        self.tell(self.preview.next_hit(step))

    def action_back(self) -> None:
        """One step out: from a narrowed list to the whole one, and from there to where one came from."""
        if self.view == View():
            self.app.exit()
            return
        with self.prevent(Input.Changed):
            self.query_one(Search).value = ""
        self.view = View()
        self.look_again()

    def action_leave(self) -> None:
        self.app.exit()

    @work
    async def action_resume(self) -> None:
        row = await self.chosen()
        if row is not None:
            self.app.exit(row["id"])


def narrowed(view: View) -> Content:
    """`telegram · from 7d · archived`: what is in the list. A click on it changes it."""
    times = [f"from {view.after}"] if view.after else []
    times += [f"before {view.before}"] if view.before else []
    rest = [f"#{view.tag}"] if view.tag else []
    rest += ["archived"] if view.archived else []
    return Content.from_markup(
        "[@click=screen.source]$source[/] · [@click=screen.when]$times[/]$rest",
        source=view.source or "all sources",
        times=" ".join(times) or "any time",
        rest="".join(f" · {word}" for word in rest),
    )
