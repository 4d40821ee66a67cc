"""The list: a line for each conversation, of which only those on the screen are drawn."""

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes.cli.browse.paint import HIT_IN_LIST, with_hits
from hermes.cli.screen import safe
from hermes.cli.times import relative
from hermes.cli.width import cut, pad
from hermes.store.base import Row
from hermes.store.words import composed

_TIME, _SOURCE = 10, 8
_ROOM_FOR_SOURCE = 56
_PLACE = "place"  # what a drawn line knows about itself, for the mouse
_REVERSED = Style(reverse=True)


class Rows(ScrollView, can_focus=True):
    """Conversations. A click looks at one, a second click or Enter takes it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--highlighted"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Resume", key_display="⏎"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-1000000)", show=False),
        Binding("end", "move(1000000)", show=False),
    ]
    highlighted: reactive[int | None] = reactive(None)

    class Highlighted(Message):
        """Another conversation is looked at, or another list."""

    class Taken(Message):
        """This conversation is wanted."""

    def __init__(self) -> None:
        super().__init__(id="rows")
        self.rows: list[Row] = []
        self.now = 0.0
        self.sought = ""

    @property
    def current(self) -> Row | None:
        return None if self.highlighted is None else self.rows[self.highlighted]

    def show(self, rows: list[Row], now: float, sought: str = "") -> None:
        """These rows instead; the same conversation stays highlighted, or else the same place."""
        before, place = self.current, self.highlighted or 0
        places = [at for at, row in enumerate(rows) if before and row["lineage_id"] == before["lineage_id"]]
        self.highlighted = None
        self.rows, self.now, self.sought = rows, now, sought
        self.virtual_size = Size(self.scrollable_content_region.width, len(rows))
        if rows:
            self.highlighted = places[0] if places else min(place, len(rows) - 1)
        self.refresh()

    def watch_highlighted(self, at: int | None) -> None:
        if at is None:
            return
        self.scroll_to_region(Region(0, at, 1, 1), animate=False, immediate=True)
        self.refresh()
        self.post_message(self.Highlighted())

    def action_move(self, by: int) -> None:
        if self.rows:
            self.highlighted = max(0, min(len(self.rows) - 1, (self.highlighted or 0) + by))

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.scrollable_content_region.height))

    def action_take(self) -> None:
        self.post_message(self.Taken())

    def on_click(self, event: events.Click) -> None:
        clicked = event.style.meta.get(_PLACE)
        if clicked is not None:
            self.highlighted = clicked
            if event.chain > 1:
                self.action_take()

    def render_line(self, y: int) -> Strip:
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if at >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        chosen = at == self.highlighted
        style = self.get_visual_style(*(["rows--highlighted"] if chosen else []))
        drawn = line(self.rows[at], width, self.now, self.sought)
        strip = Strip(drawn.render_segments(style), drawn.cell_length).extend_cell_length(width, style.rich_style)
        return (strip.apply_style(_REVERSED) if chosen and self.app.no_color else strip).apply_meta({_PLACE: at})


def line(row: Row, width: int, now: float, sought: str = "") -> Content:
    """`★ refactoring auth          2h ago`, as wide as the list is."""
    mark = "★ " if row["pinned"] else "▫ " if row["archived_at"] else "  "
    source = f" {pad(cut(row['source'], _SOURCE), _SOURCE)}" if width >= _ROOM_FOR_SOURCE else ""
    rest = f"{source} {relative(row['last_active'], now):>{_TIME}}"
    title = " ".join(safe(row["title"] or row["preview"] or "(empty)").split())
    room = max(1, width - len(mark) - len(rest))
    shown = Content.styled(pad(cut(composed(title), room), room), "" if row["title"] else "italic")
    return Content.assemble(mark, with_hits(shown, sought, HIT_IN_LIST), (rest, "dim"))
