"""Draws a turn: what is finished stands above the prompt for good, what is under way moves in the lines before it."""

import time
from collections.abc import Callable
from typing import Any

from hermes.agent.base import Compressed, Notice, StartedOver, Steered, Titled, ToolEnded, ToolStarted, TurnEnded
from hermes.cli import terminal
from hermes.cli.chat.blocks import Blocks
from hermes.cli.chat.lines import arguments, tool_line
from hermes.cli.screen import safe
from hermes.cli.width import cut
from hermes.config.areas.interface import Display
from hermes.providers.base import ReasoningDelta, Retrying, TextDelta, ToolCallDelta

_TAIL = 8  # lines of the part under way that are shown
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
DIM, BAD, WARN, END = "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[0m"


class Drawing:
    """One turn. `above` prints lines that stay; `live` is what stands under them at this moment."""

    def __init__(self, display: Display, above: Callable[[str], None]) -> None:
        self._display = display
        self._above = above
        self._answer = Blocks()
        self._held: list[str] = []  # blocks that are complete and not shown yet
        self._thought = Blocks()
        self._tools: dict[str, tuple[ToolStarted, float]] = {}
        self._waits = "thinking"
        self._began = time.monotonic()
        self._last_tool = ""
        self._blank = False  # whether the next block is kept apart from the one before

    # -- what is under way

    def live(self) -> list[str]:
        """The lines that move."""
        columns = terminal.size()[0] - 1
        now = time.monotonic()
        if self._tools:
            return [
                cut(f"{self._spin(now)} {one.name} {arguments(one.arguments)}", columns - 8) + f"  {now - began:.0f}s"
                for one, began in self._tools.values()
            ]
        if self._display.streaming and self._answer.tail.strip():
            lines = [piece for line in safe(self._answer.tail).split("\n") for piece in _wrapped(line, columns)]
            return lines[-_TAIL:]
        return [f"{self._spin(now)} {self._waits} {now - self._began:.0f}s"]

    @staticmethod
    def _spin(now: float) -> str:
        return _SPINNER[int(now * 8) % len(_SPINNER)]

    # -- events

    def show(self, event: Any) -> None:
        if isinstance(event, TextDelta):
            self._end_thought()
            self._held += self._answer.add(event.text)
            if self._display.streaming:
                self._release()
        elif isinstance(event, ReasoningDelta):
            self._think(event.text)
        elif isinstance(event, ToolStarted):
            self._finish()
            self._tools[event.call_id] = (event, time.monotonic())
        elif isinstance(event, ToolEnded):
            self._tool_ended(event)
        elif isinstance(event, ToolCallDelta):
            self._waits = f"calling {event.name}" if event.name else self._waits
        else:
            self._tell(event)

    def _tell(self, event: Any) -> None:
        if isinstance(event, StartedOver):
            self._answer, self._held = Blocks(), []
            self._note(f"the answer broke off and starts over: {event.reason}")
        elif isinstance(event, Retrying):
            self._waits = f"{safe(event.reason)} Trying again"
        elif isinstance(event, Notice):
            self._note(event.text)
        elif isinstance(event, Steered):
            self._note(f"read: {event.text}")
        elif isinstance(event, Titled):
            self._note(f"titled: {event.title}")
        elif isinstance(event, Compressed):
            told = f"{event.tokens_before:,} → {event.tokens_after:,} tokens; goes on in {event.session_id}"
            self._note(f"compressed: {told}")
        elif isinstance(event, TurnEnded):
            self._end(event)

    def _end(self, event: TurnEnded) -> None:
        self._finish()
        if event.reason == "interrupted":
            self._note("stopped; what was said is kept")
        if event.error is not None:
            self._above(f"{BAD}{safe(str(event.error))}{END}")

    def _finish(self) -> None:
        """Whatever is still open stands for good."""
        self._end_thought()
        self._held += self._answer.end()
        self._release()
        self._waits, self._began = "thinking", time.monotonic()

    # -- parts

    def _release(self) -> None:
        """Show the blocks that are complete."""
        blocks, self._held = self._held, []
        if not blocks:
            return
        from hermes.cli.chat.markdown import rendered

        for block in blocks:
            shown = rendered(block, self._display.final_response_markdown)
            self._above(("\n" if self._blank else "") + shown)
            self._blank = not self._display.compact

    def _think(self, text: str) -> None:
        self._waits = "thinking"
        if self._display.show_reasoning:
            for block in self._thought.add(text):
                self._above(_dim(block))

    def _end_thought(self) -> None:
        for block in self._thought.end():
            self._above(_dim(block))

    def _tool_ended(self, event: ToolEnded) -> None:
        self._tools.pop(event.call_id, None)
        how = self._display.tool_progress
        repeated = how == "new" and event.name == self._last_tool
        self._last_tool = event.name
        if how == "off" or (repeated and event.result.ok):
            return
        line = tool_line(event, terminal.size()[0] - 1, most=self._display.tool_preview_length)
        self._above(f"{DIM if event.result.ok else WARN}{safe(line)}{END}")
        if event.name == "todo" and event.result.ok:
            *listed, _ = str(event.result.content).split("\n")
            for one in listed:
                self._above(_dim(f"  {one}"))
        elif how == "verbose":
            self._above(_dim(str(event.result.content)[:2000]))

    def _note(self, text: str) -> None:
        self._above(f"{DIM}· {safe(text)}{END}")


def _wrapped(line: str, columns: int) -> list[str]:
    from hermes.cli.width import pieces

    return list(pieces(line, columns)) if line else [""]


def _dim(text: str) -> str:
    return "\n".join(f"{DIM}{line}{END}" for line in safe(text).splitlines())
