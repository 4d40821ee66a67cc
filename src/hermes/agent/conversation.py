"""A session and its messages, in step with the store, whoever else writes to it."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hermes.agent.base import Entry, OnStored, SessionOptions
from hermes.errors import AlreadyContinued, SessionNotFound, StoreBusy, StoreIO
from hermes.model.ids import new_session_id
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.usage import Usage
from hermes.store.conversation import to_conversation, without_memory
from hermes.store.db import OpenStore, Store

LOST = "[interrupted: Hermes ended before this call was done, so its result is not known]"


class Conversation:
    """Made empty: the session is created with the first message. Or loaded: it goes on where its newest part ends."""

    def __init__(self, db: OpenStore, source: str, owner: str, options: SessionOptions = SessionOptions()) -> None:
        self.db = db
        self.source = source
        self.owner = owner
        self.options = options
        self.session_id = options.new_id or self._new_id()
        self.lineage_id = self.session_id
        self.created = False
        self.system_prompt: str | None = None
        self.model: str | None = None
        self.entries: list[Entry] = []
        self.queued_title: str | None = None
        self.on_stored: OnStored | None = None
        self._attached: dict[int, str] = {}  # by message: what it refers to, which is sent and never stored

    # -- reading

    def resume(self, session_id: str) -> None:
        """Go on with this session: its newest part, if it was compressed."""
        if self.db.get_session(session_id) is None:
            raise SessionNotFound(session_id)
        self.load(self.db.resolve_resume_session_id(session_id))

    def load(self, session_id: str | None = None) -> None:
        """Everything anew from the store, of this session or of another part."""
        session_id = session_id or self.session_id
        row = self.db.get_session(session_id)
        if row is None:
            raise SessionNotFound(session_id)
        self.session_id, self.lineage_id, self.created = session_id, row["lineage_id"], True
        self.system_prompt, self.source, self.owner = row["system_prompt"], row["source"], row["owner"]
        self.entries = as_entries(self.db.get_messages(session_id))

    def refresh(self) -> None:
        """Take in what others did to the session since: messages, a compression, an undo."""
        if not self.created:
            return None
        tip = self.db.get_compression_tip(self.session_id)
        if tip not in (None, self.session_id):
            return self.load(tip)
        known = self.entries[-1].id if self.entries else 0
        rows = self.db.get_messages(self.session_id, after=known - 1)
        if known and (not rows or rows[0]["id"] != known):
            return self.load()
        self.entries += as_entries(rows[1:] if known else rows)
        return None

    def messages(self) -> list[dict[str, Any]]:
        """The conversation as every provider accepts it: each call followed by its result."""
        return mended([entry.message for entry in self.entries])

    def with_attachments(self) -> list[Entry]:
        """The entries with what each refers to, as far as it was attached in this process."""
        return [
            entry._replace(message=with_text(entry.message, self._attached[entry.id]))
            if entry.id in self._attached
            else entry
            for entry in self.entries
        ]

    # -- writing

    def attach(self, text: str) -> None:
        """Send this with the newest message, now and in later turns. It goes when the conversation is compressed."""
        self._attached[self.entries[-1].id] = text

    def append(self, message: Mapping[str, Any], key: str, usage: Usage | None = None) -> None:
        """Store a message, and what the model call behind it used; on disk when this returns. The first one creates
        the session. A model that repeats what it was reminded of does not make it part of the conversation."""
        if message["role"] == "assistant":
            message = {**message, "content": without_memory(message.get("content"))}
        try:
            self._append(message, key, usage)
        except StoreBusy:
            if message["role"] == "user":
                raise  # who sent it has it still; what a model or a tool said is worth a second wait
            self._append(message, key, usage, again=True)
        except StoreIO:  # whether it is stored is not known; the key makes a second time harmless
            self._append(message, key, usage, again=True)

    def _append(self, message: Mapping[str, Any], key: str, usage: Usage | None, *, again: bool = False) -> None:
        def store(tx: Store) -> tuple[str, int, Callable[[], None] | None]:
            if not self.created:
                self._create(tx)
            tip = tx.get_compression_tip(self.session_id) or self.session_id
            present = {row["id"] for row in tx.get_messages(tip)} if again else ()
            [row_id] = tx.append_messages(tip, [{**message, "idempotency_key": key}])
            if usage is not None and not usage.is_empty() and row_id not in present:
                tx.record_usage(tip, usage)
            if self.on_stored is None or row_id in present:
                return tip, row_id, None
            return tip, row_id, self.on_stored(tx, tip, row_id, message)

        tip, row_id, afterwards = self.db.atomically(store)
        if afterwards is not None:
            afterwards()
        if not self.created:
            self.created = True
            self.queued_title = None
        if tip != self.session_id:
            return self.load(tip)  # somebody compressed it meanwhile; what was said so far is there too
        self.entries.append(Entry(row_id, {name: value for name, value in message.items() if value is not None}))
        return None

    def _new_id(self) -> str:
        return new_session_id(datetime.now(), digits=6 if self.source in LOCAL_SOURCES else 8)

    def _free_id(self, tx: Store) -> str:
        """Six digits are few when many sessions begin in one second."""
        return next(new_id for new_id in iter(self._new_id, None) if tx.get_session(new_id) is None)

    def _create(self, tx: Store) -> None:
        options = self.options
        if options.new_id is None and tx.get_session(self.session_id) is not None:
            self.session_id = self._free_id(tx)
        self.lineage_id = self.session_id
        tx.create_session(
            self.session_id,
            self.source,
            model=self.model,
            system_prompt=self.system_prompt,
            user_id=options.user_id,
            parent_session_id=options.parent_session_id,
            owner=self.owner,
            chat_id=options.chat_id,
            chat_type=options.chat_type,
            thread_id=options.thread_id,
        )
        if self.queued_title:
            tx.set_free_title(self.session_id, self.queued_title)

    def reopen(self) -> None:
        """A session that was ended goes on."""
        row = self.db.get_session(self.session_id) if self.created else None
        if row is not None and row["ended_at"] is not None:
            self.db.reopen_session(self.session_id)

    def repair(self, besides: Container[str] = ()) -> int:
        """Answer the calls that were left open, for good, `besides` those whose result is at hand; how many."""
        found = open_calls([entry.message for entry in self.entries])
        calls = [call for call in found if call[1] not in besides]
        for place, call_id, name in calls:
            message = {"role": "tool", "tool_call_id": call_id, "tool_name": name, "content": LOST}
            self.append(message, f"lost:{self.entries[place].id}:{call_id}")
        return len(calls)

    def split(self, content: Sequence[Mapping[str, Any] | int], seen: int) -> bool:
        """Go on in a continuation with this content, and with whatever was said after message `seen`. False:
        somebody else compressed it first, and we go on in theirs."""
        try:
            with self.db.transaction() as tx:
                new_id = self._free_id(tx)
                later = [row["id"] for row in tx.get_messages(self.session_id, after=seen)]
                tx.split_session(self.session_id, new_id, content, carried=later)
        except AlreadyContinued as other:
            self.load(self.db.get_compression_tip(other.tip))
            return False
        self.load(new_id)
        return True

    def end(self, reason: str) -> None:
        if self.created and self.entries:
            self.db.end_session(self.session_id, reason)

    # -- title

    @property
    def title(self) -> str | None:
        return self.db.get_session_title(self.session_id) if self.created else self.queued_title


def as_entries(rows: Iterable[dict[str, Any]]) -> list[Entry]:
    rows = list(rows)
    return [
        Entry(row["id"], message, row["carried_from"] is not None)
        for row, message in zip(rows, to_conversation(rows), strict=True)
    ]


def with_text(message: dict[str, Any], text: str) -> dict[str, Any]:
    """The message with a text behind its content."""
    content = message.get("content")
    if isinstance(content, list):
        return message | {"content": [*content, {"type": "text", "text": text}]}
    return message | {"content": f"{content or ''}\n\n{text}"}


def open_calls(messages: Sequence[Mapping[str, Any]]) -> list[tuple[int, str, str]]:
    """Calls without a result: (place of the message, id, name)."""
    answers = _answers(messages)
    return [
        (place, call["id"], _name(call))
        for place, message in enumerate(messages)
        for call in _calls(message)
        if (place, call["id"]) not in answers
    ]


def mended(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with every result right behind its call: writers that took turns, or a crash, leave them apart. A
    call without a result gets one that says so, a result without a call is left out."""
    answers = _answers(messages)
    ordered: list[dict[str, Any]] = []
    for place, message in enumerate(messages):
        if message["role"] != "tool":
            ordered.append(message)
            ordered += [answers.get((place, call["id"])) or _lost(call) for call in _calls(message)]
    return ordered


def _answers(messages: Sequence[Any]) -> dict[tuple[int, str], Any]:
    """The result of each call (place of its message, id), the newest where there are several. Small models use an id
    again and again: it means the latest call before the result."""
    latest: dict[str, int] = {}
    answers: dict[tuple[int, str], Any] = {}
    for place, message in enumerate(messages):
        latest |= {call["id"]: place for call in _calls(message)}
        call_id = message.get("tool_call_id") if message["role"] == "tool" else None
        if call_id in latest:
            answers[latest[call_id], call_id] = message
    return answers


def _lost(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "tool_name": _name(call), "content": LOST}


def _name(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    return str(function.get("name") or "") if isinstance(function, Mapping) else ""


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls") if message["role"] == "assistant" else None
    return [call for call in calls if isinstance(call, Mapping) and call.get("id")] if isinstance(calls, list) else []
