"""An agent that talks to a scripted provider over real HTTP, and a small real tool."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from hermes.agent.agent import Agent
from hermes.agent.base import TurnEnded
from hermes.config import Settings
from hermes.config.areas import core, execution
from hermes.providers.base import TextDelta
from hermes.providers.chat import Chat
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint
from hermes.providers.keys import GivenKeys
from hermes.store import SessionDB
from hermes.tools.base import ToolContext, ToolResult
from tests.servers.scripted import Scripted, Sent

QUICK = Patience(connect=5, read=10, silence=10, total=30)


def endpoint(server: Scripted | str, *, name: str = "scripted", window: int = 8192, **options: Any) -> Endpoint:
    url = server if isinstance(server, str) else server.url
    given = {"format": Chat(), "retries": 0, "patience": QUICK, **options}
    return Endpoint(name, "scripted", window, url, keys=GivenKeys(["sk-test"]), **given)


def settings(*, agent: Mapping[str, Any] = {}, compression: Mapping[str, Any] = {}, **others: Any) -> Settings:
    return Settings(agent=core.Agent(**agent), compression=execution.Compression(**compression), **others)


def agent_of(db: SessionDB, server: Scripted, **parts: Any) -> Agent:
    """An agent without an auxiliary model, unless one is given: the script belongs to the conversation alone."""
    given = {"provider": endpoint(server), "auxiliary": lambda task: None, **parts}
    return Agent(db, given.pop("settings", None) or settings(), **given)


def talk(agent: Agent, text: Any) -> list[Any]:
    return list(agent.run(text))


def ended(events: Sequence[Any]) -> TurnEnded:
    assert isinstance(events[-1], TurnEnded)
    return events[-1]


def shown(events: Sequence[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def stored(db: SessionDB, session_id: str) -> list[tuple[str, Any]]:
    return [(row["role"], row["content"]) for row in db.get_messages(session_id)]


def sent_roles(sent: Sent) -> list[str]:
    return [message["role"] for message in sent.messages]


class Toolbox:
    """`echo` says back what it was told and may run beside others; `slow` takes its time, and ends when it is stopped
    or released; `break` fails in a way no tool should."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.released = threading.Event()
        self.at_once = 0
        self._running = 0
        self._lock = threading.Lock()

    def definitions(self) -> Sequence[Mapping[str, Any]]:
        parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
        return [
            {"type": "function", "function": {"name": name, "description": f"{name} it", "parameters": parameters}}
            for name in ("echo", "slow", "break")
        ]

    def may_run_beside_others(self, name: str) -> bool:
        return name == "echo"

    def call(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        with self._lock:
            self._running += 1
            self.at_once = max(self.at_once, self._running)
        self.started.set()
        try:
            return self._run(name, arguments, context)
        finally:
            with self._lock:
                self._running -= 1

    def _run(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        if name == "break":
            raise RuntimeError("a bug")
        if name == "slow":
            ends = time.monotonic() + 20
            while time.monotonic() < ends and not context.stopped() and not self.released.is_set():
                time.sleep(0.01)
            return ToolResult("stopped half way", ok=False)
        time.sleep(0.05)
        return ToolResult(json.loads(arguments).get("text", ""))
