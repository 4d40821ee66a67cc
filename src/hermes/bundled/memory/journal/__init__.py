"""A journal: one Markdown file a month, a line for each conversation. A new conversation begins with the last days."""

import time
from pathlib import Path

from hermes.memory.base import MemoryProvider
from hermes.model.fences import fenced
from hermes.model.text import clip

DAYS, MOST_LINES = 7, 30


class Journal(MemoryProvider):
    name = "journal"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._first: dict[str, str] = {}  # what each conversation began with

    def prompt(self) -> str:
        lines = [line for file in sorted(self._folder.glob("*.md"))[-2:] for line in file.read_text().splitlines()]
        since = time.strftime("- %Y-%m-%d", time.localtime(time.time() - DAYS * 86_400))
        recent = [line for line in lines if line.startswith("- ") and line >= since][-MOST_LINES:]
        return fenced("journal", "\n".join(recent), about=f"conversations of the last {DAYS} days") if recent else ""

    def on_turn_start(self, session_id: str, text: str) -> str:
        self._first.setdefault(session_id, clip(text, 100, "…"))
        return ""

    def on_memory_write(self, action: str, target: str, content: str) -> None:
        if action != "remove":
            self._write(f"noted about {target}: {clip(content, 100, '…')}")

    def on_session_end(self, session_id: str) -> None:
        said = self._first.pop(session_id, "")
        if said:
            self._write(f"{said} ({session_id})")

    def _write(self, line: str) -> None:
        file = self._folder / time.strftime("%Y-%m.md")
        with file.open("a", encoding="utf-8") as out:
            out.write(f"- {time.strftime('%Y-%m-%d %H:%M')} {line}\n")
        file.chmod(0o600)


def register(ctx):
    ctx.register_memory_provider(lambda: Journal(ctx.folder))
