"""An afternoon with tools: a model that edits, runs and repairs, a server behind the conversation, and a no that holds.
The provider is scripted; HTTP, the loop, the tools, the shell and the store are real."""

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.agent import Agent
from hermes.agent.base import ToolEnded
from hermes.agent.toolbox import Toolbox, toolbox
from hermes.config import load
from hermes.store import SessionDB
from hermes.tools.approvals import record
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import agent_of, ended, talk

BROKEN = "def mean(numbers):\n    return sum(numbers) / len(number)\n\n\nprint(mean([1, 2, 3]))\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as db:
        yield db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def box_in(folder: Path) -> Toolbox:
    return toolbox(load({"toolsets": ["file", "terminal"], "terminal.auto_source_bashrc": False}), folder)


def working(db: SessionDB, server: Scripted, folder: Path, **parts: Any) -> Agent:
    return agent_of(db, server, tools=box_in(folder), **parts)


def results(events: Sequence[Any]) -> list[tuple[str, bool, str]]:
    return [(event.name, event.result.ok, event.result.content) for event in events if isinstance(event, ToolEnded)]


def test_write_run_read_the_error_patch_and_run_again(db: SessionDB, folder: Path) -> None:
    script = (
        Say(calls=[("write_file", {"path": "mean.py", "content": BROKEN})]),
        Say(calls=[("terminal", {"command": "python3 mean.py"})]),
        Say(calls=[("read_file", {"path": "mean.py", "limit": 2}), ("search_files", {"pattern": "number"})]),
        Say(calls=[("patch", {"path": "mean.py", "old_string": "len(number)", "new_string": "len(numbers)"})]),
        Say(calls=[("terminal", {"command": "python3 mean.py"})]),
        Say("It prints 2.0 now."),
    )
    with Scripted(*script) as server:
        agent = working(db, server, folder)
        events = talk(agent, "Write a mean function and make it work.")
        agent.close()
    assert ended(events).text == "It prints 2.0 now."
    done = {(name, ok): content for name, ok, content in results(events)}
    assert "NameError: name 'number' is not defined" in done["terminal", False]
    assert done["read_file", True].startswith("1|def mean(numbers):\n2|    return sum(numbers) / len(number)")
    assert "mean.py:2:" in done["search_files", True]
    assert "+    return sum(numbers) / len(numbers)" in done["patch", True]
    assert done["terminal", True] == "2.0"
    stored = [row["tool_name"] for row in db.get_messages(agent.session_id) if row["role"] == "tool"]
    assert stored == ["write_file", "terminal", "read_file", "search_files", "patch", "terminal"]
    assert record.decided() == []  # nothing of this is dangerous


def test_a_server_runs_behind_the_conversation_and_ends_with_it(db: SessionDB, folder: Path) -> None:
    (folder / "hello.txt").write_text("hello from behind\n")
    port = _free_port()
    serve = f"python3 -u -m http.server {port} --bind 127.0.0.1"
    fetch = f"for i in 1 2 3 4 5 6 7 8 9 10; do curl -sf http://127.0.0.1:{port}/hello.txt && break; sleep 0.3; done"
    script = (
        Say(calls=[("terminal", {"command": serve, "background": True})]),
        Say(calls=[("terminal", {"command": fetch})]),
        Say(calls=[("process", {"action": "poll", "id": "p1"})]),
        Say("It serves."),
        Say(calls=[("process", {"action": "kill", "id": "p1"})]),
        Say(calls=[("process", {"action": "list"})]),
        Say("It is gone."),
    )
    with Scripted(*script) as server:
        agent = working(db, server, folder)
        first = results(talk(agent, "Serve this folder."))
        second = results(talk(agent, "Stop it."))
        agent.close()
    assert first[0][2].startswith("p1: running")
    assert first[1][2] == "hello from behind"
    assert '"GET /hello.txt HTTP/1.1" 200' in first[2][2]
    assert second[0][2].startswith("p1: ended with code -15")
    assert second[1][2].startswith("p1: ended with code -15: python3 -u -m http.server")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_what_runs_behind_is_ended_when_the_chat_is_left(db: SessionDB, folder: Path) -> None:
    script = (Say(calls=[("terminal", {"command": "sleep 71.25", "background": True})]), Say("Sleeping."))
    with Scripted(*script) as server:
        agent = working(db, server, folder)
        talk(agent, "Sleep.")
        assert _running("71.25")
        agent.close()
    assert not _running("71.25")


def test_a_no_is_remembered_and_the_model_is_told(db: SessionDB, folder: Path) -> None:
    (folder / "data.csv").write_text("1\n")
    asked: list[str] = []

    def person(question: str, choices: Sequence[str]) -> str:
        asked.append(question)
        return "deny"

    call = ("terminal", {"command": "rm data.csv"})
    script = (Say(calls=[call]), Say(calls=[call]), Say("I will leave it."), Say(calls=[call]), Say("Still there."))
    with Scripted(*script) as server:
        agent = working(db, server, folder, ask=person)
        first = results(talk(agent, "Clean up."))
        second = results(talk(agent, "Really."))
        agent.close()
        told = server.sent[1].messages[-1]["content"]
    assert len(asked) == 1
    assert "rm data.csv" in asked[0]
    assert (folder / "data.csv").exists()
    assert "This command was refused by the person (rm deletes data.csv)." in told
    assert "was refused by the person before" in first[1][2]
    assert "was refused by the person before" in second[0][2]
    assert [one["how"] for one in record.decided()] == ["remembered", "remembered", "denied"]


def test_allowed_for_good_holds_in_the_next_chat(db: SessionDB, folder: Path) -> None:
    script = [Say(calls=[("terminal", {"command": "rm -f out.txt"})]), Say("Done.")]
    with Scripted(*script) as server:
        agent = working(db, server, folder, ask=lambda question, choices: "always")
        assert results(talk(agent, "Clean up."))[0][1]
        agent.close()
    with Scripted(*script) as server:
        agent = working(db, server, folder)  # nobody there to ask
        assert results(talk(agent, "Clean up."))[0][1]
        agent.close()


def test_a_long_output_is_cut_for_the_model_and_can_be_read_in_parts(db: SessionDB, folder: Path) -> None:
    def read_on(sent: Any) -> Say:
        whole = sent.messages[-1]["content"].rsplit("the whole is in ", 1)[1].rstrip("]")
        return Say(calls=[("read_file", {"path": whole, "offset": 50_000, "limit": 1})])

    with Scripted(Say(calls=[("terminal", {"command": "seq 100000"})]), read_on, Say("Found.")) as server:
        agent = working(db, server, folder)
        found = results(talk(agent, "Count."))
        agent.close()
    assert len(found[0][2]) < 60_000
    assert found[1][2].startswith("50000|50000\n")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _running(mark: str) -> bool:
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False
