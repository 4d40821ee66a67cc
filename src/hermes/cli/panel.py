"""Lines in a box, wrapped to fit."""

from collections.abc import Iterator

from hermes.cli.screen import Screen, safe
from hermes.cli.width import pieces, width
from hermes.commands.reply import Line, Panel, Span

_WIDEST = 100


def panel(part: Panel, screen: Screen) -> Iterator[str]:
    room = min(screen.size[0], _WIDEST) - 4
    if room < 16:  # too narrow for a box
        yield from (_styled(line, screen) for line in part.lines)
        return
    title = f" {part.title} "
    yield screen.styled(f"╭─{title}{'─' * (room + 1 - width(title))}╮", "dim")
    for line in part.lines:
        for wrapped in wrap(line, room):
            filled = _styled(wrapped, screen) + " " * (room - sum(width(span.text) for span in wrapped))
            yield f"{screen.styled('│', 'dim')} {filled} {screen.styled('│', 'dim')}"
    yield screen.styled(f"╰{'─' * (room + 2)}╯", "dim")


def _styled(line: Line, screen: Screen) -> str:
    return "".join(screen.styled(span.text, span.style) for span in _spans(line))


def _spans(line: Line) -> tuple[Span, ...]:
    return (Span(line),) if isinstance(line, str) else line


def wrap(line: Line, room: int) -> Iterator[tuple[Span, ...]]:
    """Lines that fit, broken between words where there are any; what follows is indented a little."""
    current: list[Span] = []
    taken = 0
    for span in _spans(line):
        for word in _words(safe(span.text).expandtabs(4)):
            if taken and taken + width(word.rstrip()) > room and word.strip():
                yield tuple(current)
                current, taken = [Span("  ")], 2
            for piece in pieces(word, room - 2):
                if taken + width(piece.rstrip()) > room:
                    yield tuple(current)
                    current, taken = [Span("  ")], 2
                piece = piece if taken + width(piece) <= room else piece.rstrip()
                _append(current, Span(piece, span.style))
                taken += width(piece)
    yield tuple(current)


def _append(spans: list[Span], more: Span) -> None:
    """At the end, as part of the span before it where the style is the same."""
    if spans and spans[-1].style == more.style:
        spans[-1] = Span(spans[-1].text + more.text, more.style)
    else:
        spans.append(more)


def _words(text: str) -> Iterator[str]:
    """Words, each with the spaces behind it."""
    word = ""
    for char in text:
        if word.endswith(" ") and char != " ":
            yield word
            word = ""
        word += char
    if word:
        yield word
