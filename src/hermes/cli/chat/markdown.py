"""Markdown as a terminal shows it. Loads rich, so it is imported while the person types."""

import io
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement

from hermes.cli import terminal
from hermes.cli.screen import safe

_WIDEST = 100


class _Heading(Heading):
    """On the left, where the eye is; rich puts it in the middle."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Answer(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "heading_open": _Heading}


def rendered(block: str, how: str = "render") -> str:
    """A block of an answer as lines for the terminal: drawn, without its marks (strip), or as it is (raw)."""
    text = safe(block)
    if how == "raw":
        return text
    out = io.StringIO()
    colour = terminal.wants_colour() and how == "render"
    console = Console(
        file=out,
        force_terminal=colour,
        color_system="256" if colour else None,
        width=min(terminal.size()[0], _WIDEST),
        legacy_windows=False,
        highlight=False,
    )
    console.print(_Answer(text, code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())
