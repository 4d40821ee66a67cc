"""Sessions: create, end, reopen, get, resolve."""

import json
from typing import Any

from hermes.errors import BadInput, SessionNotFound
from hermes.model.ids import MAX_ID_LENGTH, check_id, sought_id
from hermes.model.owners import check_owner, may_see, owner_of
from hermes.model.sources import check_source
from hermes.model.text import is_storable
from hermes.store.base import Row, Writer
from hermes.store.checks import required, seconds, text, whole
from hermes.store.encode import PROMPT_THRESHOLD, Payload
from hermes.store.operations import Operations, public


class SessionOperations(Operations):
    def create_session(
        self,
        session_id: str,
        source: str,
        *,
        model: str | None = None,
        model_config: dict[str, Any] | None = None,
        system_prompt: str | None = None,
        user_id: str | None = None,
        parent_session_id: str | None = None,
        owner: str | None = None,
        chat_id: str | None = None,
        chat_type: str | None = None,
        thread_id: str | None = None,
        started_at: float | None = None,
    ) -> str:
        """Create a session and return its id; a second create of the same id changes nothing.

        Without an owner and a user, a child belongs to its parent's owner. Raises SessionNotFound when the
        parent does not exist, BadInput for a missing source.
        """
        row, prompt = self._session_row(
            check_id(session_id), check_source(source), model, model_config, system_prompt, user_id, owner, started_at
        )
        row |= {
            name: text(name, value)
            for name, value in (("chat_id", chat_id), ("chat_type", chat_type), ("thread_id", thread_id))
        }
        row["parent_session_id"] = None if parent_session_id is None else sought_id(parent_session_id)
        self._write(lambda writer: self._insert(writer, row, prompt))
        return session_id

    def _insert(self, writer: Writer, row: Row, prompt: Payload | None) -> None:
        known = writer.session(row["id"])
        if known is not None:
            return
        parent = row["parent_session_id"]
        owner = owner_of(row["source"], row["user_id"])
        if parent is not None:
            found = self._existing(writer, parent)
            owner = owner if row["user_id"] else found["owner"]
        row["owner"] = row["owner"] or owner
        if not writer.insert_session(row, prompt):
            # Taken, by somebody this scope must not hear of.
            raise BadInput(f"Session id '{row['id']}' cannot be used; choose another one.")

    def _session_row(
        self,
        session_id: str,
        source: str,
        model: str | None,
        model_config: dict[str, Any] | None,
        system_prompt: str | None,
        user_id: str | None,
        owner: str | None,
        started_at: float | None,
    ) -> tuple[Row, Payload | None]:
        user_id = text("user_id", user_id)
        if owner is None:
            owner = self._own_name()
        elif not may_see(self.scope, check_owner(owner)):
            raise BadInput("A session can only be created for its own owner.")
        prompt, payload = prompt_form(system_prompt)
        row = {
            "id": session_id,
            "source": source,
            "user_id": user_id,
            "model": text("model", model),
            "model_config": config_form(model_config),
            "system_prompt": prompt,
            "started_at": self._now() if started_at is None else seconds("started_at", started_at),
            "owner": owner,
        }
        return row, payload

    def _own_name(self) -> str | None:
        """The owner new sessions of this scope get: the one it was made for."""
        return None

    def ensure_session(self, session_id: str, source: str = "unknown", model: str | None = None, **details: Any) -> str:
        """Create the session unless it is there; takes the same details as `create_session`."""
        return self.create_session(session_id, source, model=model, **details)

    def end_session(self, session_id: str, end_reason: str) -> None:
        """Mark as ended. The first reason stays until `reopen_session`; a missing session is an error."""
        session_id, reason = sought_id(session_id), required("end_reason", end_reason)
        now = self._now()

        def end(writer: Writer) -> None:
            row = self._existing(writer, session_id)
            if row["ended_at"] is None:
                writer.update_session(session_id, {"ended_at": max(now, row["started_at"]), "end_reason": reason})

        self._write(end)

    def reopen_session(self, session_id: str) -> None:
        """Clear the end, so that the session goes on."""
        session_id = sought_id(session_id)

        def reopen(writer: Writer) -> None:
            self._existing(writer, session_id)
            writer.update_session(session_id, {"ended_at": None, "end_reason": None})

        self._write(reopen)

    @staticmethod
    def _existing(writer: Writer, session_id: str) -> Row:
        row = writer.session(session_id)
        if row is None:
            raise SessionNotFound(session_id)
        return row

    def get_session(self, session_id: str) -> Row | None:
        """Every documented column as a dict (model_config as JSON text), or None."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            row = reader.session(session_id)
        return row and public(row)

    def resolve_session_id(self, session_id_or_prefix: str) -> str | None:
        """The full id for an id or a prefix that only one session has; None for none or several."""
        matches = self.matching_session_ids(session_id_or_prefix, limit=2)
        return matches[0] if len(matches) == 1 else None

    def matching_session_ids(self, prefix: str, limit: int = 20) -> list[str]:
        """The session with exactly this id, or every session whose id begins so, newest first."""
        limit = whole("limit", limit, least=0)
        if not isinstance(prefix, str) or not prefix or len(prefix) > MAX_ID_LENGTH or not is_storable(prefix):
            return []
        with self._read() as reader:
            if reader.session(prefix) is not None:
                return [prefix]
            return reader.session_ids(prefix, limit)

    def update_system_prompt(self, session_id: str, system_prompt: str | None) -> None:
        """Replace the prompt snapshot."""
        session_id = sought_id(session_id)
        prompt, payload = prompt_form(system_prompt)

        def update(writer: Writer) -> None:
            self._existing(writer, session_id)
            writer.set_prompt(session_id, prompt, payload)

        self._write(update)

    def update_model(self, session_id: str, model: str | None, model_config: dict[str, Any] | None = None) -> None:
        """The model this session goes on with."""
        session_id = sought_id(session_id)
        changes = {"model": text("model", model)}
        if model_config is not None:
            changes["model_config"] = config_form(model_config)

        def update(writer: Writer) -> None:
            self._existing(writer, session_id)
            writer.update_session(session_id, changes)

        self._write(update)

    def session_count(self, source: str | None = None) -> int:
        """How many sessions there are, of one source or of all."""
        source = text("source", source)
        with self._read() as reader:
            return reader.count_sessions(source)

    def link_identity(self, owner: str, person: str | None) -> None:
        """Say that an owner is a person, so that their scopes cover all of that person's sessions. The operator's
        alone to say."""
        self._operator_only()
        check_owner(owner)
        name = text("person", person)
        self._write(lambda writer: writer.link_owner(owner, name))

    # -- key/value

    def get_meta(self, key: str) -> str | None:
        """A value the operator stored; the key/value table is theirs, so in another scope there is none."""
        key = required("key", key)
        if self.scope is not None:
            return None
        with self._read() as reader:
            return reader.meta(key)

    def meta_keys(self, prefix: str) -> list[str]:
        """The keys that begin like this; in another scope than the operator's there are none."""
        prefix = required("prefix", prefix)
        if self.scope is not None:
            return []
        with self._read() as reader:
            return reader.meta_keys(prefix)

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a value under a key; None removes it. The operator's alone to do."""
        self._operator_only()
        if required("key", key) in RESERVED_META:
            raise BadInput(f"'{key}' is the store's own key; choose another one.")
        stored = text("value", value)
        self._write(lambda writer: writer.set_meta(key, stored))

    def _operator_only(self) -> None:
        if self.scope is not None:
            raise BadInput("Only the operator can do this; use the store itself, not a scope of it.")


RESERVED_META = frozenset({"store_id", "indexed_through", "index_version"})


def config_form(config: dict[str, Any] | None) -> str | None:
    if config is None:
        return None
    if not isinstance(config, dict):
        raise BadInput(f"model_config must be a dict, not {type(config).__name__}.")
    try:
        return json.dumps(config)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"model_config cannot be written as JSON: {error}.") from None


def prompt_form(prompt: str | None) -> tuple[str | None, Payload | None]:
    """Short prompts stay plain in their row; long ones are stored once per distinct text."""
    if prompt is None:
        return None, None
    if not isinstance(prompt, str):
        raise BadInput(f"system_prompt must be text, not {type(prompt).__name__}.")
    if len(prompt) < PROMPT_THRESHOLD and is_storable(prompt):
        return prompt, None
    return None, Payload.of(prompt)
