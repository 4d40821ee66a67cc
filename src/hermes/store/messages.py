"""Messages: append, read, replace, clear, delete from a point on."""

from collections.abc import Iterable, Mapping
from typing import Any

from hermes.errors import MessageNotFound, SessionNotFound
from hermes.model.ids import sought_id
from hermes.store.base import Row, Writer
from hermes.store.checks import whole
from hermes.store.conversation import join_chain, to_conversation
from hermes.store.lineage import ancestors
from hermes.store.operations import Operations


class MessageOperations(Operations):
    def append_message(
        self,
        session_id: str,
        role: str,
        content: Any = None,
        tool_name: str | None = None,
        tool_calls: Any = None,
        tool_call_id: str | None = None,
        token_count: int | None = None,
        finish_reason: str | None = None,
        reasoning: str | None = None,
        reasoning_content: str | None = None,
        reasoning_details: Any = None,
        codex_reasoning_items: Any = None,
        codex_message_items: Any = None,
        *,
        timestamp: float | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Store a message; it is on disk when its row id comes back.

        Content is text, or a list or dict (multimodal) that comes back equal. The same idempotency key
        again returns the row it made; with other content it raises KeyReused. A missing session is
        SessionNotFound, whatever cannot be stored BadInput; then nothing changed.
        """
        message = {
            "role": role,
            "content": content,
            "tool_name": tool_name,
            "tool_calls": tool_calls,
            "tool_call_id": tool_call_id,
            "token_count": token_count,
            "finish_reason": finish_reason,
            "reasoning": reasoning,
            "reasoning_content": reasoning_content,
            "reasoning_details": reasoning_details,
            "codex_reasoning_items": codex_reasoning_items,
            "codex_message_items": codex_message_items,
            "timestamp": timestamp,
            "idempotency_key": idempotency_key,
        }
        session_id = sought_id(session_id)
        [row] = self._rows([message])
        return self._write(lambda writer: writer.insert_messages(session_id, [row]))[0]

    def append_messages(self, session_id: str, messages: Iterable[Mapping[str, Any]]) -> list[int]:
        """Store several messages, all or none; dicts with the arguments of `append_message` as keys."""
        session_id = sought_id(session_id)
        rows = self._rows(messages)
        return self._write(lambda writer: writer.insert_messages(session_id, rows))

    def replace_messages(self, session_id: str, messages: Iterable[Mapping[str, Any]]) -> None:
        """These messages instead of the present ones, in one step."""
        session_id = sought_id(session_id)
        rows = self._rows(messages)

        def replace(writer: Writer) -> None:
            if writer.session(session_id) is None:
                raise SessionNotFound(session_id)
            writer.delete_messages(session_id)
            writer.insert_messages(session_id, rows)

        self._write(replace)

    def clear_messages(self, session_id: str) -> None:
        """Delete every message, keep the session; its counts become zero."""
        session_id = sought_id(session_id)

        def clear(writer: Writer) -> None:
            if writer.session(session_id) is None:
                raise SessionNotFound(session_id)
            writer.delete_messages(session_id)

        self._write(clear)

    def delete_messages_from(self, session_id: str, message_id: int) -> int:
        """Delete this message and all after it in the session; returns how many went."""
        session_id, message_id = sought_id(session_id), whole("message_id", message_id)

        def delete(writer: Writer) -> int:
            if writer.session(session_id) is None:
                raise SessionNotFound(session_id)
            found = writer.messages(session_id, after=message_id - 1, limit=1)
            if not found or found[0]["id"] != message_id:
                raise MessageNotFound(session_id, message_id)
            return writer.delete_messages(session_id, message_id)

        return self._write(delete)

    def get_messages(
        self,
        session_id: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Row]:
        """Every column, in the order they were said; content and tool_calls decoded. A session that
        does not exist has none. `after`, `before` and `limit` page through a long one by message id; `newest` takes
        the last ones within those bounds instead of the first."""
        session_id, after = sought_id(session_id), whole("after", after)
        before = None if before is None else whole("before", before)
        limit = None if limit is None else whole("limit", limit, least=0)
        with self._read() as reader:
            return reader.messages(session_id, after=after, before=before, limit=limit, newest=bool(newest))

    def get_messages_as_conversation(self, session_id: str, include_ancestors: bool = False) -> list[dict[str, Any]]:
        """The OpenAI chat form. With ancestors, the chain from its root to this session, without what
        was carried along or replayed by a resume."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            if not include_ancestors:
                return to_conversation(reader.messages(session_id))
            chain: list[list[Row]] = []
            for session in ancestors(reader, session_id):
                chain.insert(0, reader.messages(session["id"]))
            return to_conversation(join_chain(chain))

    def message_count(self, session_id: str | None = None) -> int:
        """How many messages a session has, or all of them together."""
        session_id = None if session_id is None else sought_id(session_id)
        with self._read() as reader:
            return reader.count_messages(session_id)
