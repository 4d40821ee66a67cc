"""The rooms of a Matrix account: who is in them, whom we are alone with, and where we are invited to."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import nio

from hermes.gateway.adapters.matrix_calls import FINAL, TROUBLE, Refused, answer
from hermes.gateway.adapters.matrix_events import invite

log = logging.getLogger("hermes.gateway")
_MOST_INVITES = 500
_MANY = 3


class Rooms:
    def __init__(self, client: Any) -> None:
        self._client = client
        self._invites: dict[str, tuple[str, bool]] = {}  # that wait for their sender to be let in
        self._made: dict[str, str] = {}  # for a person; the homeserver may not have told of them yet
        self._creating = asyncio.Lock()

    async def kind(self, room: str) -> str:
        """Two in a room are alone, whatever the room is called. What cannot be told is a group."""
        known = self._client.rooms.get(room)
        if known is not None and _members(known) is None:  # not every homeserver tells how many there are
            try:
                found = answer(await self._client.joined_members(room))
                known.update_summary(nio.RoomSummary(0, len(found.members), [one.user_id for one in found.members]))
            except Refused as refused:
                log.warning("who is in a room was not told: %s", refused)
        return "dm" if known is not None and (_members(known) or _MANY) <= 2 else "group"

    def name(self, room: str) -> str:
        known = self._client.rooms.get(room)
        return str(known.display_name) if known is not None else room

    def name_of(self, room: str, user: str) -> str:
        known = self._client.rooms.get(room)
        return (known.user_name(user) if known is not None else None) or user

    async def to(self, chat: str) -> str:
        """The room to write to; for a person, the one we are alone in, or a new one."""
        if not chat.startswith("@"):
            return chat
        async with self._creating:
            found = self._alone_with(chat)
            if found is not None:
                return found
            preset = nio.RoomPreset.trusted_private_chat
            made = answer(await self._client.room_create(is_direct=True, invite=[chat], preset=preset))
            self._client.rooms[made.room_id] = room = nio.MatrixRoom(made.room_id, self._client.user_id)
            room.update_summary(nio.RoomSummary(1, 1, [chat]))
            self._made[chat] = str(made.room_id)
            return self._made[chat]

    def _alone_with(self, user: str) -> str | None:
        for room in self._client.rooms.values():
            if (_members(room) or _MANY) <= 2 and user in (*room.summary.heroes, *room.users, *room.invited_users):
                return str(room.room_id)
        return self._made.get(user)

    def note_invites(self, news: nio.SyncResponse) -> None:
        for room in (*news.rooms.join, *news.rooms.leave):
            self._invites.pop(room, None)
        for room, info in news.rooms.invite.items():
            found = invite(info.invite_state, self._client.user_id)
            if found is not None and len(self._invites) < _MOST_INVITES:
                self._invites[room] = found

    async def accept(self, is_welcome: Callable[[str, str, bool], bool]) -> None:
        """Join where somebody who is welcome asks; other invitations wait until their sender is."""
        for room, (user, direct) in list(self._invites.items()):
            if not await asyncio.get_running_loop().run_in_executor(None, is_welcome, room, user, direct):
                continue
            try:
                answer(await self._client.join(room))
                del self._invites[room]
            except TROUBLE as error:
                log.warning("an invitation of %s could not be accepted: %s", user, error)
                if getattr(error, "code", "") in FINAL:
                    del self._invites[room]


def _members(room: Any) -> int | None:
    """How many are in a room or invited to it; None: it was not told. Its list of users has only those who spoke."""
    told = room.summary
    if told is None or told.joined_member_count is None:
        return None
    told.heroes = told.heroes or list(room.users)
    return int(told.joined_member_count) + int(told.invited_member_count or 0)
