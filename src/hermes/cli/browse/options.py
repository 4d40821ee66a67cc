"""A list to choose from, a line each, whose chosen line is seen without colour too."""

from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList

_REVERSED = Style(reverse=True)


class Options(OptionList):
    def render_line(self, y: int) -> Strip:
        """Drawn here: the style sheet's `reverse` does not reach the lines of a list."""
        drawn = super().render_line(y)
        chosen = self.scroll_offset.y + y == self.highlighted
        return drawn.apply_style(_REVERSED) if chosen and self.app.no_color else drawn
