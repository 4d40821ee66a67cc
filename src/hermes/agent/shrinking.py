"""Carries a compression out: the conversation goes on in a continuation."""

import logging

from hermes.agent import compression
from hermes.agent.base import Compressed, Compressor, Plan
from hermes.agent.conversation import Conversation
from hermes.agent.setup import Setup
from hermes.agent.turn import TRIES_TO_SHRINK

log = logging.getLogger(__name__)
_WORTH_IT = 0.1  # of the limit


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
        found = self.plan()
        return None if found is None else self.split(found, self.write(found, focus))

    def automatic(self, window: int) -> Plan | None:
        """At the threshold. None as well when it would gain little: what stays, the prompt and the tools can fill half
        of a small window by themselves, and a split in every turn would not change that."""
        limit = self.limit(window) or 0
        found = self.plan(room=int(limit * self._setup.settings.compression.target_ratio))
        if found is None:
            return None
        gone = [entry for entry in found.middle if not compression.is_summary(entry.message)]
        return found if compression.tokens_in(gone) >= limit * _WORTH_IT else None

    def necessary(self, harder: int) -> Plan | None:
        """The provider does not take it as it is; each time it was not enough, less stays."""
        levels = range(harder, TRIES_TO_SHRINK)
        return next(filter(None, (self.plan(harder=level) for level in levels)), None)

    def plan(self, *, room: int = 0, harder: int = 0) -> Plan | None:
        return self._compressor.plan(self._conversation.entries, room=room, harder=harder)

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
