"""What a platform's adapter is, and what passes between it and the gateway.

    platform ──▶ adapter ──Incoming──▶ Gateway.receive     kept in the inbox when it returns: then acknowledge it
    platform ◀── adapter.send, edit, typing ◀── delivery   one call for each row of the outbox

An adapter writes `connect`, `disconnect` and `send`; the rest has working defaults. `send`, `edit` and `typing` are
called from many threads. The core never asks which platform it talks to: what is particular is said by the
attributes.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from hermes.errors import HermesError
from hermes.gateway.keys import Place

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway


class Incoming(NamedTuple):
    """A message of a person. `event` names it for good on its platform: what is delivered twice counts once."""

    place: Place
    event: str
    text: str
    sender: str = ""  # the name people see
    images: tuple[str, ...] = ()  # as data: URLs


class Undelivered(HermesError):
    """A message did not go out. `seconds`: when to try again; `final`: trying again does not help; `unsure`: it may
    have arrived all the same, so it must not be sent again."""

    def __init__(
        self, message: str, *, seconds: float | None = None, final: bool = False, unsure: bool = False
    ) -> None:
        super().__init__(message)
        self.seconds, self.final, self.unsure = seconds, final, unsure


Receive = Callable[[Incoming], bool]  # False: it was delivered before, or nobody may say it


class Adapter:
    name: ClassVar[str] = ""
    longest: ClassVar[int] = 4000  # characters of a message, as the platform counts them
    edits: ClassVar[bool] = False  # whether a message can grow while it is written
    repeats: ClassVar[bool] = False  # whether the same `key` sent twice arrives once
    trusted: ClassVar[bool] = False  # whether the adapter itself knows who may talk
    gateway: "Gateway | None" = None  # for those that answer questions about it; set before `connect`

    def connect(self, receive: Receive) -> None:
        """Begin to listen; returns once messages can come in. ConfigError says what is missing."""
        raise NotImplementedError

    def disconnect(self) -> None:
        """Stop listening. What was received stays received. Calling it again does nothing."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing more is sent, either: let go of everything. Calling it again does nothing."""

    def send(self, place: Place, text: str, *, key: str) -> str:
        """Send, and return the message's id on the platform. Raises Undelivered."""
        raise NotImplementedError

    def edit(self, place: Place, message: str, text: str) -> None:
        """Put another text in the place of what was sent. Raises Undelivered."""
        raise Undelivered(f"{self.name} cannot change what was sent.", final=True)

    def send_file(self, place: Place, file: Path, text: str, *, key: str) -> str:
        """Send a file, as a picture where it is one, with a text beside it. Raises Undelivered."""
        raise Undelivered(f"{self.name} cannot send files.", final=True)

    def react(self, place: Place, event: str, mood: str) -> None:
        """Show at the person's message that it is worked on (`working`), was answered (`done`) or was not (`failed`).
        Never raises."""

    def prompt_for(self, place: Place) -> str:
        """What the agent is told beside its own prompt, in this chat alone."""
        return ""

    def typing(self, place: Place) -> None:
        """Show that an answer is coming; it shows for a few seconds. Never raises."""

    def chat_info(self, place: Place) -> Mapping[str, Any]:
        """What the platform tells about a chat: at least `name` and `kind`."""
        return {"name": place.chat, "kind": place.kind}

    def direct(self, user: str) -> str:
        """The chat in which this person is written to alone. Raises Undelivered."""
        return user

    def length(self, text: str) -> int:
        """How long the platform finds a text."""
        return len(text)
