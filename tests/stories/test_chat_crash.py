"""A process that is killed in mid-turn, and the conversation that goes on."""

import signal
import subprocess
import sys
import time

from hermes.agent.base import Notice
from hermes.agent.conversation import LOST
from hermes.store import SessionDB
from tests.servers.scripted import Hang, Say, Scripted
from tests.stories.chatting import Toolbox, agent_of, ended, sent_roles, stored, talk

CHILD = """
import sys
from hermes.agent.agent import Agent
from hermes.store import SessionDB
from tests.stories.chatting import Toolbox, endpoint, settings
with SessionDB() as db:
    agent = Agent(db, settings(), provider=endpoint(sys.argv[1]), tools=Toolbox(), auxiliary=lambda task: None)
    for event in agent.run("do the thing"):
        print(type(event).__name__, flush=True)
"""


def killed_after(server: Scripted, word: str) -> None:
    """A chat in a process of its own, killed with -9 when it has said this word (or sent its request)."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, server.url], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    deadline = time.monotonic() + 30
    if word == "request":
        while not server.sent and time.monotonic() < deadline:
            time.sleep(0.01)
    else:
        for line in child.stdout:
            if line.strip() == word:
                break
    child.kill()
    assert child.wait(60) == -signal.SIGKILL
    child.stdout.close()


def only_session(db: SessionDB) -> str:
    [session] = db.list_sessions_rich()
    return str(session["id"])


def test_killed_while_the_provider_thinks_the_message_is_there(db: SessionDB) -> None:
    with Scripted(Hang(20), Say("done now")) as server:
        killed_after(server, "request")
        session = only_session(db)
        assert stored(db, session) == [("user", "do the thing")]
        agent = agent_of(db, server, session_id=session)
        assert ended(talk(agent, "well?")).text == "done now"
        assert sent_roles(server.sent[-1]) == ["system", "user", "user"]


def test_killed_while_a_tool_runs_its_call_is_answered_on_resume(db: SessionDB) -> None:
    with Scripted(Say("Working.", calls=[("slow", {}, "call_9")]), Say("I see.")) as server:
        killed_after(server, "ToolStarted")
        session = only_session(db)
        assert [role for role, _ in stored(db, session)] == ["user", "assistant"]
        agent = agent_of(db, server, session_id=session, tools=Toolbox())
        assert agent.messages[-1]["content"] == LOST
        assert len(db.get_messages(session)) == 2  # looking at it changes nothing
        events = talk(agent, "what happened?")
        assert isinstance(events[0], Notice)
        assert "did not finish" in events[0].text
        assert [message["content"] for message in server.sent[-1].messages[1:]] == [
            "do the thing", "Working.", LOST, "what happened?"
        ]  # fmt: skip
        assert ended(events).reason == "answered"
        assert not [event for event in talk(agent, "and now?") if isinstance(event, Notice) and "finish" in event.text]
        assert sum(content == LOST for _, content in stored(db, session)) == 1
