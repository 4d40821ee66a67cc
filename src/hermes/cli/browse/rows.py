"""The list: a line for each conversation."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from hermes.cli.browse.options import Options
from hermes.cli.browse.paint import HIT_IN_LIST, with_hits
from hermes.cli.screen import safe
from hermes.cli.times import relative
from hermes.cli.width import cut, pad
from hermes.store.base import Row
from hermes.store.words import composed

_TIME, _SOURCE = 10, 8
_ROOM_FOR_SOURCE = 56


class Rows(Options):
    """Conversations. A click looks at one, a second click or Enter takes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Resume", key_display="⏎")]

    class Taken(Message):
        """This conversation is wanted."""

    def __init__(self) -> None:
        super().__init__(id="rows", compact=True, markup=False)
        self.rows: list[Row] = []
        self.now = 0.0
        self.sought = ""

    @property
    def current(self) -> Row | None:
        return self.rows[self.highlighted] if self.highlighted is not None and self.rows else None

    def show(self, rows: list[Row], now: float, sought: str = "") -> None:
        """These rows instead; the same conversation stays highlighted, or else the same place."""
        before, place = self.current, self.highlighted or 0
        self.rows, self.now, self.sought = rows, now, sought
        self._draw()
        places = [at for at, row in enumerate(rows) if before and row["lineage_id"] == before["lineage_id"]]
        if rows:
            self.highlighted = places[0] if places else min(place, len(rows) - 1)

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        self.set_options(Option(line(row, width, self.now, self.sought)) for row in self.rows)

    def move(self, by: int) -> None:
        """The highlight up or down, from wherever the keys go."""
        if self.rows:
            self.highlighted = max(0, min(len(self.rows) - 1, (self.highlighted or 0) + by))

    def on_resize(self) -> None:
        at = self.highlighted
        self._draw()
        self.highlighted = at

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()  # a single click would take it
        clicked = event.style.meta.get("option")
        if clicked is not None:
            self.highlighted = clicked
            if event.chain > 1:
                self.post_message(self.Taken())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Taken())


def line(row: Row, width: int, now: float, sought: str = "") -> Content:
    """`★ refactoring auth          2h ago`, as wide as the list is."""
    mark = "★ " if row["pinned"] else "▫ " if row["archived_at"] else "  "
    source = f" {pad(cut(row['source'], _SOURCE), _SOURCE)}" if width >= _ROOM_FOR_SOURCE else ""
    rest = f"{source} {relative(row['last_active'], now):>{_TIME}}"
    title = " ".join(safe(row["title"] or row["preview"] or "(empty)").split())
    room = max(1, width - len(mark) - len(rest))
    shown = Content.styled(pad(cut(composed(title), room), room), "" if row["title"] else "italic")
    return Content.assemble(mark, with_hits(shown, sought, HIT_IN_LIST), (rest, "dim"))
