"""The gateway: adapters on one side, conversations on the other, and the rules between them.

    receive → may this person talk? → the inbox → the lane of its key → a turn → the outbox → the adapter

Different keys run beside each other, each in a thread of its own; one key has one turn at a time. Whatever was
received is in the store, so a restart goes on where this run ended.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from hermes import paths
from hermes.config import Config
from hermes.gateway.access import Access
from hermes.gateway.arrival import Arrival, from_row
from hermes.gateway.base import Adapter, Incoming
from hermes.gateway.delivery import Delivery
from hermes.gateway.handoff import take_over
from hermes.gateway.keys import Place, Sharing, owner_of, session_key
from hermes.gateway.lane import Lane
from hermes.gateway.reset import Rule, due, rule_for
from hermes.gateway.transcripts import Transcripts
from hermes.memory.notes import bring_together
from hermes.model.owners import people
from hermes.store import SessionDB

log = logging.getLogger("hermes.gateway")
_TICK = 30.0  # seconds between two looks at what is due
_IDLE = 600.0  # seconds after which a quiet conversation is let go from memory
_TIDY = 3600.0  # seconds between two looks at old mail
_MAIL_KEPT = 30 * 86400.0
_LINKED = "gateway.linked"  # the accounts that the settings named last
TOO_FAST = "That is more than I can take in a minute; your last message was not read. Try again shortly."


class Gateway:
    def __init__(self, db: SessionDB, config: Config, adapters: Sequence[Adapter], *, tick: float = _TICK) -> None:
        self.db, self.config, self.settings = db, config, config.settings
        self.adapters = {adapter.name: adapter for adapter in adapters}
        self.sharing = Sharing(self.settings.group_sessions_per_user, self.settings.thread_sessions_per_user)
        self.zone = ZoneInfo(self.settings.timezone) if self.settings.timezone else None
        self.access = Access(db, config)
        self.delivery = Delivery(db, self.adapters)
        self.transcripts = Transcripts(db, paths.sessions_dir())
        self.stopping = False
        self.ready = threading.Event()  # platforms can be written to
        self.began = time.time()
        self.tasks: list[Callable[[], Any]] = []  # what else is looked at with every tick
        self._lanes: dict[tuple[str, str], Lane] = {}  # by key and owner: a room can become another person's
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._tick = tick
        self._tidied = 0.0
        self._ticker = threading.Thread(target=self._run, name="hermes-gateway-ticker", daemon=True)

    # -- its life

    def start(self) -> None:
        self._link_identities()
        self.transcripts.start()
        unsent = self.db.posts("sending", "pending")  # before anything new comes in: these are the last run's
        self._take_up()
        try:
            for adapter in self.adapters.values():
                adapter.gateway = self
                adapter.connect(self.receive)
        except BaseException:
            self.stop(0.0)
            raise
        marked = self.delivery.resume(unsent)
        if marked:
            log.warning("%d messages may not have been delivered when Hermes ended; they are marked", marked)
        self.ready.set()
        self._ticker.start()

    def _link_identities(self) -> None:
        """Who is who, as the settings say it now: an account that is no longer named there is nobody's."""
        linked = {
            account: person
            for person, accounts in people(self.settings.gateway.identities).items()
            for account in accounts
        }
        before = json.loads(self.db.get_meta(_LINKED) or "[]")
        for account in set(before) - set(linked):
            self.db.link_identity(account, None)
        for account, person in linked.items():
            self.db.link_identity(account, person)
        if before != sorted(linked):
            self.db.set_meta(_LINKED, json.dumps(sorted(linked)))
        bring_together(self.settings)

    def _take_up(self) -> None:
        """Messages that the last run left, before those to come; they are answered once the platforms are there."""
        for row in self.db.arrivals("running", "waiting"):
            if row["platform"] in self.adapters:
                arrival = from_row(row)
                self.lane(arrival.incoming.place).put(arrival)

    def stop(self, grace: float = 10.0, hurry: threading.Event | None = None) -> None:
        """Stop listening, let turns finish for a while (until somebody is in a `hurry`), park the rest, and write
        everything down."""
        for adapter in self.adapters.values():
            adapter.disconnect()
        self.stopping = True  # what comes in from here waits in the inbox for the next run
        self._over.set()
        self.ready.set()
        deadline = time.monotonic() + grace
        lanes = list(self._lanes.values())
        while any(lane.working for lane in lanes) and time.monotonic() < deadline and not (hurry and hurry.is_set()):
            time.sleep(0.05)
        self.delivery.stop()
        for lane in lanes:
            lane.stop()
        for lane in lanes:
            lane.join(5.0)
            lane.release()
        for adapter in self.adapters.values():
            adapter.close()
        self.transcripts.stop()

    # -- what comes in

    def receive(self, incoming: Incoming) -> bool:
        """Take a message in; it is kept when this returns. False: it came before, or its sender may not talk here."""
        place = incoming.place
        key, owner = session_key(place, self.sharing), owner_of(place, self.sharing)
        if not self.adapters[place.platform].trusted and not self.access.may_talk(place):
            words = self.access.offer(place)
            if words is not None:
                self.delivery.say(place, key, owner, words)
            return False
        number = self.keep(incoming, key, owner)
        if number is None:
            return False
        if not _stops(incoming.text) and self.access.too_fast(f"{place.platform}:{place.user or place.chat}"):
            self.db.settle_arrival(number, "done")
            self.delivery.say(place, key, owner, TOO_FAST)
            return False
        self.lane(place).put(Arrival(incoming, number))
        return True

    def keep(self, incoming: Incoming, key: str, owner: str) -> int | None:
        content = {name: getattr(incoming, name) for name in ("place", "text", "sender", "images")}
        mail = {"owner": owner, "key": key, "content": json.dumps(content, ensure_ascii=False)}
        return self.db.receive(incoming.place.platform, incoming.event, mail)

    def lane(self, place: Place) -> Lane:
        key, owner = session_key(place, self.sharing), owner_of(place, self.sharing)
        with self._lock:
            lane = self._lanes.get((key, owner))
            if lane is None:
                lane = self._lanes[key, owner] = Lane(self, key, place, owner)
            lane.used = time.monotonic()
            return lane

    # -- what is due

    def rule(self, place: Place) -> Rule:
        return rule_for(self.settings.session_reset, place)

    def due(self, route: Mapping[str, Any] | None) -> str | None:
        """Why the session of this route is over; None: it is not."""
        if route is None:
            return None
        reason = due(self.rule(place_of(route)), route["active_at"], time.time(), self.zone)
        session = self.db.get_session(route["session_id"]) if reason is not None else None
        return reason if session is not None and session["trashed_at"] is None else None

    def _run(self) -> None:
        while not self._over.wait(self._tick):
            for task in (self._look_at_turns, self.look_for_resets, self.look_for_handoffs, self._tidy, *self.tasks):
                try:
                    task()
                except Exception:  # the edge of a thread that must not end
                    log.exception("a task of the gateway failed")

    def _look_at_turns(self) -> None:
        with self._lock:
            lanes = list(self._lanes.values())
        for lane in lanes:
            lane.look()

    def look_for_resets(self) -> None:
        for route in self.db.list_routes():
            reason = self.due(route) if route["platform"] in self.adapters else None
            if reason is not None:
                self.lane(place_of(route)).put(reason)

    def look_for_handoffs(self) -> None:
        for session in self.db.list_pending_handoffs():
            if session["handoff_platform"] in self.adapters:
                take_over(self, session)

    def _tidy(self) -> None:
        """Let go of what was not used for a while, and of rows about mail of long ago."""
        with self._lock:
            idle = [
                lane
                for lane in self._lanes.values()
                if not lane.working and time.monotonic() - lane.used > _IDLE and not lane.busy_behind()
            ]
            for lane in idle:
                del self._lanes[lane.key, lane.owner]
        for lane in idle:
            lane.release()
        if time.monotonic() - self._tidied > _TIDY:
            self._tidied = time.monotonic()
            self.db.forget_mail(time.time() - _MAIL_KEPT)

    def health(self) -> str:
        """One word: `ok`, or why not."""
        if self.stopping:
            return "stopping"
        return "ok" if self.ready.is_set() and self._ticker.is_alive() else "starting"

    def status(self) -> dict[str, Any]:
        with self._lock:
            working = sum(lane.working for lane in self._lanes.values())
        return {
            "platforms": sorted(self.adapters),
            "uptime_seconds": round(time.time() - self.began),
            "working": working,
            "stopping": self.stopping,
        }


def place_of(route: Mapping[str, Any]) -> Place:
    return Place(route["platform"], route["chat_type"], route["chat_id"], route["thread_id"], route["user_id"])


def _stops(text: str) -> bool:
    """Whether a person wants the turn to end, which is heard however much they wrote before."""
    return text.strip().partition("@")[0].lower() == "/stop"
