"""A delegated research: children with sessions of their own, bounded in every way, whose answers come back."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.agent import Agent
from hermes.agent.empty import NoMemory
from hermes.agent.toolbox import Toolbox
from hermes.config import Settings
from hermes.config.areas import core
from hermes.store import SessionDB
from hermes.tools.registry import Tool, function
from hermes.tools.work import Workplace
from tests.servers.scripted import Hang, Say, Scripted, Sent
from tests.stories.chatting import agent_of, ended, settings, talk

TOOLS = ("delegate_task", "todo", "clarify", "read_file", "terminal", "process")
RESEARCH = [{"goal": "Find the height of Etna"}, {"goal": "Find the height of Vesuvius", "context": "In metres."}]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        yield store


class Hooks:
    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def emit(self, event: str, **values: Any) -> list[Any]:
        self.heard.append((event, values))
        return []

    def of(self, event: str) -> list[dict[str, Any]]:
        return [values for name, values in self.heard if name == event]


class Memory(NoMemory):
    def __init__(self) -> None:
        self.delegated: list[tuple[str, str, str]] = []

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None:
        self.delegated.append((task, result, child_session_id))


def asked(sent: Sent) -> str:
    """The first thing the person, or the parent, said."""
    return str(next(message["content"] for message in sent.messages if message["role"] == "user"))


def with_delegation(**delegation: Any) -> Settings:
    return settings(delegation=core.Delegation(**delegation))


PLUGIN = Tool("weigh", "scales", function("weigh", "Weigh something.", {}, ()), lambda arguments, work: "2 kg")


def parent_of(db: SessionDB, server: Scripted, folder: Path, chosen: Settings | None = None, **parts: Any) -> Agent:
    chosen = chosen or settings()
    box = Toolbox([*TOOLS, PLUGIN.name], Workplace(chosen, {}, folder), [PLUGIN])
    return agent_of(db, server, settings=chosen, tools=box, **parts)


def results(db: SessionDB, session_id: str) -> list[str]:
    return [str(row["content"]) for row in db.get_messages(session_id) if row["role"] == "tool"]


def children(db: SessionDB, agent: Agent) -> list[dict[str, Any]]:
    return db.get_descendants(agent.session_id)[1:]


def test_two_children_do_a_research_and_their_answers_come_back(db: SessionDB, tmp_path: Path) -> None:
    def answer(sent: Sent) -> Say:
        if asked(sent).startswith("Find"):
            return Say("Etna: 3,403 m" if "Etna" in asked(sent) else "Vesuvius: 1,281 m", cost=0.25)
        if sent.messages[-1]["role"] == "tool":
            return Say("Etna is higher.")
        return Say(calls=[("delegate_task", {"tasks": RESEARCH})])

    hooks, memory = Hooks(), Memory()
    with Scripted(otherwise=answer) as server:
        agent = parent_of(db, server, tmp_path, hooks=hooks, memory=memory)
        assert ended(talk(agent, "Which is higher, Etna or Vesuvius?")).text == "Etna is higher."
    [result] = results(db, agent.session_id)
    assert "Etna: 3,403 m" in result
    assert "Vesuvius: 1,281 m" in result
    made = children(db, agent)
    assert {(row["source"], row["owner"], row["parent_session_id"], row["end_reason"]) for row in made} == {
        ("subagent", "local", agent.session_id, "subagent_stop")
    }
    assert [row["estimated_cost_usd"] or row["actual_cost_usd"] for row in made] == [0.25, 0.25]
    spent = {row["session"]: row["input_tokens"] for row in db.usage_by("session")}
    assert all(spent[row["id"]] == 100 for row in made)
    assert [row["id"] for row in db.list_sessions_rich()] == [agent.session_id]
    told = hooks.of("subagent_stop")
    assert {one["child_session_id"] for one in told} == {row["id"] for row in made}
    assert {one["reason"] for one in told} == {"answered"}
    assert {one[:2] for one in memory.delegated} == {
        ("Find the height of Etna", "Etna: 3,403 m"),
        ("Find the height of Vesuvius", "Vesuvius: 1,281 m"),
    }
    questions = [sent.messages[-1]["content"] for sent in server.sent if asked(sent).startswith("Find")]
    assert "Find the height of Vesuvius\n\nWhat you should know:\nIn metres." in questions


def delegating(**arguments: Any) -> Say:
    return Say(calls=[("delegate_task", arguments)])


def offered_to_the_child(db: SessionDB, folder: Path, chosen: Settings, **arguments: Any) -> set[str]:
    with Scripted(delegating(goal="Look", **arguments), Say("Seen."), Say("Good.")) as server:
        agent = parent_of(db, server, folder, chosen)
        talk(agent, "go")
        assert results(db, agent.session_id)[0].startswith("Seen.")
        return {one["function"]["name"] for one in server.sent[1].body.get("tools") or ()}


def test_a_child_has_what_its_parent_has_but_nobody_to_talk_to(db: SessionDB, tmp_path: Path) -> None:
    assert offered_to_the_child(db, tmp_path, settings()) == {"todo", "read_file", "terminal", "process", "weigh"}
    assert offered_to_the_child(db, tmp_path, settings(), toolsets=["file"]) == {"read_file"}


def test_children_have_children_only_as_deep_as_the_settings_say(db: SessionDB, tmp_path: Path) -> None:
    assert "delegate_task" in offered_to_the_child(db, tmp_path, with_delegation(max_spawn_depth=2))
    alone = with_delegation(max_spawn_depth=2, orchestrator_enabled=False)
    assert "delegate_task" not in offered_to_the_child(db, tmp_path, alone)
    script = (
        delegating(goal="Go down"),
        delegating(goal="Go further down"),
        Say("Bottom."),
        Say("Middle."),
        Say("Top."),
    )
    with Scripted(*script) as server:
        agent = parent_of(db, server, tmp_path, with_delegation(max_spawn_depth=2))
        assert ended(talk(agent, "go")).text == "Top."
        assert "delegate_task" not in {one["function"]["name"] for one in server.sent[2].body["tools"]}
    child, grandchild = children(db, agent)
    assert grandchild["parent_session_id"] == child["id"]


def test_no_more_children_work_at_once_than_allowed(db: SessionDB, tmp_path: Path) -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def answer(sent: Sent) -> Say:
        nonlocal at_once, most
        if asked(sent) == "go":
            tasks = [{"goal": f"Count {number}"} for number in range(5)]
            return Say("Done.") if sent.messages[-1]["role"] == "tool" else delegating(tasks=tasks)
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.2)
        with lock:
            at_once -= 1
        return Say("counted")

    with Scripted(otherwise=answer) as server:
        agent = parent_of(db, server, tmp_path, with_delegation(max_concurrent_children=2))
        talk(agent, "go")
    assert most == 2
    assert len(children(db, agent)) == 5
    assert results(db, agent.session_id)[0].count("counted") == 5


def test_a_child_stops_after_its_model_calls(db: SessionDB, tmp_path: Path) -> None:
    looks = [Say(calls=[("todo", {})])] * 2
    with Scripted(delegating(goal="Look"), *looks, Say("So be it.")) as server:
        agent = parent_of(db, server, tmp_path, with_delegation(max_iterations=2))
        assert ended(talk(agent, "go")).text == "So be it."
    assert "not finished (iterations)" in results(db, agent.session_id)[0]


def test_a_child_stops_after_its_time(db: SessionDB, tmp_path: Path) -> None:
    with Scripted(delegating(goal="Look"), Hang(90), Say("So be it.")) as server:
        agent = parent_of(db, server, tmp_path, with_delegation(child_timeout_seconds=1))
        assert ended(talk(agent, "go")).text == "So be it."
    assert "not finished (time)" in results(db, agent.session_id)[0]


def test_what_stops_the_parent_stops_its_children(db: SessionDB, tmp_path: Path) -> None:
    hooks = Hooks()
    with Scripted(delegating(goal="Look"), Hang(90)) as server:
        agent = parent_of(db, server, tmp_path, hooks=hooks)
        threading.Timer(1.0, agent.stop).start()
        began = time.monotonic()
        assert ended(talk(agent, "go")).reason == "interrupted"
        assert time.monotonic() - began < 30
        deadline = time.monotonic() + 30
        while not hooks.of("subagent_stop") and time.monotonic() < deadline:
            time.sleep(0.05)
    assert [one["reason"] for one in hooks.of("subagent_stop")] == ["interrupted"]
    [child] = children(db, agent)
    assert child["ended_at"] is not None


def test_a_dangerous_command_of_a_child_is_put_to_the_person(db: SessionDB, tmp_path: Path) -> None:
    (tmp_path / "keep.txt").write_text("kept")
    questions: list[str] = []

    def ask(question: str, choices: Sequence[str]) -> str | None:
        questions.append(question)
        return "deny"

    command = Say(calls=[("terminal", {"command": "rm -rf keep.txt"})])
    with Scripted(delegating(goal="Tidy up"), command, Say("Not allowed."), Say("Fine.")) as server:
        talk(parent_of(db, server, tmp_path, ask=ask), "go")
    assert len(questions) == 1
    assert questions[0].startswith("A child agent asks: ")
    assert (tmp_path / "keep.txt").read_text() == "kept"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"goal": " "}, {"tasks": ["x"]}, {"goal": "x", "toolsets": ["fiel"]}, {"tasks": [{"goal": "x"}] * 21}],
)
def test_what_is_no_task_is_refused_before_anything_begins(
    db: SessionDB, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    with Scripted(delegating(**arguments), Say("I see.")) as server:
        agent = parent_of(db, server, tmp_path)
        talk(agent, "go")
        assert len(server.sent) == 2
    assert children(db, agent) == []


def test_a_child_whose_model_fails_says_so_and_the_turn_goes_on(db: SessionDB, tmp_path: Path) -> None:
    elsewhere = core.Delegation(model="other", base_url="http://127.0.0.1:9/v1")
    nowhere = settings(agent={"api_max_retries": 0}, delegation=elsewhere)
    with Scripted(delegating(goal="Look"), Say("I will look myself.")) as server:
        agent = parent_of(db, server, tmp_path, nowhere)
        assert ended(talk(agent, "go")).text == "I will look myself."
    assert "not finished (failed)" in results(db, agent.session_id)[0]


def test_children_can_have_a_model_of_their_own(db: SessionDB, tmp_path: Path) -> None:
    with Scripted(Say("Small but done.")) as small:
        with Scripted(delegating(goal="Look"), Say("Good.")) as server:
            chosen = with_delegation(model="small", base_url=small.url)
            talk(parent_of(db, server, tmp_path, chosen), "go")
        assert small.sent[0].body["model"] == "small"
