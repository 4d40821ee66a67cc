"""Handoff: moving a live conversation to another platform (pending → running → completed or failed)."""

from hermes.errors import SessionNotFound
from hermes.model.ids import sought_id
from hermes.store.base import Row, Writer
from hermes.store.checks import required, text
from hermes.store.operations import Operations, public


class HandoffOperations(Operations):
    def request_handoff(self, session_id: str, platform: str) -> bool:
        """Ask for it. False when one is already under way, or there is no such session."""
        session_id, target = sought_id(session_id), required("platform", platform)

        def request(writer: Writer) -> bool:
            session = writer.session(session_id)
            if session is None or session["handoff_state"] in ("pending", "running"):
                return False
            return writer.update_session(
                session_id, {"handoff_state": "pending", "handoff_platform": target, "handoff_error": None}
            )

        return self._write(request)

    def get_handoff_state(self, session_id: str) -> Row | None:
        """`state`, `platform` and `error`; None when no handoff was ever asked for."""
        session_id = sought_id(session_id)
        with self._read() as reader:
            session = reader.session(session_id)
        if session is None or session["handoff_state"] is None:
            return None
        return {name: session[f"handoff_{name}"] for name in ("state", "platform", "error")}

    def list_pending_handoffs(self) -> list[Row]:
        """Sessions that wait to be taken over, oldest first."""
        with self._read() as reader:
            return [public(row) for row in reader.pending_handoffs()]

    def claim_handoff(self, session_id: str) -> bool:
        """Take it over: pending → running. Exactly one of several claimers gets True."""
        session_id = sought_id(session_id)

        def claim(writer: Writer) -> bool:
            session = writer.session(session_id)
            if session is None or session["handoff_state"] != "pending":
                return False
            return writer.update_session(session_id, {"handoff_state": "running"})

        return self._write(claim)

    def complete_handoff(self, session_id: str) -> None:
        self._finish(session_id, "completed", None)

    def fail_handoff(self, session_id: str, error: str) -> None:
        self._finish(session_id, "failed", text("error", error))

    def _finish(self, session_id: str, state: str, error: str | None) -> None:
        session_id = sought_id(session_id)

        def finish(writer: Writer) -> None:
            if not writer.update_session(session_id, {"handoff_state": state, "handoff_error": error}):
                raise SessionNotFound(session_id)

        self._write(finish)
