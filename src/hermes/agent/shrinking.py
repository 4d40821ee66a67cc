"""Carries a compression out: the conversation goes on in a continuation."""

import logging

from hermes.agent import compression
from hermes.agent.base import Compressed, Compressor, Plan
from hermes.agent.conversation import Conversation
from hermes.agent.setup import Setup

log = logging.getLogger(__name__)


class Shrinking:
    def __init__(self, setup: Setup, conversation: Conversation) -> None:
        ours = compression.Summaries(setup.settings.compression, setup.summarise)
        self._compressor: Compressor = setup.compressor or ours
        self._setup = setup
        self._conversation = conversation

    def limit(self, window: int) -> int | None:
        """The number of tokens at which a conversation is compressed by itself."""
        settings = self._setup.settings.compression
        return int(window * settings.threshold) if settings.enabled and window else None

    def compress(self, focus: str | None = None) -> Compressed | None:
        """By command. None: there is nothing between the first and the last messages."""
        found = self.plan(room=False)
        return None if found is None else self.split(found, self.write(found, focus))

    def plan(self, harder: int = 0, *, room: bool = True) -> Plan | None:
        """`room`: keep more than the last few messages where there is room for them."""
        settings = self._setup.settings.compression
        tokens = (self.limit(self._setup.provider.window) or 0) * settings.target_ratio if room else 0
        return self._compressor.plan(self._conversation.entries, room=int(tokens), harder=harder)

    def write(self, found: Plan, focus: str | None) -> str:
        """The summary. Takes long, and touches nothing."""
        try:
            return self._compressor.write(found, focus)
        except Exception:  # the edge to a compressor, which may be a plugin's
            log.exception("the compressor failed in a way it should not")
            return compression.mechanical_summary(found.middle, focus)

    def split(self, found: Plan, text: str) -> Compressed:
        """Go on in a continuation; in the one of whoever was first, if somebody was."""
        conversation, old = self._conversation, self._conversation.session_id
        before = self._tokens()
        self._setup.memory.on_pre_compress(old, [entry.message for entry in found.middle])
        summary = compression.summary_message(found.middle, text)
        conversation.split(compression.content_of(found, summary), found.seen)
        self._setup.hooks.emit("on_session_finalize", session_id=old, next_session_id=conversation.session_id)
        return Compressed(conversation.session_id, conversation.title, before, self._tokens())

    def _tokens(self) -> int:
        return self._setup.gauge.corrected(compression.tokens_in(self._conversation.entries))
