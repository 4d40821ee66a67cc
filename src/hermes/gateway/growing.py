"""An answer that grows in the chat while it is written, by editing its message."""

import logging
import time

from hermes.config.areas.platform import Streaming
from hermes.gateway.base import Adapter, Undelivered
from hermes.gateway.keys import Place

log = logging.getLogger("hermes.gateway")


class Growing:
    def __init__(
        self, adapter: Adapter, place: Place, settings: Streaming, key: str, wanted: bool | None = None
    ) -> None:
        """`wanted`: what is said about this platform alone; None: as for all."""
        self._adapter, self._place, self._settings, self._key = adapter, place, settings, key
        self._text = ""
        self._shown = 0  # characters
        self._next = 0.0
        enabled = settings.enabled if wanted is None else wanted
        self._works = adapter.edits and enabled and settings.transport != "off"
        self.message: str | None = None  # its id on the platform, once there is one

    def add(self, text: str) -> None:
        self._text += text
        if self._works and self._worth_while() and time.monotonic() >= self._next:
            self._show()

    def start_over(self) -> None:
        self._text, self._shown = "", 0

    def _worth_while(self) -> bool:
        return len(self._text) - self._shown >= self._settings.buffer_threshold

    def _show(self) -> None:
        text = self._text + self._settings.cursor
        if self._adapter.length(text) > self._adapter.longest:
            return  # the rest comes in messages of its own
        try:
            if self.message is None:
                self.message = self._adapter.send(self._place, text, key=self._key)
            else:
                self._adapter.edit(self._place, self.message, text)
            self._shown, self._next = len(self._text), time.monotonic() + self._settings.edit_interval
        except Undelivered as failed:
            # Growing is a courtesy: the answer itself is delivered at the end, whatever happens here.
            self._next = time.monotonic() + max(self._settings.edit_interval, failed.seconds or 0.0)
            self._works = not failed.final
            log.debug("an answer does not grow: %s", failed)
