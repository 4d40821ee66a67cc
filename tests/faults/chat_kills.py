"""Row 18: SIGKILL in mid-turn. Whatever the person said is there once, and the conversation goes on: a call that was
left open is answered on the next load, so that every provider accepts the history."""

import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hermes.agent.agent import Agent
from hermes.agent.base import SessionOptions, TurnEnded
from hermes.agent.conversation import LOST
from hermes.config import Settings
from hermes.config.areas.execution import Compression
from hermes.providers.chat import Chat
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint
from hermes.providers.keys import GivenKeys
from hermes.store import SessionDB
from tests.faults.children import ask, kill, start
from tests.faults.rows import Outcome, Run, row
from tests.faults.verify import Findings, check_stock
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.chatting import Toolbox

_PATIENCE = Patience(connect=5, read=20, silence=20, total=60)
_SAID = re.compile(r"message \d+-\d+")


@row(18)
def killed_in_a_turn(run: Run) -> Outcome:
    store, kills = run.fresh() / "state.db", run.size(100, 6)
    found, unusable = Findings(), list[str]()
    with Scripted(otherwise=_answers(run.rng)) as server:
        session: str | None = None
        for number in range(kills):
            _round(run, store, server, number, session)
            session, wrong = ask(_goes_on, store, server.url, session)
            unusable += [wrong] if wrong else []
        requests = [sent.messages for sent in server.sent if sent.body]  # without those that a kill cut short
        heard = {text for messages in requests for text in _SAID.findall(str(messages))}
        broken = [wrong for messages in requests if (wrong := _refused(messages))]
    stored, notices, parts, repaired = ask(_stored, store)
    found.notices += notices
    found.lost += sorted(heard - set(stored))
    found.broken += [text for text, times in stored.items() if times > 1] + broken
    found.add(ask(check_stock, store))
    return Outcome(
        f"{kills} times killed in mid-turn; {parts - 1} compressions, {repaired} open calls repaired",
        f"user messages lost {len(found.lost)} of {len(heard)}; stored twice, or histories a provider would refuse "
        f"{len(found.broken)}; sessions that did not go on {len(unusable)} of {kills}{found.worst()}"
        + (f" (first: {unusable[0][:200]})" if unusable else ""),
        found.good() and not unusable and len(heard) >= kills and (run.quick or min(parts - 1, repaired) > 0),
    )


def _answers(rng: random.Random) -> Any:
    def answer(sent: Sent) -> Say:
        if not sent.body:
            return Say("to nobody")
        if "go on" in str(sent.messages[-1]["content"]):
            return Say("gone on")
        counted = len(str(sent.messages)) // 4
        if rng.random() < 0.4:
            call = ("echo", {"text": "x" * rng.choice([5, 3000])}, f"c{rng.random()}")
            return Say("let me", calls=[call], input_tokens=counted)
        return Say("word " * rng.randint(1, 60), pause=rng.choice([0, 0.002]), input_tokens=counted)

    return answer


def _round(run: Run, store: Path, server: Scripted, number: int, session: str | None) -> None:
    """A child talks, and is killed some time after its first words went out."""
    before = len(server.sent)
    child = start(_talk, store, server.url, number, session)
    deadline = time.monotonic() + 30
    while len(server.sent) == before:
        if time.monotonic() > deadline:
            raise AssertionError("the child does not get going")
        time.sleep(0.002)
    time.sleep(run.rng.uniform(0, 0.6))
    kill([child])


def _agent(db: SessionDB, url: str, session: str | None) -> Agent:
    provider = Endpoint("scripted", "m", 6000, url, Chat(), GivenKeys(["k"]), retries=0, patience=_PATIENCE)
    return Agent(
        db,
        Settings(compression=Compression(protect_first_n=2, protect_last_n=6)),
        provider=provider,
        session_id=session,
        tools=Toolbox(),
        auxiliary=lambda task: None,
        options=SessionOptions(system_prompt="You are tested."),
    )


def _talk(store: Path, url: str, number: int, session: str | None) -> None:
    with SessionDB(store) as db:
        agent = _agent(db, url, session)
        for turn in range(1000):
            for _ in agent.run(f"message {number}-{turn}"):
                pass


def _goes_on(store: Path, url: str, session: str | None) -> tuple[str, str]:
    """The session to go on with, and what keeps it from going on."""
    with SessionDB(store) as db:
        newest = session or str(db.list_sessions_rich(limit=1)[0]["id"])
        agent = _agent(db, url, newest)
        last = list(agent.run("go on"))[-1]
        good = isinstance(last, TurnEnded) and last.text == "gone on"
        return agent.session_id, "" if good else f"{last}"


def _stored(store: Path) -> tuple[Counter[str], list[str], int, int]:
    """How often each message is in the store, what was carried along aside; notices, parts, repaired calls."""
    with SessionDB(store) as db:
        sessions = db.search_sessions(limit=10**6)
        rows = [
            message
            for session in sessions
            for message in db.get_messages(session["id"])
            if message["carried_from"] is None
        ]
        texts = Counter(row["content"] for row in rows if _SAID.fullmatch(str(row["content"])))
        repaired = sum(row["content"] == LOST for row in rows)
        return texts, list(db.notices), len(sessions), repaired


def _refused(messages: list[dict[str, Any]]) -> str:
    """What a strict provider would say: a call without its results right behind it, or a result without a call."""
    open_calls: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return f"a result without a call: {message}"
            open_calls.discard(message["tool_call_id"])
        elif open_calls:
            return f"calls without results: {open_calls}"
        open_calls |= {call["id"] for call in message.get("tool_calls") or ()}
    return f"calls without results: {open_calls}" if open_calls else ""
