"""What the keys do with the highlighted conversation. Each is one command; its reply becomes the status line."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import work

from hermes.cli.browse.dialogs import Choice, Page, Prompt
from hermes.cli.browse.help import HELP
from hermes.cli.browse.paint import painted
from hermes.cli.screen import safe
from hermes.commands import care, lists
from hermes.commands.reply import Reply, Text, count
from hermes.commands.transcript import lineage
from hermes.commands.transfer import What, export
from hermes.errors import HermesError
from hermes.model.times import moment
from hermes.store.base import Row

if TYPE_CHECKING:
    from hermes.cli.browse.screen import BrowseScreen

    Base = BrowseScreen
else:
    Base = object

_ALL = "*"  # no platform has this name


class Actions(Base):
    async def ask(self, handler: Callable[..., Reply], *arguments: Any, **options: Any) -> Reply | None:
        """Run a command in a thread. What it refuses is told, and its reply is None."""
        try:
            return await asyncio.to_thread(handler, self.db, *arguments, **options)
        except (HermesError, OSError) as error:
            self.refuse(error)
            return None

    async def perform(self, handler: Callable[..., Reply], *arguments: Any, **options: Any) -> Reply | None:
        """Run a command, tell what it said, and show the list as it is now."""
        reply = await self.ask(handler, *arguments, **options)
        if reply is not None:
            self.tell(told(reply))
            self.look_again()
        return reply

    @work
    async def action_rename(self) -> None:
        row = await self.chosen()
        if row is None:
            return
        title = await self.app.push_screen_wait(Prompt("Rename", row["title"] or "", "Empty takes the title away."))
        if title is not None:
            await self.perform(care.rename, row["id"], title)

    @work
    async def action_tag(self) -> None:
        row = await self.chosen()
        reply = None if row is None else await self.ask(care.tag, row["id"])
        if row is None or reply is None:
            return
        tags = reply.data["tags"]
        typed = await self.app.push_screen_wait(Prompt("Tags", " ".join(tags), "Words with spaces between."))
        if typed is not None:
            wanted = typed.lower().split()
            await self.perform(care.tag, row["id"], wanted, [tag for tag in tags if tag not in wanted])

    @work
    async def action_pin(self) -> None:
        row = await self.chosen()
        if row is not None:
            await self.perform(care.unpin if row["pinned"] else care.pin, row["id"])

    @work
    async def action_archive(self) -> None:
        row = await self.chosen()
        if row is not None:
            change, back = (care.unarchive, care.archive) if row["archived_at"] else (care.archive, care.unarchive)
            await self._undoable(change, back, row)

    @work
    async def action_delete(self) -> None:
        row = await self.chosen()
        if row is not None:
            await self._undoable(care.delete, care.restore, row, yes=True)

    async def _undoable(
        self, change: Callable[..., Reply], back: Callable[..., Reply], row: Row, **options: Any
    ) -> None:
        reply = await self.perform(change, row["id"], **options)
        if reply is not None:
            self.undo.append((back, row["id"]))
            self.tell(f"{told(reply, lines=1)} u brings it back.")

    @work
    async def action_undo(self) -> None:
        if not self.undo:
            self.tell("There is nothing to undo.")
            return
        back, session_id = self.undo.pop()
        await self.perform(back, session_id)

    @work
    async def action_export(self) -> None:
        row = await self.chosen()
        if row is None:
            return
        hint = "The name decides: .md .html .json .jsonl. Secrets are masked."
        name = await self.app.push_screen_wait(Prompt("Export to", f"{row['id']}.md", hint))
        if name:
            await self.perform(export, Path(name).expanduser(), What(session=row["id"], lineage=True))

    @work
    async def action_source(self) -> None:
        reply = await self.ask(lists.stats)
        if reply is None:
            return
        sources = reply.data["sources"].items()
        choices = [
            (_ALL, "all sources"),
            *((one, f"{safe(one)}: {count(number, 'session')}") for one, number in sources),
        ]
        chosen = await self.app.push_screen_wait(Choice("Source", choices, self.view.source or _ALL))
        if chosen is not None:
            self.look_again(source=None if chosen == _ALL else chosen)

    @work
    async def action_when(self) -> None:
        present = f"{self.view.after or ''}{f'..{self.view.before}' if self.view.before else ''}"
        hint = "From: 7d, yesterday, 2026-03. From and before: 2026-01..2026-03. Empty: any time."
        typed = await self.app.push_screen_wait(Prompt("When", present, hint, period))
        if typed is not None:
            after, before = period(typed)
            self.look_again(after=after, before=before)

    def action_archived(self) -> None:
        self.look_again(archived=not self.view.archived)

    @work
    async def action_lineage(self) -> None:
        row = await self.chosen()
        reply = None if row is None else await self.ask(lineage, row["id"])
        if reply is not None:
            await self.app.push_screen_wait(Page("Lineage", painted(reply.parts)))

    def action_help(self) -> None:
        self.app.push_screen(Page("Keys", HELP))


def period(typed: str) -> tuple[str | None, str | None]:
    """`2026-01..2026-03` as the two times people type elsewhere; BadInput when one is none."""
    after, _, before = (part.strip() for part in typed.partition(".."))
    for one in (after, before):
        moment(one or None, 0.0)
    return after or None, before or None


def told(reply: Reply, lines: int | None = None) -> str:
    """What a reply says, on one line."""
    said = [line for part in reply.parts if isinstance(part, Text) for line in part.lines]
    plain = (line if isinstance(line, str) else "".join(span.text for span in line) for line in said[:lines])
    return " ".join([*plain, *reply.notices])
