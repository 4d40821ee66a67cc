"""Matrix, by the sync API of a homeserver.

    MATRIX_HOMESERVER         its address, such as https://matrix.org
    MATRIX_ACCESS_TOKEN       of the agent's account; or MATRIX_USER_ID and MATRIX_PASSWORD
    MATRIX_ALLOWED_USERS      who may talk to it, beside gateway.allowed_users

The place up to which everything is in the inbox lies in the store, and moves after it is, never before: a crash loses
nothing, and what comes again counts once. Every message goes out under a name of its own, by which the homeserver
knows a repetition.
"""

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, ClassVar

import aiohttp
import nio

from hermes.commands.chat import slash
from hermes.config import Config
from hermes.config.platforms import section, whole
from hermes.errors import ConfigError, HermesError
from hermes.gateway.adapters import matrix_text
from hermes.gateway.adapters.loop import Loop
from hermes.gateway.adapters.matrix_calls import FINAL, TROUBLE, Refused, answer
from hermes.gateway.adapters.matrix_events import Me, Said, is_our_invite, read, source_of
from hermes.gateway.adapters.matrix_files import received, uploaded
from hermes.gateway.adapters.matrix_rooms import Rooms
from hermes.gateway.base import Adapter, Incoming, Receive, Undelivered
from hermes.gateway.delivery import pieces
from hermes.gateway.keys import Place

log = logging.getLogger("hermes.gateway")
logging.getLogger("nio").setLevel(logging.ERROR)  # it tells of every event, and quotes those it does not understand
_POLL_SECONDS = 30
_CALL_SECONDS = 30.0
_LONGEST_REST = 60.0
_TYPING_MILLISECONDS = 6000
_RECENT = 20  # messages of a room in one sync; where there were more, the rest is asked for …
_PAGE = 100  # … so many at a time
_MOST_PAGES = 20  # of what was missed in one room
_FILE_SECONDS = 300.0
_NOT_FOR_US = {"not_types": ["*"]}
_ENCRYPTED = (
    "I cannot read encrypted messages. Write to me in a room without encryption; a new room has a switch for it."
)


def _filter(messages: int, unlike: str = "") -> dict[str, Any]:
    """What a sync tells of: messages and members, not who is there and who has read what. A homeserver answers a
    question without a mark for minutes as it did the first time, unless something about it is unlike the last."""
    return {
        "presence": _NOT_FOR_US,
        "account_data": _NOT_FOR_US,
        "room": {
            "timeline": {"limit": messages, "lazy_load_members": True, "not_types": [unlike]},
            "state": {"lazy_load_members": True},
            "ephemeral": _NOT_FOR_US,
            "account_data": _NOT_FOR_US,
        },
    }


class Matrix(Adapter):
    name: ClassVar[str] = "matrix"
    longest: ClassVar[int] = 60_000  # bytes, of the 65,536 that an event has
    edits: ClassVar[bool] = True
    repeats: ClassVar[bool] = True

    def __init__(self, config: Config) -> None:
        given = section(config, self.name)
        variables = config.environment
        self._settings, self._pairing = config.settings.matrix, config.settings.gateway.pairing
        self._homeserver = str(given.get("homeserver") or variables.get("MATRIX_HOMESERVER", "")).rstrip("/")
        self._user = str(given.get("user") or variables.get("MATRIX_USER_ID", ""))
        self._token = variables.get("MATRIX_ACCESS_TOKEN", "")
        self._password = variables.get("MATRIX_PASSWORD", "")
        self._device = str(given.get("device") or "HERMES")
        self._poll_seconds = whole(given.get("poll_seconds", _POLL_SECONDS), "platforms.matrix.poll_seconds")
        self._loop: Loop | None = None
        self._client: Any = None
        self._rooms: Any = None
        self._syncing: asyncio.Task[None] | None = None
        self._receive: Receive | None = None
        self._me = Me("", "")
        self._since = ""
        self._names = ""  # how the names of our messages begin
        self._typing: set[str] = set()  # rooms that are shown that an answer is coming

    def length(self, text: str) -> int:
        return matrix_text.length(text)

    # -- its life

    def connect(self, receive: Receive) -> None:
        self._check()
        self._receive, self._loop = receive, Loop("hermes-matrix")
        try:
            self._loop.call(self._begin(), 60.0)
        except Refused as refused:
            what = "MATRIX_ACCESS_TOKEN" if self._token else "MATRIX_USER_ID with MATRIX_PASSWORD"
            raise ConfigError(f"{self._homeserver} refused {what}: {refused}.") from refused
        except TROUBLE as error:
            why = str(error) or type(error).__name__
            raise ConfigError(f"{self._homeserver} cannot be reached ({why}); is MATRIX_HOMESERVER right?") from error

    def _check(self) -> None:
        if not re.match(r"https?://[^/]", self._homeserver):
            raise ConfigError("Matrix needs MATRIX_HOMESERVER in .env, such as https://matrix.org.")
        if not self._token and not (self._user and self._password):
            raise ConfigError("Matrix needs MATRIX_ACCESS_TOKEN in .env, or MATRIX_USER_ID and MATRIX_PASSWORD.")

    async def _begin(self) -> None:
        config = nio.AsyncClientConfig(max_limit_exceeded=0, max_timeouts=0, encryption_enabled=False)
        self._client = nio.AsyncClient(self._homeserver, self._user, config=config)
        self._rooms = Rooms(self._client)
        await self._log_in()
        profile = await self._client.get_displayname(self._client.user_id)
        self._me = Me(self._client.user_id, getattr(profile, "displayname", None) or "")
        await asyncio.get_running_loop().run_in_executor(None, self._recall)
        await self._look_around()
        self._syncing = asyncio.get_running_loop().create_task(self._listen())

    async def _look_around(self, anew: bool = False) -> None:
        """Where we are and where we are invited; without a mark, or anew, we begin to listen here."""
        self._client.next_batch = ""
        found = answer(await self._client.sync(timeout=0, sync_filter=_filter(1, secrets.token_hex(8))))
        if anew or not self._since:  # what was said before the first start was not said to us
            await self._remember(found.next_batch)
        self._rooms.note_invites(found)
        await self._rooms.accept(self._is_welcome)

    async def _log_in(self) -> None:
        """By token, or by password: always as the same device, by which the homeserver knows what it sent before."""
        client = self._client
        if self._token:
            client.access_token = self._token
            who = answer(await client.whoami())
            client.restore_login(who.user_id, who.device_id or self._device, self._token)
            return
        client.device_id = self._device
        answer(await client.login(self._password, device_name="Hermes"))

    def disconnect(self) -> None:
        """Stop listening; what is to be sent still can be."""
        if self._loop is not None and self._syncing is not None and not self._syncing.done():
            self._loop.cancel(self._syncing)

    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            loop.call(self._end(), 10.0)
        except TROUBLE:
            log.warning("Matrix: the connection was not closed in good order")
        loop.stop()

    async def _end(self) -> None:
        if self._syncing is not None:
            self._syncing.cancel()
            await asyncio.gather(self._syncing, return_exceptions=True)
        if self._client is not None:
            await self._client.close()

    # -- what the store keeps

    @property
    def _mark(self) -> str:
        return f"matrix.sync:{self._me.user}"

    def _recall(self) -> None:
        assert self.gateway is not None
        try:
            kept = json.loads(self.gateway.db.get_meta(self._mark) or "{}")
        except ValueError:
            kept = {}
        self._since = str(kept.get("since") or "")
        # A store that is made anew counts its messages from one again, and the homeserver knows those names already.
        self._names = str(kept.get("names") or secrets.token_hex(6))

    async def _remember(self, since: str) -> None:
        assert self.gateway is not None
        value = json.dumps({"since": since, "names": self._names})
        await asyncio.get_running_loop().run_in_executor(None, self.gateway.db.set_meta, self._mark, value)
        self._since = since

    # -- listening

    async def _listen(self) -> None:
        """Ask what is new for ever; after trouble, wait a little longer each time."""
        rest, since = 1.0, self._since
        while True:
            try:
                news = answer(await self._client.sync(self._poll_seconds * 1000, _filter(_RECENT), since))
                since = await self._take(news)
                rest = 1.0
            except Exception as error:  # the edge of a task that must not end: whatever it was, it is asked again
                rest, since = await self._after(error, rest), self._since

    async def _after(self, error: Exception, rest: float) -> float:
        """Wait, after doing what can be done about it; how long to wait the next time."""
        known = isinstance(error, (*TROUBLE, HermesError))
        pause = max(rest, getattr(error, "seconds", None) or 0.0)
        why = str(error) or type(error).__name__
        log.warning("Matrix: %s; trying again in %.0f s", why, pause, exc_info=None if known else error)
        await asyncio.sleep(pause)
        try:
            await self._mend(error)
        except TROUBLE as trouble:
            log.error("Matrix: %s", trouble)
        return min(rest * 2, _LONGEST_REST)

    async def _mend(self, error: Exception) -> None:
        if isinstance(error, Refused) and error.code == "M_UNKNOWN_TOKEN":
            await self._log_in()  # somebody ended our session; with the password there is a new one
        elif isinstance(error, Refused) and error.status == 400:
            log.error("Matrix does not know any more what we have read; we listen from here on")
            await self._look_around(anew=True)

    async def _take(self, news: nio.SyncResponse) -> str:
        """Everything of one answer into the inbox, and only then its mark."""
        self._rooms.note_invites(news)
        await self._rooms.accept(self._is_welcome)
        for room, info in news.rooms.join.items():
            for source in await self._since_then(room, info.timeline):
                await self._heard_safely(room, source)
        if news.rooms.join or news.rooms.invite or news.rooms.leave:
            await self._remember(news.next_batch)
        return str(news.next_batch)

    async def _since_then(self, room: str, timeline: Any) -> list[Mapping[str, Any]]:
        """What was said in a room since the last answer, oldest first, and after we were invited."""
        found = [source_of(event) for event in timeline.events]
        before, pages = timeline.prev_batch if timeline.limited else None, 0
        while before and pages < _MOST_PAGES and not any(is_our_invite(one, self._me.user) for one in found):
            page = await self._client.room_messages(room, before, self._since, limit=_PAGE)
            if getattr(page, "status_code", None) in FINAL:  # we are not there any more
                break
            answer(page)
            found = [source_of(event) for event in reversed(page.chunk)] + found
            before, pages = page.end if page.chunk else None, pages + 1
        invited = [at for at, one in enumerate(found) if is_our_invite(one, self._me.user)]
        return found[invited[-1] :] if invited else found

    async def _heard_safely(self, room: str, source: Mapping[str, Any]) -> None:
        """One event that goes wrong must not keep the others from being heard."""
        try:
            await self._heard(room, source)
        except (*TROUBLE, HermesError):
            raise  # it comes again
        except Exception:  # what others send is an edge
            log.exception("an event could not be read: %s", source.get("event_id"))

    async def _heard(self, room: str, source: Mapping[str, Any]) -> None:
        if source.get("type") == "m.room.encrypted":
            await self._cannot_read(room, source)
            return
        said = read(source, self._me)
        incoming = await self._incoming(room, said) if said is not None else None
        if incoming is not None and self._receive is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._receive, incoming)

    async def _incoming(self, room: str, said: Said) -> Incoming | None:
        """What was said to the agent; None: nothing, or not to it."""
        kind, settings = await self._rooms.kind(room), self._settings
        if settings.allowed_rooms and room not in settings.allowed_rooms:
            return None
        text = _as_command(said.text)
        if kind != "dm" and settings.require_mention and room not in settings.free_response_rooms:
            to_us = said.named or text.startswith("/") or await self._is_answer_to_us(room, said)
            if not to_us:
                return None
        place = Place(self.name, kind, room, said.thread, said.sender)
        images: tuple[str, ...] = ()
        if said.media is not None and await self._may_talk(place):  # a stranger's files are not fetched
            images, line = await received(self._client, self.name, said.event, said.media)
            text = "\n\n".join(filter(None, (text, line)))
        if not text and not images and said.media is None:
            return None
        return Incoming(place, said.event, text, self._rooms.name_of(room, said.sender), images)

    async def _is_answer_to_us(self, room: str, said: Said) -> bool:
        if not said.answers:
            return False
        found = await self._client.room_get_event(room, said.answers)
        return getattr(getattr(found, "event", None), "sender", "") == self._me.user

    async def _cannot_read(self, room: str, source: Mapping[str, Any]) -> None:
        """Told once to a person we are alone with: the homeserver knows the message by its name."""
        place = Place(self.name, await self._rooms.kind(room), room, user=str(source.get("sender") or ""))
        if place.user != self._me.user and place.kind == "dm" and await self._may_talk(place):
            content = matrix_text.content(_ENCRYPTED)
            await self._client.room_send(room, "m.room.message", content, f"{self._names}-encrypted-{room}")

    async def _may_talk(self, place: Place) -> bool:
        assert self.gateway is not None
        return await asyncio.get_running_loop().run_in_executor(None, self.gateway.access.may_talk, place)

    def _is_welcome(self, room: str, user: str, direct: bool) -> bool:
        assert self.gateway is not None
        if self._settings.allowed_rooms and room not in self._settings.allowed_rooms:
            return False
        place = Place(self.name, "dm" if direct else "group", room, user=user)
        return (direct and self._pairing) or self.gateway.access.may_talk(place)

    # -- sending

    def send(self, place: Place, text: str, *, key: str) -> str:
        content = matrix_text.content(text, place.thread)
        sent = self._asked(self._send(place.chat, content, f"{self._names}-{key}"))
        if place.chat in self._typing and self._loop is not None:
            self._typing.discard(place.chat)
            self._loop.soon(self._type(place.chat, False))
        return sent

    def send_file(self, place: Place, file: Path, text: str, *, key: str) -> str:
        beside = text if self.length(text) <= self.longest else ""
        sent = self._asked(self._send_file(place, file, beside, f"{self._names}-{key}"), _FILE_SECONDS)
        for number, piece in enumerate(pieces(text, self.longest, self.length) if not beside else ()):
            self.send(place, piece, key=f"{key}-{number}")
        return sent

    async def _send_file(self, place: Place, file: Path, text: str, name: str) -> str:
        return await self._send(place.chat, await uploaded(self._client, file, text, place.thread), name)

    def edit(self, place: Place, message: str, text: str) -> None:
        self._asked(self._send(place.chat, matrix_text.changed(message, text), f"{self._names}-{secrets.token_hex(8)}"))

    async def _send(self, chat: str, content: dict[str, Any], name: str) -> str:
        room = await self._rooms.to(chat)
        sent = answer(await self._client.room_send(room, "m.room.message", content, name))
        return str(sent.event_id)

    def _asked(self, work: "Coroutine[Any, Any, str]", seconds: float = _CALL_SECONDS) -> str:
        """Trying again never sends twice, so nothing is unsure."""
        if self._loop is None:
            work.close()
            raise Undelivered("Matrix is not connected.")
        try:
            return self._loop.call(work, seconds)
        except Refused as refused:
            if refused.busy:
                raise Undelivered("Matrix is busy.", seconds=refused.seconds or 1.0) from refused
            raise Undelivered(f"Matrix: {refused}", final=refused.code in FINAL) from refused
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise Undelivered(f"Matrix: {error or 'no answer in time'}") from error

    def direct(self, user: str) -> str:
        return self._asked(self._rooms.to(user))

    def typing(self, place: Place) -> None:
        if self._loop is not None:
            self._typing.add(place.chat)
            self._loop.soon(self._type(place.chat, True))

    async def _type(self, room: str, begins: bool) -> None:
        try:
            await self._client.room_typing(room, begins, _TYPING_MILLISECONDS)
        except TROUBLE:
            pass  # a courtesy

    def chat_info(self, place: Place) -> Mapping[str, Any]:
        return {"name": self._rooms.name(place.chat), "kind": place.kind}


def _as_command(text: str) -> str:
    """`!title …` is `/title …`: some clients keep what begins with a slash for themselves."""
    name = text[1:].split(maxsplit=1)[0].lower() if text.startswith("!") and text[1:].strip() else ""
    return f"/{text[1:]}" if name and slash.find(name) is not None else text
