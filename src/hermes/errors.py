"""Everything Hermes raises on purpose. The class answers: who acts next?

HermesError
├── UserError                 the person can fix it: one line, exit code 2
│   ├── ConfigError
│   ├── BadInput              also a ValueError
│   │   ├── TitleInUse        names the session that has the title, to its owner
│   │   ├── KeyReused         an idempotency key came back with other content
│   │   └── AlreadyContinued  a compressed session has its continuation already
│   └── NotFound              exit code 1
│       ├── SessionNotFound
│       ├── MessageNotFound
│       └── AmbiguousId       a prefix that several sessions share
├── ProviderError             exit code 3; the message was kept
│   ├── NoProvider            nothing is set up
│   ├── KeyRefused            401, 403: another key may do
│   ├── QuotaSpent            402: another key, or another provider
│   ├── RateLimited           429: knows when to come back
│   ├── PromptTooLong         compress, then try again
│   ├── RequestRefused        another 4xx: trying again does not help
│   ├── ProviderDown          time-out, no connection, 5xx, overloaded
│   └── AnswerBroken          the stream was cut, or is not what the format says
├── ToolError                 goes back to the model as the tool's answer; the turn goes on
└── StoreError                exit code 3
    ├── StoreBusy             somebody held the write lock for longer than our patience
    ├── StoreTooNew           written by a later Hermes, or by another program's later schema
    ├── StoreCorrupt          the file is damaged; nothing was overwritten
    ├── StoreReplaced         the file under us is no longer the one we opened
    ├── StoreReadOnly         opened for reading, or the disk allows no more
    ├── StoreClosed           used after close(), or in a forked child
    ├── StoreUnavailable      cannot be opened here (permissions, owner, missing)
    ├── DiskFull
    ├── StoreIO               the disk failed; whether the last write holds is unknown
    └── MigrationFailed       the old file is as it was
"""

from collections.abc import Sequence


class HermesError(Exception):
    """Raised on purpose; the message is one line and says what to do."""

    exit_code = 1


class UserError(HermesError):
    exit_code = 2


class ConfigError(UserError):
    pass


class BadInput(UserError, ValueError):
    pass


class TitleInUse(BadInput):
    def __init__(self, title: str, session_id: str) -> None:
        super().__init__(f"Title '{title}' is already in use by session {session_id}; choose another one.")
        self.title = title
        self.session_id = session_id


class KeyReused(BadInput):
    def __init__(self, key: str, message_id: int) -> None:
        super().__init__(
            f"Idempotency key '{key}' already stored message {message_id} with other content; "
            "use a new key for a new message."
        )
        self.key = key
        self.message_id = message_id


class AlreadyContinued(BadInput):
    def __init__(self, session_id: str, tip: str) -> None:
        super().__init__(f"Session {session_id} was compressed already; continue in {tip}.")
        self.session_id = session_id
        self.tip = tip


class NotFound(UserError):
    exit_code = 1


class SessionNotFound(NotFound, LookupError):
    def __init__(self, session_id: str) -> None:
        super().__init__(f"No session '{session_id}'; `hermes sessions list` shows what there is.")
        self.session_id = session_id


class MessageNotFound(NotFound, LookupError):
    def __init__(self, session_id: str, message_id: int) -> None:
        super().__init__(f"Session {session_id} has no message {message_id}.")
        self.session_id = session_id
        self.message_id = message_id


class AmbiguousId(NotFound, LookupError):
    def __init__(self, prefix: str, matches: Sequence[str]) -> None:
        shown = ", ".join(matches[:5]) + (", …" if len(matches) > 5 else "")
        super().__init__(f"'{prefix}' could be any of {shown}; type more of the id.")
        self.prefix = prefix
        self.matches = list(matches)


class StoreError(HermesError):
    exit_code = 3


class StoreBusy(StoreError):
    pass


class StoreTooNew(StoreError):
    def __init__(self, path: object, found: int, supported: int, *, ours: bool) -> None:
        whose = "a later Hermes" if ours else "another program's later schema"
        advice = (
            "`pip install -U hermes` upgrades it"
            if ours
            else "it is never written to here, `hermes sessions import` in another home takes it over"
        )
        super().__init__(
            f"{path} has schema {found} ({whose}); this Hermes writes schema {supported}: {advice}, and "
            "`hermes sessions list --read-only` reads it (so do show, search, export, stats)."
        )
        self.found = found
        self.supported = supported


class StoreCorrupt(StoreError):
    pass


class StoreReplaced(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class StoreClosed(StoreError):
    pass


class StoreUnavailable(StoreError):
    pass


class DiskFull(StoreError):
    pass


class StoreIO(StoreError):
    pass


class MigrationFailed(StoreError):
    pass


class ProviderError(HermesError):
    """A model call failed for good. `shown` tells whether some of the answer was already passed on, `seconds` when the
    provider asks us to come back, if it said so."""

    exit_code = 3
    shown = False

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class NoProvider(ProviderError):
    pass


class KeyRefused(ProviderError):
    pass


class QuotaSpent(ProviderError):
    pass


class RateLimited(ProviderError):
    pass


class PromptTooLong(ProviderError):
    pass


class RequestRefused(ProviderError):
    pass


class ProviderDown(ProviderError):
    pass


class AnswerBroken(ProviderError):
    pass


class ToolError(HermesError):
    """A tool could not do what it was asked; the model reads why and goes on."""
