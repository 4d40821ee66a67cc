"""Replies of commands in the colours of this screen, with what was searched for marked."""

import io
from collections.abc import Iterable

from rich.text import Text as AnsiText
from textual.content import Content, Span

from hermes.cli.draw import lines_of
from hermes.cli.screen import Screen
from hermes.commands.browse import marks
from hermes.commands.reply import Part
from hermes.store.words import composed

# Both are seen without colour; in the list the highlighted row is reversed already.
HIT, HIT_IN_LIST = "bold reverse", "bold underline"
_TAB = 4


def painted(parts: Iterable[Part]) -> Content:
    """The same drawing a terminal gets, nothing in it that one would obey."""
    screen = Screen(io.StringIO())
    screen.colour = True
    drawn = "\n".join(line for part in parts for line in lines_of(part, screen))
    return Content.from_rich_text(AnsiText.from_ansi(composed(drawn).expandtabs(_TAB)))


def with_hits(content: Content, query: str, style: str = HIT) -> Content:
    """The same with every hit marked."""
    return content.add_spans([Span(start, end, style) for start, end in marks(query, content.plain)])
