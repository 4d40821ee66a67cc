"""Half a year of conversations into an empty store: the same ones each time, the last of them today."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from hermes.commands.demo.scenes import Scene, Turn, scenes
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.usage import Usage
from hermes.store import SessionDB
from hermes.store.db import Transaction

SESSIONS = 320
DAYS = 180
_AT_ONCE = 40  # conversations a transaction
_HOURS = (7, 8, 9, 9, 10, 10, 11, 11, 13, 14, 14, 15, 15, 16, 17, 18, 19, 20, 20, 21, 21, 22)


@dataclass(frozen=True, slots=True)
class Model:
    """Made-up prices in dollars a million tokens; None: it runs at home, and nobody knows what it costs."""

    name: str
    provider: str
    input: float | None
    output: float = 0.0


MODELS = (
    Model("anthropic/claude-sonnet-4.6", "openrouter", 3.0, 15.0),
    Model("anthropic/claude-opus-4.6", "anthropic", 5.0, 25.0),
    Model("openai/gpt-5.2", "openai", 1.75, 14.0),
    Model("google/gemini-3-flash", "google", 0.5, 3.0),
    Model("deepseek/deepseek-v3.2", "openrouter", 0.28, 0.42),
    Model("qwen3:32b", "ollama", None),
)
_WEIGHTS = (40, 8, 18, 16, 10, 8)


def fill(db: SessionDB, now: float) -> None:
    """Everything in a few transactions, each moment as if it had been lived through."""
    rng = random.Random(20260305)
    played = [(scene, _moment(scene, number, now, rng)) for number, scene in enumerate(_cast(rng))]
    played.sort(key=lambda one: one[1])
    for start in range(0, len(played), _AT_ONCE):
        with db.transaction() as tx:
            for scene, moment in played[start : start + _AT_ONCE]:
                _Story(tx, rng, scene, moment, now).tell()


def _cast(rng: random.Random) -> list[Scene]:
    """Every scene about as often; what a schedule starts comes more often, as it does."""
    available = scenes()
    weights = [3 if "cron" in scene.sources else 1 for scene in available]
    return [*available, *rng.choices(available, weights, k=SESSIONS - len(available))]


def _moment(scene: Scene, number: int, now: float, rng: random.Random) -> float:
    """More and more of them towards today; work on working days, schedules at their hour."""
    today = datetime.fromtimestamp(now).replace(minute=0, second=0, microsecond=0)
    if number < 3:
        return now - (number + 1) * 2400 - rng.randrange(600)
    day = today - timedelta(days=1 + int(DAYS * (1 - rng.random() ** 0.7)))
    while "work" in scene.tags and day.weekday() > 4:
        day -= timedelta(days=rng.randrange(2, 6))
    hour = rng.choice((3, 7)) if scene.sources == ("cron",) else rng.choice(_HOURS)
    return day.replace(hour=hour, minute=rng.randrange(60), second=rng.randrange(60)).timestamp()


class _Story:
    """One conversation, told through all its parts."""

    def __init__(self, tx: Transaction, rng: random.Random, scene: Scene, moment: float, now: float) -> None:
        self._tx = tx
        self._rng = rng
        self._scene = scene
        self._at = moment
        self._now = now
        self._source = rng.choice(scene.sources)
        self._model = rng.choices(MODELS, _WEIGHTS)[0]
        self._context = rng.randrange(1500, 4000)
        self._session = self._id()

    def tell(self) -> None:
        first, *rest = self._scene.play(self._rng)
        self._begin(first)
        self._say(first)
        for turn in rest:
            self._pause(600, 90_000)
            if self._at > self._now - 900:  # not in the future
                return
            self._go_on(turn)
            self._say(turn)
        self._finish()

    def _id(self) -> str:
        digits = 6 if self._source in LOCAL_SOURCES else 8
        stamp = datetime.fromtimestamp(self._at).strftime("%Y%m%d_%H%M%S")
        return f"{stamp}_{self._rng.randrange(16**digits):0{digits}x}"

    def _begin(self, turn: Turn) -> None:
        person = None if self._source in LOCAL_SOURCES else "4711"
        self._tx.at = self._at
        self._tx.create_session(
            self._session,
            self._source,
            model=self._model.name,
            user_id=person,
            chat_id=person,
            chat_type="dm" if person else None,
            started_at=self._at,
        )
        self._name(turn.opening)
        if self._scene.tags and self._rng.random() < 0.6:
            self._tx.tag_session(self._session, self._scene.tags)

    def _name(self, title: str) -> None:
        """Unique, as titles are; some never get one."""
        dated = self._tx.get_session_by_title(title) is not None
        if dated:
            title += datetime.fromtimestamp(self._at).strftime(", %-d %b")
        if not dated or (self._tx.get_session_by_title(title) is None and self._rng.random() < 0.7):
            self._tx.set_session_title(self._session, title)

    def _go_on(self, turn: Turn) -> None:
        before, self._session = self._session, self._id()
        self._tx.at = self._at
        if turn.kind == "branch":
            self._tx.branch_session(before, self._session, title=turn.opening)
        else:
            summary = {"role": "user", "content": f"[What was said so far] {turn.opening}", "timestamp": self._at}
            self._tx.split_session(before, self._session, [summary])

    def _say(self, turn: Turn) -> None:
        for message in turn.messages:
            self._tx.append_message(self._session, timestamp=self._at, **message)
            if message["role"] == "assistant":
                self._record(len(message["content"] or ""))
            self._pause(*((40, 400) if message["role"] == "assistant" and message["content"] else (2, 30)))
            if self._at > self._now - 60:
                return

    def _record(self, said: int) -> None:
        """One model call: what was said before comes from the cache, what is new does not."""
        fresh, out = self._rng.randrange(200, 1800), said // 3 + self._rng.randrange(20, 400)
        cached, self._context = self._context, self._context + fresh + out
        price = None
        if self._model.input is not None:
            price = ((fresh + cached / 10) * self._model.input + out * self._model.output) / 1e6
        usage = Usage(
            fresh,
            out,
            cache_read_tokens=cached,
            api_call_count=1,
            estimated_cost_usd=price,
            cost_status="unknown" if price is None else "estimated",
            model=self._model.name,
            billing_provider=self._model.provider,
        )
        self._tx.record_usage(self._session, usage, at=self._at)

    def _pause(self, least: int, most: int) -> None:
        self._at += self._rng.randrange(least, most)

    def _finish(self) -> None:
        self._tx.at = self._at
        if self._at < self._now - 86400:
            self._tx.end_session(self._session, "user_exit" if self._source in LOCAL_SOURCES else "session_reset")
        if self._rng.random() < 0.02:
            self._tx.pin_session(self._session)
        elif self._rng.random() < 0.03:
            self._tx.archive_session(self._session)
