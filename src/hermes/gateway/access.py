"""Who may talk to the agent: nobody, until it is said. Allow-lists, pairing codes for direct messages, a rate."""

import threading
import time
from collections import defaultdict, deque

from hermes.commands.pairing import is_paired, new_code
from hermes.config import Config
from hermes.gateway.keys import Place
from hermes.store import SessionDB

_MINUTE = 60.0
_STRANGER = (
    "I don't know you yet. Ask the person who runs me to type:\n\nhermes gateway pair {code}\n\n"
    "The code holds for an hour."
)


class Access:
    def __init__(self, db: SessionDB, config: Config) -> None:
        self._db = db
        self._settings = config.settings.gateway
        self._variables = config.environment
        self._sent: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def may_talk(self, place: Place) -> bool:
        """A person who is named, or paired, or anybody where everybody may. Without a user id, only the latter."""
        if self._settings.allow_all_users:
            return True
        if not place.user:
            return False
        account = f"{place.platform}:{place.user}"
        return (
            account in self._settings.allowed_users
            or place.user in self._of_variables(place.platform)
            or (is_paired(self._db, account))
        )

    def _of_variables(self, platform: str) -> list[str]:
        """`TELEGRAM_ALLOWED_USERS=1,2`."""
        named = self._variables.get(f"{platform.upper().replace('-', '_')}_ALLOWED_USERS", "")
        return [user.strip() for user in named.split(",") if user.strip()]

    def is_admin(self, place: Place) -> bool:
        return bool(place.user) and f"{place.platform}:{place.user}" in self._settings.admin_users

    def offer(self, place: Place) -> str | None:
        """What a stranger is told: how to be let in, in a direct message; nothing elsewhere."""
        if not self._settings.pairing or place.kind != "dm" or not place.user:
            return None
        code = new_code(self._db, f"{place.platform}:{place.user}")
        if code is None:
            return None
        return _STRANGER.format(code=code)

    def too_fast(self, owner: str, now: float | None = None) -> bool:
        """Whether this person has sent enough for this minute; counts the message if not."""
        most = self._settings.messages_per_minute
        if not most:
            return False
        now = time.monotonic() if now is None else now
        with self._lock:
            sent = self._sent[owner]
            while sent and sent[0] <= now - _MINUTE:
                sent.popleft()
            if len(sent) >= most:
                return True
            sent.append(now)
            if len(self._sent) > 10_000:
                self._sent = defaultdict(deque, {name: times for name, times in self._sent.items() if times})
            return False
