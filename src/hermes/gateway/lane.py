"""One key: its conversation, one turn at a time, and what waits for it.

A thread works while there is something to do. What comes in meanwhile interrupts the turn, waits, or is read by the
agent at its next step, as `display.busy_input_mode` says; commands that work during a turn are carried out at once.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hermes.agent.base import Notice, StartedOver, ToolStarted, TurnEnded
from hermes.commands.chat import slash
from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, said
from hermes.errors import HermesError
from hermes.gateway.arrival import Arrival, is_about
from hermes.gateway.base import Incoming
from hermes.gateway.drawing import drawn
from hermes.gateway.growing import Growing
from hermes.gateway.keys import Place, is_shared
from hermes.gateway.questions import Question
from hermes.gateway.resuming import as_resumed
from hermes.gateway.routed import Routed
from hermes.gateway.watch import Watch
from hermes.model.text import clip
from hermes.providers.base import TextDelta

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

log = logging.getLogger("hermes.gateway")
_YES_OR_NO = ("yes", "no")
_TYPING_SHOWS = 4.0  # seconds
OOPS = "Something went wrong here; your message is kept. Say it again, or /retry."


class Lane(Routed):
    def __init__(self, gateway: "Gateway", key: str, place: Place, owner: str) -> None:
        super().__init__(gateway, key, place, owner)
        self.used = time.monotonic()
        self._waiting: deque[Any] = deque()  # arrivals, and reasons to reset
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._question: Question | None = None
        self._watch: Watch | None = None  # of the turn under way
        self._left = ""  # the event whose answer nobody waits for any more

    # -- from any thread

    @property
    def working(self) -> bool:
        return self._thread is not None

    def put(self, job: "Arrival | str | Callable[[], None]") -> None:
        """An arrival; or the reason (`idle`, `daily`) why the session is over; or anything to be done in turn."""
        if isinstance(job, Arrival) and self._at_once(job):
            return
        with self._lock:
            self._waiting.append(job)
            self.used = time.monotonic()
            if self._thread is None and not self.gateway.stopping:
                self._thread = threading.Thread(target=self._work, name=f"hermes-{self.key[-40:]}", daemon=True)
                self._thread.start()

    def _at_once(self, arrival: Arrival) -> bool:
        """What concerns the turn under way: an answer to its question, a command, or words for it."""
        question, chat, text = self._question, self.chat, arrival.incoming.text.strip()
        if question is not None and question.answered_by(text):
            return self._done(arrival)
        if chat is None or not chat.agent.busy or arrival.tell is not None:
            return False
        if slash.is_command(chat, text):
            self._command(chat, arrival)
            return True
        if chat.busy_mode == "steer" and chat.agent.steer(self._words(arrival.incoming)):
            return self._done(arrival)
        if chat.busy_mode == "interrupt":
            chat.agent.stop()
        return False

    def _done(self, arrival: Arrival) -> bool:
        if arrival.number is not None:
            self.gateway.db.settle_arrival(arrival.number, "done")
        return True

    def stop(self) -> None:
        chat = self.chat
        if chat is not None:
            chat.agent.stop()

    def look(self) -> None:
        """Tell the person that a turn takes long, or give it up. Called now and then by the gateway."""
        watch, now = self._watch, self._now
        due = watch.due(time.monotonic()) if watch is not None else None
        if due is None:
            return
        if now is not None and now.tell is None:  # whoever waits for an answer is told nothing in between
            threading.Thread(target=self.say, args=(due.words,), name="hermes-still", daemon=True).start()
        if due.stop:
            log.warning("%s: %s", self.key, due.words)
            self.stop()

    def forget(self, event: str) -> None:
        """Whoever waited for the answer to this left: it is not begun, or stopped."""
        with self._lock:
            self._waiting = deque(job for job in self._waiting if not is_about(job, event))
            self._left = event
        if is_about(self._now, event):
            self.stop()

    def join(self, seconds: float) -> None:
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def release(self) -> None:
        """Let go of the conversation; the next message takes it up again."""
        with self._lock:
            if self._thread is None and self.chat is not None:
                self.chat.agent.release()
                self.chat = None

    # -- the thread

    def _work(self) -> None:
        self.gateway.ready.wait()
        while True:
            with self._lock:
                if not self._waiting or self.gateway.stopping:
                    self._thread = None
                    return
                job = self._waiting.popleft()
            self._perform(job)

    def _perform(self, job: Any) -> None:
        arrival = job if isinstance(job, Arrival) else None
        try:
            if arrival is not None:
                self._answer(arrival)
            elif isinstance(job, str):
                self._reset(job)
            else:
                job()
        except HermesError as error:
            self._failed(arrival, error)
        except Exception:  # the edge of the gateway: one chat's trouble is not the others'
            log.exception("a turn of %s failed", self.key)
            self._failed(arrival, HermesError(OOPS))
        finally:
            self._now = self._first = self._watch = None
            if self.chat is not None:
                self.gateway.transcripts.changed(self.chat.agent.session_id)

    def _failed(self, arrival: Arrival | None, error: HermesError) -> None:
        words = str(error)
        log.warning("%s: %s", self.key, words)
        if arrival is None:
            return
        if arrival.tell is not None:
            arrival.tell(TurnEnded("failed", "", error))
        else:
            self.say(words)
        self._done(arrival)

    # -- a turn

    def _answer(self, arrival: Arrival) -> None:
        if arrival.session_id:
            self.go_to(arrival.session_id)
        route = self._current_route()
        chat = self.open()
        if arrival.tell is None and slash.is_command(chat, arrival.incoming.text):
            self._command(chat, arrival)
        else:
            self._tell_reset(route)
            self._turn(chat, arrival, self._content(arrival))
        while chat.queue and not self.gateway.stopping:  # what /retry and /queue left
            self._turn(chat, arrival._replace(number=self._again(arrival)), chat.queue.popleft())

    def _again(self, arrival: Arrival) -> int | None:
        """A row of its own for another turn that this arrival brought about."""
        if arrival.number is None:
            return None
        incoming = arrival.incoming._replace(event=f"{arrival.incoming.event}:{time.time_ns()}")
        return self.gateway.keep(incoming, self.key, self.owner)

    def _words(self, incoming: Incoming) -> str:
        if is_shared(self.place, self.gateway.sharing) and incoming.sender:
            return f"[{clip(' '.join(incoming.sender.split()), 64, '…')}] {incoming.text}"
        return incoming.text

    def _content(self, arrival: Arrival) -> Any:
        text = self._words(arrival.incoming)
        if arrival.begun is not None:
            text, self._first = as_resumed(self._db(), arrival.begun, text)
            if self.chat is not None:
                self.chat.agent.reload()
        if not arrival.incoming.images:
            return text
        pictures = [{"type": "image_url", "image_url": {"url": url}} for url in arrival.incoming.images]
        return [{"type": "text", "text": text or "(a picture)"}, *pictures]

    def _turn(self, chat: Chat, arrival: Arrival, content: Any) -> None:
        gateway, self._now, self._posted = self.gateway, arrival, []
        if self._left == arrival.incoming.event:
            return
        adapter = gateway.adapters[self.place.platform]
        own = gateway.settings.display.platforms.get(self.place.platform)
        wanted = None if own is None else own.streaming
        grows = Growing(adapter, self.place, gateway.settings.streaming, f"hermes-live-{arrival.number}", wanted)
        notices: list[str] = []
        typed, ended = 0.0, None
        adapter.react(self.place, arrival.incoming.event, "working")
        self._watch = watch = Watch(gateway.settings.agent, time.monotonic())
        for event in chat.ask(content, arrival.caller):
            watch.hear(event, time.monotonic())
            if arrival.tell is not None:
                arrival.tell(event)
                continue
            if time.monotonic() - typed > _TYPING_SHOWS and isinstance(event, TextDelta | ToolStarted):
                adapter.typing(self.place)
                typed = time.monotonic()
            if isinstance(event, TextDelta):
                grows.add(event.text)
            elif isinstance(event, StartedOver):
                grows.start_over()
            elif isinstance(event, Notice):
                notices.append(event.text)
            elif isinstance(event, TurnEnded):
                ended = event
        self._watch = None
        if ended is not None:  # the turn is over before the person reads the answer, and can type a command
            self._ended(arrival, ended, notices, grows.message)

    def _ended(self, arrival: Arrival, ended: TurnEnded, notices: Sequence[str], live: str | None) -> None:
        for post, content in self._posted:
            self.gateway.delivery.send(post, content, live)
            live = None
        if ended.reason == "interrupted" and self.gateway.stopping:
            return  # parked: it is taken up again when the gateway is back
        self.say("\n".join([*notices, *([str(ended.error)] if ended.error is not None else [])]))
        if not self._posted:  # with an answer it is done already
            self._done(arrival)
        mood = "done" if ended.reason == "answered" else "failed"
        self.gateway.adapters[self.place.platform].react(self.place, arrival.incoming.event, mood)

    def _command(self, chat: Chat, arrival: Arrival) -> None:
        before = chat.agent.session_id
        try:
            self._allowed(chat, arrival.incoming.text)
            text = drawn(self._confirmed(slash.perform(chat, arrival.incoming.text, where="gateway")))
        except HermesError as error:
            text = str(error)
        if chat.agent.session_id != before:
            self.move(chat.agent.session_id)
        self.say(text)
        self._done(arrival)

    def _confirmed(self, reply: Reply) -> Reply:
        """A command that asks before it changes anything waits for the answer."""
        if reply.ask is None:
            return reply
        return reply.ask.then() if self.ask(reply.ask.question, _YES_OR_NO) == "yes" else said("Nothing was changed.")

    def _allowed(self, chat: Chat, text: str) -> None:
        """Commands that run programs or tell about the machine are for its administrators; a skill is for everybody."""
        name = text.strip().removeprefix("/").split()[0].lower()
        ours = slash.find(name)
        if ours is None and name in slash.skill_names(chat):
            return
        if (ours is None or ours[0] in ("debug",)) and not self.gateway.access.is_admin(self.place):
            known = ours is not None or name in (*slash.quick_names(chat), *slash.plugin_names(chat))
            raise HermesError(
                f"/{name} is for administrators (gateway.admin_users)." if known else slash.unknown(chat, name)
            )

    def ask(self, question: str, choices: Sequence[str]) -> str | None:
        """A question of a tool to the person; the next message that is one of the choices answers it."""
        if self._now is not None and self._now.tell is not None:
            return None
        self._question = asked = Question(choices)
        try:
            self.say(f"{question}\n\nAnswer with one of: {', '.join(choices)}." if choices else question)
            return asked.wait(self.gateway.settings.approvals.timeout)
        finally:
            self._question = None
