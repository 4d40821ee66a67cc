"""todo: the list of what is to be done, for the model and for the person who watches.

The list lives in the conversation itself: the newest answer of this tool is the list. So it is there after a resume
and after a compression, it goes when the session goes, and nothing else has to keep it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hermes.agent.conversation import Conversation
from hermes.agent.own_tools.told import STATUSES
from hermes.agent.setup import Setup
from hermes.errors import ToolError
from hermes.tools.registry import Handler
from hermes.tools.work import Work

MARKS = dict(zip(STATUSES, (" ", ">", "x", "-"), strict=True))
_STATUS = {mark: status for status, mark in MARKS.items()}
_LINE = re.compile(r"\[([ >x-])\] (\S+): (.+)")
EMPTY = "The list is empty."
_MOST = 100
_LONGEST = 500


class Item(NamedTuple):
    id: str
    content: str
    status: str = "pending"


def make(setup: Setup, conversation: Conversation) -> Handler:
    return Todo(conversation).answer


class Todo:
    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._items: list[Item] | None = None  # None: to be looked up in what was said

    def answer(self, arguments: dict[str, Any], work: Work) -> str:
        items = self._known()
        given = arguments.get("todos")
        if given is not None:
            items = _changed(items if arguments.get("merge") else [], given)
            self._items = items
        return written(items)

    def _known(self) -> list[Item]:
        if self._items is None:
            self._items = list_in(self._answers())
        return self._items

    def _answers(self) -> Iterable[str]:
        """What this tool answered in this conversation, the newest first."""
        db, session_id = self._conversation.db, self._conversation.session_id
        for part in reversed(db.get_lineage(session_id)):
            for row in reversed(db.get_messages(part["id"])):
                if row["role"] == "tool" and row["tool_name"] == "todo" and isinstance(row["content"], str):
                    yield row["content"]


def list_in(answers: Iterable[str]) -> list[Item]:
    """The list as the newest answer that holds one has it."""
    for answer in answers:
        if answer == EMPTY:
            return []
        found = [Item(match[2], match[3], _STATUS[match[1]]) for match in _LINE.finditer(answer)]
        if found:
            return found
    return []


def written(items: Sequence[Item]) -> str:
    """`[x] 1: Read the page`, a line each, and how far it is."""
    if not items:
        return EMPTY
    done = sum(item.status == "completed" for item in items)
    lines = [f"[{MARKS[item.status]}] {item.id}: {item.content}" for item in items]
    return "\n".join([*lines, f"{done} of {len(items)} done"])


def _changed(items: Sequence[Item], given: Sequence[Any]) -> list[Item]:
    known = {item.id: item for item in items}
    for place, one in enumerate(given):
        if not isinstance(one, dict):
            raise ToolError("Each item of todos is an object with id, content and status.")
        item = _item(one, known, place)
        known[item.id] = item
    if len(known) > _MOST:
        raise ToolError(f"A list of more than {_MOST} items helps nobody; join some of them.")
    return list(known.values())


def _item(one: dict[str, Any], known: dict[str, Item], place: int) -> Item:
    name = re.sub(r"\s+", "-", str(one.get("id") or place + 1).strip())[:40]
    before = known.get(name, Item(name, ""))
    content = " ".join(str(one.get("content") or before.content).split())[:_LONGEST]
    status = str(one.get("status") or before.status)
    if not content:
        raise ToolError(f"Item {name} needs a content.")
    if status not in MARKS:
        raise ToolError(f"The status of an item is one of {', '.join(MARKS)}, not '{status[:40]}'.")
    return Item(name, content, status)
