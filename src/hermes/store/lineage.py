"""Lineage: a conversation goes on through compressions, branches off, and is found again at its tip."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from hermes.errors import AlreadyContinued, BadInput, MessageNotFound, SessionNotFound
from hermes.model.ids import check_id, sought_id
from hermes.model.titles import sanitize_title
from hermes.store.base import Reader, Row, Writer
from hermes.store.checks import whole, whole_list
from hermes.store.encode import EncodedMessage, encode
from hermes.store.operations import Operations, public
from hermes.store.sessions import prompt_form
from hermes.store.titles import free_title, next_free_title

_CONTINUED = ("source", "user_id", "model", "model_config", "owner", "chat_id", "chat_type", "thread_id")


class LineageOperations(Operations):
    def split_session(
        self,
        session_id: str,
        new_session_id: str,
        messages: Iterable[Mapping[str, Any] | int] = (),
        *,
        carried: Sequence[int] = (),
        system_prompt: str | None = None,
    ) -> str:
        """The compression split, in one transaction: end `session_id` with reason `compression` and go on in
        `new_session_id`, which keeps owner, source, chat, model and prompt and takes the next numbered title.

        `messages` (a summary, say) come first in the continuation, then the messages whose ids are in `carried`. An
        id among `messages` carries that message to its place. What is carried is counted once, found once, deleted
        with the original. Raises AlreadyContinued when somebody else split it first.
        """
        session_id, new_session_id = sought_id(session_id), check_id(new_session_id)
        if not isinstance(messages, Iterable):
            raise BadInput("messages must be a list of messages, or of ids of messages to carry along.")
        given = [*messages, *whole_list("carried", carried)]
        now = self._now()
        fresh = iter(self._rows(one for one in given if not isinstance(one, int)))
        content = [whole("carried", one) if isinstance(one, int) else next(fresh) for one in given]

        def split(writer: Writer) -> str:
            old = _existing(writer, session_id)
            tip = writer.continuation(session_id)
            if tip is not None:
                raise AlreadyContinued(session_id, tip)
            ended = {"ended_at": max(now, old["started_at"]), "end_reason": "compression"}
            writer.update_session(session_id, ended)
            self._go_on(writer, old, new_session_id, ended["ended_at"], system_prompt)
            if old["title"]:
                title = next_free_title(writer, old["title"], old["owner"])
                writer.update_session(new_session_id, {"title": title})
            _fill(writer, old, new_session_id, content)
            return new_session_id

        return self._write(split)

    def branch_session(
        self, session_id: str, new_session_id: str, *, through: int | None = None, title: str | None = None
    ) -> str:
        """Start another conversation from this one: its messages (up to id `through`) are copied, this
        session ends with reason `branched`. The branch is a conversation of its own in every list."""
        session_id, new_session_id = sought_id(session_id), check_id(new_session_id)
        through = None if through is None else whole("through", through)
        name = sanitize_title(title)
        now = self._now()

        def branch(writer: Writer) -> str:
            old = _existing(writer, session_id)
            messages = writer.messages(session_id)
            if through is not None:
                if all(row["id"] != through for row in messages):
                    raise MessageNotFound(session_id, through)
                messages = [row for row in messages if row["id"] <= through]
            if old["ended_at"] is None:
                writer.update_session(session_id, {"ended_at": max(now, old["started_at"]), "end_reason": "branched"})
            self._go_on(writer, old, new_session_id, max(now, old["started_at"]), None, branch=True)
            wanted = name or old["title"]
            if wanted:
                free = free_title(writer, wanted, old["owner"], new_session_id)
                writer.update_session(new_session_id, {"title": free})
            writer.insert_messages(new_session_id, [encode(row, now) for row in messages])
            return new_session_id

        return self._write(branch)

    @staticmethod
    def _go_on(
        writer: Writer, old: Row, new_id: str, started_at: float, system_prompt: str | None, *, branch: bool = False
    ) -> None:
        prompt, payload = prompt_form(system_prompt if system_prompt is not None else old["system_prompt"])
        row = {name: old[name] for name in _CONTINUED}
        row |= {"id": new_id, "parent_session_id": old["id"], "started_at": started_at, "system_prompt": prompt}
        if not writer.insert_session(row, payload, branch=branch):
            raise BadInput(f"Session id '{new_id}' cannot be used; choose another one.")

    def get_compression_tip(self, session_id: str) -> str | None:
        """The newest continuation of this session, through any number of compressions; itself without
        one. An unknown id comes back as it is."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            return _to_tip(reader, session_id)[-1]

    def resolve_resume_session_id(self, session_id: str) -> str:
        """The session to resume for this id: its tip, or the newest part before it that has a transcript, or
        from an emptied parent the descendant that has it. An unknown id comes back as it is."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            parts = _to_tip(reader, session_id)
            for part in reversed(parts):
                if reader.has_messages(part):
                    return part
            descendants = (str(row["id"]) for row in _descendants(reader, session_id))
            return next(filter(reader.has_messages, descendants), parts[-1])

    def get_ancestors(self, session_id: str) -> list[Row]:
        """This session and its parents up to the root, nearest first."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            return [public(row) for row in ancestors(reader, session_id)]

    def get_descendants(self, session_id: str) -> list[Row]:
        """This session and everything that grew from it, breadth first."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            return [public(row) for row in _descendants(reader, session_id)]

    def get_lineage(self, session_id: str) -> list[Row]:
        """The parts of the conversation this session belongs to, oldest first."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            row = reader.session(session_id)
            return [public(part) for part in reader.parts(row["lineage_id"])] if row else []


def _existing(writer: Writer, session_id: str) -> Row:
    row = writer.session(session_id)
    if row is None:
        raise SessionNotFound(session_id)
    return row


def _fill(writer: Writer, old: Row, new_id: str, content: Sequence[EncodedMessage | int]) -> None:
    """New messages and carried ones (their ids), in this order."""
    carried = {one for one in content if isinstance(one, int)}
    missing = carried and carried - {row["id"] for row in writer.messages(old["id"])}
    if missing:
        raise MessageNotFound(old["id"], min(missing))
    for is_id, group in groupby(content, lambda one: isinstance(one, int)):
        if is_id:
            writer.carry_messages(new_id, [one for one in group if isinstance(one, int)])
        else:
            writer.insert_messages(new_id, [one for one in group if not isinstance(one, int)])


def _to_tip(reader: Reader, session_id: str) -> list[str]:
    """This session and its continuations, the newest last."""
    parts = [session_id]
    while (following := reader.continuation(parts[-1])) is not None and following not in parts:
        parts.append(following)
    return parts


def ancestors(reader: Reader, session_id: str) -> list[Row]:
    """This session and its parents up to the root, nearest first; a cycle ends where it closes."""
    found: dict[str, Row] = {}
    current: str | None = session_id
    while current is not None and current not in found:
        row = reader.session(current)
        if row is None:
            break
        found[current] = row
        current = row["parent_session_id"]
    return list(found.values())


def _descendants(reader: Reader, session_id: str) -> list[Row]:
    root = reader.session(session_id)
    found = [root] if root else []
    seen = {session_id}
    for row in found:  # grows while we walk it
        fresh = [child for child in reader.children(row["id"]) if child["id"] not in seen]
        seen.update(child["id"] for child in fresh)
        found.extend(fresh)
    return found
