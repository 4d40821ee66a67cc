"""The conversation beside the list, hits marked."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from hermes.cli.browse.paint import HIT, painted, with_hits
from hermes.commands.browse import preview
from hermes.commands.reply import Part
from hermes.store import SessionDB

_ABOVE_THE_HIT = 3  # lines that lead up to it


class Look:
    """A conversation, painted and cut into lines: made in a thread, so that showing it takes no time."""

    def __init__(self, db: SessionDB, session_id: str, query: str, width: int) -> None:
        heading, *said = preview(db, session_id, query).parts
        self.heading = with_hits(painted([_short(heading)]), query)
        self.lines = with_hits(painted(said), query).wrap(width)
        self.hits = [at for at, line in enumerate(self.lines) if any(span.style == HIT for span in line.spans)]


def _short(heading: Part) -> Part:
    """Title, id and facts; the list shows what else a heading tells."""
    return heading._replace(lines=heading.lines[:3])  # type: ignore[union-attr]  # a heading is a Text


class Pane(ScrollView, can_focus=True):
    """Lines, of which only those on the screen are drawn."""

    lines: tuple[Content, ...] = ()

    def show(self, lines: list[Content]) -> None:
        self.lines = tuple(lines)
        self.virtual_size = Size(self.scrollable_content_region.width, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        line = self.lines[at] if at < len(self.lines) else Content()
        drawn = Strip(line.render_segments(self.visual_style), line.cell_length)
        return drawn.extend_cell_length(self.size.width, self.rich_style)


class Preview(Vertical):
    def __init__(self) -> None:
        super().__init__()
        self.hits: tuple[int, ...] = ()
        self._at = 0
        self._heading = Static(id="heading")
        self.pane = Pane(id="pane")

    def compose(self) -> ComposeResult:
        yield self._heading
        yield self.pane

    @property
    def columns(self) -> int:
        """How wide a line may be: the scroll bar's column stays free."""
        return max(1, self.pane.size.width - 1)

    def show(self, look: Look) -> None:
        """Where the first hit is, or without one where the conversation stands."""
        self.hits, self._at = tuple(look.hits), 0
        self._put(look.heading, look.lines)
        self.call_after_refresh(self._go)

    def say(self, text: str) -> None:
        """Words in place of a conversation."""
        self.hits = ()
        self._put(Content(text), [])

    def _put(self, heading: Content, lines: list[Content]) -> None:
        self._heading.update(heading, layout=False)
        self.pane.show(lines)

    def next_hit(self, step: int) -> str:
        """To another line with a hit; returns which one that is."""
        if not self.hits:
            return "Nothing is marked here."
        self._at = (self._at + step) % len(self.hits)
        self._go()
        return f"Hit {self._at + 1} of {len(self.hits)}"

    def _go(self) -> None:
        if self.hits:
            self.pane.scroll_to(y=max(0, self.hits[self._at] - _ABOVE_THE_HIT), animate=False, immediate=True)
        else:
            self.pane.scroll_end(animate=False, immediate=True)
