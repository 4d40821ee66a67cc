"""A memory provider: what it is asked and what it is told. Everything but `name` can be left as it is.

initialize ─▶ prompt ─▶ on_turn_start … on_turn_start ─▶ on_session_end ─▶ close
                          │ on_pre_compress, on_memory_write, on_delegation whenever they happen

Calls come one at a time. One that raises or takes too long is logged and left out; after a few of them the provider is
not asked again in this conversation. The built-in notes are a provider like any other.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

TARGETS = ("memory", "user")


class About(NamedTuple):
    """What a conversation is, for `initialize`: its fields are the documented arguments."""

    session_id: str
    hermes_home: str = ""
    platform: str = "cli"
    user_id: str = ""
    agent_context: str = "primary"  # primary, subagent, cron
    agent_identity: str = "default"  # the profile
    agent_workspace: str = ""  # the folder it works in
    parent_session_id: str = ""


class MemoryProvider:
    """A base that does nothing."""

    name = ""

    def missing(self) -> str | None:
        """Why it cannot be used here, in one line that says what to do; None: it can. No network."""
        return None

    def initialize(
        self,
        session_id: str,
        *,
        hermes_home: str = "",
        platform: str = "cli",
        user_id: str = "",
        agent_context: str = "primary",
        agent_identity: str = "default",
        agent_workspace: str = "",
        parent_session_id: str = "",
    ) -> None:
        """A conversation begins, or goes on. Once for each agent, before anything else."""

    def prompt(self) -> str:
        """For the system prompt of a new session. Asked once: the prompt is frozen after that."""
        return ""

    def on_turn_start(self, session_id: str, text: str) -> str:
        """The person said `text`: what is remembered about it. The model reads it fenced as data, and it is never
        stored. The session id changes when a conversation is compressed."""
        return ""

    def on_pre_compress(self, session_id: str, messages: Sequence[Mapping[str, Any]]) -> None:
        """These messages leave the conversation for a summary."""

    def on_memory_write(self, action: str, target: str, content: str) -> None:
        """A note was added, replaced or removed; `content` is the note as it is now, or the one that is gone."""

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None:
        """A child agent is done with its task."""

    def on_session_end(self, session_id: str) -> None:
        """The conversation is left."""

    def close(self) -> None:
        """Nothing is asked after this. Twice is fine."""
