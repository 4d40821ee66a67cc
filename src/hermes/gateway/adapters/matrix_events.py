"""What a person said, out of an event of a Matrix room. Anybody can send anything, so nothing is taken for granted."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_TEXTS = ("m.text", "m.emote")  # m.notice is what programs say, and no program answers another
_MEDIA = ("m.image", "m.file", "m.audio", "m.video")
_QUOTED = re.compile(r"(?:>[^\n]*\n)+\n?")


class Media(NamedTuple):
    """A file that came along: `address` is its mxc://."""

    kind: str  # m.image, m.file, …
    address: str
    name: str
    size: int
    type: str


class Said(NamedTuple):
    event: str
    sender: str
    text: str
    thread: str = ""
    answers: str = ""  # the message it is an answer to
    named: bool = False  # whether it names the agent
    media: Media | None = None


class Me(NamedTuple):
    """The account of the agent, and the name people see."""

    user: str
    name: str

    @property
    def short(self) -> str:
        return self.user.partition(":")[0]  # @hermes


def read(source: Mapping[str, Any], me: Me) -> Said | None:
    """None: nothing that a person said to anybody."""
    content = _mapping(source.get("content"))
    event, sender, kind = _text(source.get("event_id")), _text(source.get("sender")), _text(content.get("msgtype"))
    relation = _mapping(content.get("m.relates_to"))
    known = source.get("type") == "m.room.message" and kind in (*_TEXTS, *_MEDIA)
    if not known or not event or sender in ("", me.user) or relation.get("rel_type") == "m.replace":
        return None
    thread = _text(relation.get("event_id")) if relation.get("rel_type") == "m.thread" else ""
    answers = _text(_mapping(relation.get("m.in_reply_to")).get("event_id"))
    if thread and relation.get("is_falling_back") is True:
        answers = ""  # it only stands there for clients without threads
    media = _media(kind, content) if kind in _MEDIA else None
    text = _caption(content) if kind in _MEDIA else _text(content.get("body"))
    if answers:
        text = _QUOTED.sub("", text, count=1) if text.startswith(">") else text
    mentioned = me.user in _listed(_mapping(content.get("m.mentions")).get("user_ids"))
    text, named = without_name(text, me, mentioned)
    return Said(event, sender, text, thread, answers, named, media)


def without_name(text: str, me: Me, named: bool = False) -> tuple[str, bool]:
    """The text without the agent's own name, and whether it was called by it: by its account anywhere, or by its name
    at the beginning (`Hermes: …`)."""
    account = rf"(?<![\w@]){re.escape(me.user)}(?![\w.-])[:,]?\s*"
    short = rf"(?<![\w@]){re.escape(me.short)}(?![\w.=/+-]|:\w)[:,]?\s*"
    text, accounts = re.subn(account, "", text, flags=re.IGNORECASE)
    text, shorts = re.subn(short, "", text, flags=re.IGNORECASE)
    if accounts or shorts:
        return text.strip(), True
    ends = r"(?:\s*[:,]|(?!\w))\s*" if named else r"\s*[:,]\s*"
    for name in filter(None, (me.name, me.short[1:])):
        called = re.match(rf"\s*{re.escape(name)}{ends}", text, re.IGNORECASE)
        if called:
            return text[called.end() :].strip(), True
    return text.strip(), named


def invite(state: list[Any], me: str) -> tuple[str, bool] | None:
    """Who invites us, and whether to be alone with them."""
    for source in map(source_of, state):
        if is_our_invite(source, me):
            return _text(source.get("sender")), _mapping(source["content"]).get("is_direct") is True
    return None


def source_of(event: Any) -> Mapping[str, Any]:
    """An event as it came; the library takes the content of some out of it."""
    return {"content": getattr(event, "content", None), **event.source}


def is_our_invite(source: Mapping[str, Any], me: str) -> bool:
    """What was said before it was not said to us."""
    ours = source.get("type") == "m.room.member" and source.get("state_key") == me
    return ours and _mapping(source.get("content")).get("membership") == "invite"


def _media(kind: str, content: Mapping[str, Any]) -> Media | None:
    info = _mapping(content.get("info"))
    address = _text(content.get("url"))
    size = info.get("size")
    if not address:
        return None
    name = _text(content.get("filename")) or _text(content.get("body")) or "file"
    return Media(kind, address, name, size if isinstance(size, int) else 0, _text(info.get("mimetype")))


def _caption(content: Mapping[str, Any]) -> str:
    """What is said about a file; without a `filename` of its own the body is only its name."""
    body, name = _text(content.get("body")), _text(content.get("filename"))
    return body if name and body != name else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
