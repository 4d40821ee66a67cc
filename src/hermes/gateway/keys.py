"""Session keys: which conversation a message belongs to, and whose it is.

| chat                | key                                                    | owner                              |
|---------------------|--------------------------------------------------------|------------------------------------|
| direct message      | agent:main:<platform>:dm:<chat>[:<thread>]             | <platform>:<user>                  |
| group, channel      | agent:main:<platform>:<type>:<chat>:<user>             | <platform>:<user>                  |
| the same, shared    | agent:main:<platform>:<type>:<chat>                    | <platform>:chat:<chat>             |
| thread              | agent:main:<platform>:<type>:<chat>:<thread>           | <platform>:chat:<chat>:<thread>    |
| thread, per user    | agent:main:<platform>:<type>:<chat>:<thread>:<user>    | <platform>:<user>                  |

A colon inside an id is written `%3A`, so that no chat can take another one's key by its name.
"""

from typing import NamedTuple

_BEGINS = ("agent", "main")


class Place(NamedTuple):
    """Where on a platform something was said, and by whom. `kind`: dm, group or channel; `user` is empty where the
    platform does not tell."""

    platform: str
    kind: str
    chat: str
    thread: str = ""
    user: str = ""


class Sharing(NamedTuple):
    """The two settings about rooms with several people."""

    group_sessions_per_user: bool = True
    thread_sessions_per_user: bool = False


def is_shared(place: Place, sharing: Sharing = Sharing()) -> bool:
    """Whether several people may speak in this conversation."""
    if place.kind == "dm":
        return False
    alone = sharing.group_sessions_per_user and (not place.thread or sharing.thread_sessions_per_user)
    return not (alone and place.user)


def session_key(place: Place, sharing: Sharing = Sharing()) -> str:
    parts = [
        *_BEGINS,
        place.platform,
        place.kind,
        place.chat or (place.user if place.kind == "dm" else ""),
        place.thread,
    ]
    if place.kind != "dm" and not is_shared(place, sharing):
        parts.append(place.user)
    return ":".join(_plain(part) for part in parts if part)


def owner_of(place: Place, sharing: Sharing = Sharing()) -> str:
    if place.user and not is_shared(place, sharing):
        return f"{place.platform}:{place.user}"
    return ":".join(part for part in (place.platform, "chat", place.chat, place.thread) if part)


def _plain(part: str) -> str:
    return part.replace("%", "%25").replace(":", "%3A")
