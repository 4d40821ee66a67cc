"""Puts a conversation's memory together: the notes, the provider the settings name, and the tool that writes notes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hermes.config import Settings
from hermes.errors import BadInput, NotFound, ToolError
from hermes.memory.base import TARGETS, MemoryProvider
from hermes.memory.manager import Manager
from hermes.memory.notes import Notes, Written, notes_of
from hermes.memory.sessions import Sessions
from hermes.store.db import OpenStore, SessionDB
from hermes.tools.registry import Tool, function, text
from hermes.tools.work import Work

Makers = Mapping[str, Callable[[], MemoryProvider]]
_RECENCY = 0.3  # between two that fit as well, the newer one


def memory_of(db: OpenStore, settings: Settings, *, owner: str = "local", others: Makers | None = None) -> Manager:
    """The memory of one person's conversation. `others`: providers that plugins brought, by name."""
    manager = Manager(notes_of(settings, owner))
    wanted = settings.memory.provider
    if wanted == "sessions":
        manager.add(Sessions(recalling(db, owner)))
    elif wanted and others and wanted in others:
        manager.add(others[wanted]())
    elif wanted:
        manager.warnings.append(f"There is no memory provider '{wanted}'; `hermes memory setup` shows them.")
    if manager.external is not None:
        for name in (one for one in others or () if one != wanted):
            manager.refuse_second(name)
    return manager


def recalling(db: OpenStore, owner: str) -> Callable[[str, int, str], Sequence[Mapping[str, Any]]]:
    """What this person said before, in other conversations than the one that asks."""
    mine = db.scoped(owner) if isinstance(db, SessionDB) else db

    def recall(question: str, limit: int, session_id: str) -> Sequence[Mapping[str, Any]]:
        asking = mine.get_session(session_id)
        here = [asking["lineage_id"]] if asking else []
        rows: list[dict[str, Any]] = mine.recall(question, limit, exclude_lineages=here, recency=_RECENCY)
        return rows

    return recall


def memory_tool(manager: Manager) -> Tool:
    """`memory`, for this conversation."""

    def memory(arguments: dict[str, Any], work: Work) -> str:
        try:
            written = _written(manager.notes, arguments)
        except (BadInput, NotFound) as error:
            raise ToolError(str(error)) from error
        action = arguments["action"]
        manager.on_memory_write(action, written)
        work.place.emit(
            "on_memory_write",
            action=action,
            target=written.target,
            content=written.content,
            session_id=work.context.session_id,
        )
        return _told(action, written)

    parameters = {
        "action": text("What to do", enum=["add", "replace", "remove"]),
        "target": text("memory: what you learnt; user: about the person", enum=list(TARGETS)),
        "content": text("The note, short and complete (add, replace)"),
        "old_text": text("Words that are in one entry alone (replace, remove)"),
    }
    schema = function("memory", _ABOUT, parameters, ("action", "target"))
    return Tool("memory", "memory", schema, memory, check=lambda place: _off(manager))


_ABOUT = (
    "Keep notes that every later conversation begins with. Save what the person prefers and corrects, and facts about "
    "their surroundings that will hold; not what is easy to find again. When it is full, merge or remove."
)


def _off(manager: Manager) -> str | None:
    return None if manager.notes.limits else "switched off: hermes config set memory.memory_enabled true"


def _written(notes: Notes, arguments: Mapping[str, Any]) -> Written:
    action, target = arguments["action"], arguments["target"]
    content, old_text = str(arguments.get("content") or ""), str(arguments.get("old_text") or "")
    if action == "add":
        return notes.add(target, content)
    if action == "replace":
        return notes.replace(target, old_text, content)
    return notes.remove(target, old_text)


def _told(action: str, written: Written) -> str:
    done = {"add": "Noted", "replace": "Changed", "remove": "Removed"}[action]
    entries = "\n".join(f"- {entry}" for entry in written.entries) or "(none)"
    return f"{done}. {written.target} has {written.used:,} of {written.limit:,} characters now:\n{entries}"
