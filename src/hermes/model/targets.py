"""Where something is delivered: `telegram:12345`, `matrix:!room:example.org`, `telegram:-100123/5` with a thread."""

import re
from typing import NamedTuple

from hermes.errors import BadInput
from hermes.model.sources import LOCAL_SOURCES, SOURCES

_NUMBERED = re.compile(r"(-?\d+):(\d+)")  # chat:thread, as in the keys of sessions


class Target(NamedTuple):
    platform: str
    chat: str
    thread: str = ""

    @property
    def owner(self) -> str:
        return f"{self.platform}:{self.chat}"

    @property
    def place(self) -> list[str]:
        """As the outbox keeps it."""
        return [self.platform, "dm", self.chat, self.thread, self.chat]


def target(text: str) -> Target:
    """BadInput says how one is written."""
    platform, _, rest = text.strip().partition(":")
    numbered = _NUMBERED.fullmatch(rest)
    chat, _, thread = (numbered[1], ":", numbered[2]) if numbered else rest.partition("/")
    if not platform or not chat:
        raise BadInput("Name a platform and a chat, such as telegram:12345, or telegram:-100123/5 for a thread.")
    if platform in LOCAL_SOURCES:
        raise BadInput(f"Nothing can be delivered to {platform}; name a platform, such as telegram:12345.")
    return Target(platform, chat, thread)


def is_known(platform: str) -> bool:
    """Whether it is one of the documented platforms; plugins may bring others."""
    return platform in SOURCES
