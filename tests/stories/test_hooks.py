"""Every hook is heard, with exactly what is documented, wherever the agent works: chat, -q, batch, gateway, cron."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.commands.chat.chat import Chat, Wishes
from hermes.commands.chat.slash import perform
from hermes.config import load
from hermes.plugins.hooks import HOOKS
from hermes.store import SessionDB
from tests.servers.platform import Paper, configured, running, until
from tests.servers.scripted import Say, Scripted, Sent
from tests.unit.cli.program import spawn
from tests.unit.plugins.making import plugin

LISTENER = """
import json
from hermes.plugins.hooks import HOOKS

def register(ctx):
    def hearing(event):
        def heard(**values):
            with open(ctx.folder / "heard.jsonl", "a") as file:
                file.write(json.dumps([event, list(values), str(values.get("session_id"))]) + "\\n")
        return heard
    for event in HOOKS:
        ctx.register_hook(event, hearing(event))
    ctx.register_command("heard", lambda rest: "Everything.", "what was heard")
"""
# What one turn with a tool call tells of, in this order.
TURN = ["pre_llm_call", "pre_api_request", "post_api_request", "pre_tool_call", "transform_tool_result"]
TURN += ["post_tool_call", "pre_api_request", "post_api_request", "post_llm_call"]


def answer(sent: Sent) -> Say:
    """A tool call, and then an answer."""
    if sent.messages[-1]["role"] == "tool" or "skills_list" not in str(sent.body.get("tools")):
        return Say("Done.")
    return Say(calls=[("skills_list", {})])


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    plugin(hermes_home / "plugins", "listener", LISTENER)
    with Scripted(otherwise=answer) as server:
        configured(
            hermes_home,
            server,
            plugins={"enabled": ["listener"]},
            platform_toolsets={"paper": ["skills"]},
            compression={"protect_last_n": 2, "protect_first_n": 1},
            approvals={"mode": "off"},
        )
        yield server


def heard(home: Path) -> list[tuple[str, list[str], str]]:
    file = home / "plugin-data" / "listener" / "heard.jsonl"
    whole = file.read_text().rpartition("\n")[0] if file.exists() else ""  # the last line may be half written
    return [tuple(json.loads(line)) for line in whole.splitlines()]


def events(home: Path) -> list[str]:
    return [event for event, _, _ in heard(home)]


def test_all_14_are_heard_with_what_is_documented(model: Scripted, hermes_home: Path) -> None:
    def ask(chat: Chat, text: str) -> None:
        for _ in chat.ask(text):
            pass

    calls: list[tuple[str, dict[str, Any]]] = [
        ("terminal", {"command": "echo hello"}),
        ("memory", {"action": "add", "target": "user", "content": "Likes tea."}),
        ("delegate_task", {"goal": "count to three"}),
    ]
    model.script += [Say(calls=calls[:2]), Say(calls=calls[2:]), Say("One, two, three."), Say("Done.")]
    with SessionDB() as db:
        chat = Chat(db, load(), Wishes(titles_by_model=False, yolo=True))
        ask(chat, "Do it all.")
        for number in range(3):
            ask(chat, f"Question {number}")
        perform(chat, "/compress")
        perform(chat, "/new")
        ask(chat, "And again.")
        chat.close()
    found = heard(hermes_home)
    assert {event for event, _, _ in found} == set(HOOKS)
    for event, names, _ in found:
        inspect.signature(HOOKS[event]).bind(**dict.fromkeys(names))  # TypeError for one too many or too few
    complete = {event for event, names, _ in found if set(names) == set(inspect.signature(HOOKS[event]).parameters)}
    assert complete == set(HOOKS)


def test_a_question_on_the_command_line(model: Scripted, hermes_home: Path) -> None:
    done = spawn("-q", "Which skills are there?")
    assert (done.code, done.out) == (0, "Done.\n"), done.err
    assert events(hermes_home) == ["on_session_start", *TURN, "on_session_end", "on_session_finalize"]


def test_a_batch(model: Scripted, hermes_home: Path, tmp_path: Path) -> None:
    (tmp_path / "prompts.txt").write_text("first\nsecond\n")
    done = spawn("batch", str(tmp_path / "prompts.txt"), "--workers", "1")
    assert done.code == 0, done.err
    assert events(hermes_home) == ["on_session_start", *TURN, "on_session_end", "on_session_finalize"] * 2


def test_a_scheduled_job(model: Scripted, hermes_home: Path) -> None:
    assert spawn("cron", "add", "daily at 9", "Which skills are there?", "--name", "morning").code == 0
    done = spawn("cron", "run", "morning")
    assert done.code == 0, done.err
    assert events(hermes_home) == ["on_session_start", *TURN, "on_session_end", "on_session_finalize"]


def test_a_chat_in_the_gateway(model: Scripted, hermes_home: Path) -> None:
    paper = Paper()
    with SessionDB() as db, running(db, paper):
        paper.says("7", "Which skills are there?")
        until(lambda: paper.heard("7") == ["Done."], 60)
        until(lambda: not db.arrivals("running", "waiting"), 60)
        paper.says("7", "/new")
        until(lambda: "on_session_finalize" in events(hermes_home), 60)
        [session] = db.search_sessions()
    begun = ["on_session_start", *TURN]
    assert events(hermes_home)[: len(begun)] == begun
    assert events(hermes_home)[len(begun) :] == ["on_session_end", "on_session_reset", "on_session_finalize"]
    assert {session_id for _, _, session_id in heard(hermes_home)} == {session["id"]}


def test_skills_and_commands_of_plugins_in_the_gateway(model: Scripted, hermes_home: Path) -> None:
    """A skill is for everybody; a command of a plugin is code, and for administrators."""
    settings = (hermes_home / "config.yaml").read_text()
    admins = settings.replace("allow_all_users: true", "allow_all_users: true\n  admin_users: ['paper:1']")
    (hermes_home / "config.yaml").write_text(admins)
    paper = Paper()
    with SessionDB() as db, running(db, paper):
        paper.says("7", "/weekly-review of my garden")
        until(lambda: paper.heard("7") == ["Done."], 60)
        until(lambda: not db.arrivals("running", "waiting"), 60)
        asked = [row["content"] for row in db.get_messages(db.search_sessions()[0]["id"]) if row["role"] == "user"]
        paper.says("7", "/heard")
        until(lambda: len(paper.heard("7")) == 2, 60)
        paper.says("1", "/heard")
        until(lambda: paper.heard("1"), 60)
    assert asked[0].startswith('of my garden\n\n<skill name="weekly-review"')
    for source, skills in ((None, ["weekly-review"]), ("paper", ["weekly-review"]), ("cli", [])):
        told = spawn("insights", "--json", *(("--source", source) if source else ())).out
        assert [one["skill"] for one in json.loads(told)["skills"]] == skills
    assert paper.heard("7")[1] == "/heard is for administrators (gateway.admin_users)."
    assert paper.heard("1") == ["Everything."]
