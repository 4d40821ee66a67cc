"""The same ways to fail, seen from a conversation: the message is kept, the turn ends, and the next one is answered."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes.agent.agent import Agent
from hermes.agent.base import SessionOptions, TurnEnded
from hermes.config import Settings
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint, Format
from hermes.providers.keys import GivenKeys
from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import Toolbox


def unusable_sessions(format: Format, ways: Sequence[Any], patience: Patience) -> list[str]:
    """What was wrong, a line each: every way hits a conversation in mid-turn, behind a tool."""
    with tempfile.TemporaryDirectory() as folder, SessionDB(Path(folder) / "state.db") as db:
        with Scripted(otherwise=Say("here I am")) as server:
            found = [_hit(db, server, format, way, patience) for way in ways]
        return [wrong for wrong in found if wrong]


def _hit(db: SessionDB, server: Scripted, format: Format, way: Any, patience: Patience) -> str:
    broken = Endpoint("test", "m", 8192, "http://127.0.0.1:9/v1", format, GivenKeys(["k"]), retries=0)
    working = Endpoint("test", "m", 8192, server.url, format, GivenKeys(["k"]), retries=3, patience=patience)
    agent = Agent(
        db,
        Settings(),
        provider=broken if way.script is None else working,
        tools=Toolbox(),
        auxiliary=lambda task: None,
        options=SessionOptions(system_prompt="You are tested."),
    )
    server.script[:] = [Say(calls=[("echo", {"text": "x"})]), *(way.script or ())]
    last = list(agent.run(way.name))[-1]
    server.script.clear()
    agent.use(working)
    again = list(agent.run("are you there?"))[-1]
    whole = db.get_messages_as_conversation(agent.session_id, include_ancestors=True)
    said = [message["content"] for message in whole if message["role"] == "user"]
    agent.close(wait=0)
    if not isinstance(last, TurnEnded) or said != [way.name, "are you there?"]:
        return f"{way.name}: the message was not kept: {said}"
    return "" if again.text == "here I am" else f"{way.name}: the next turn was not answered: {again}"
