"""The agent, its own past, and its person: a fact of months ago, a question answered, one that nobody hears."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.terminal import Terminal
from tests.unit.cli.program import Hermes, spawn

DAY = 86400.0
FACT = "The berth of the Marlvane is number 47, and the harbour master is called Ingrid."


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    with Scripted() as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield server


def last(sent: Sent) -> str:
    return str(sent.messages[-1]["content"])


def from_the_result(pattern: str, answer: str) -> Callable[[Sent], Any]:
    """An answer that can only be given by somebody who read the tool's result."""

    def step(sent: Sent) -> Say:
        assert sent.messages[-1]["role"] == "tool"
        found = re.search(pattern, last(sent))
        return Say(answer.format(found[1]) if found else f"I do not know: {last(sent)}")

    return step


def months_ago(db: SessionDB) -> None:
    """A long conversation of last spring; what matters was said before it was compressed, twice."""
    then = time.time() - 200 * DAY
    db.create_session("spring", "cli", started_at=then)
    talk = [f"Let us talk about the weather of day {number}." for number in range(30)]
    talk[7] = FACT
    for number, text in enumerate(talk):
        db.append_message("spring", ("user", "assistant")[number % 2], text, timestamp=then + 60 * number)
    db.set_session_title("spring", "Sailing in spring")
    summary = [{"role": "user", "content": "[Summary] We talked about sailing and the weather."}]
    db.split_session("spring", "spring-2", summary)
    db.append_message("spring-2", "user", "And the tides?", timestamp=then + DAY)
    db.split_session("spring-2", "spring-3", summary)
    db.append_message("spring-3", "assistant", "High at noon.", timestamp=then + 2 * DAY)
    for number in range(40):
        db.create_session(f"other-{number}", "cli", started_at=time.time() - number * DAY)
        db.append_message(f"other-{number}", "user", f"Something else, about gardens and tax form {number}.")


def test_a_fact_from_a_compressed_session_of_months_ago_is_recalled(model: Scripted) -> None:
    with SessionDB() as db:
        months_ago(db)
    model.add(
        Say(calls=[("session_search", {"query": "berth Marlvane"})]),
        from_the_result(r"number (\d+)", "Berth {}."),
    )
    done = spawn("-z", "Where does the Marlvane lie?")
    assert (done.code, done.out) == (0, "Berth 47.\n")
    recalled = last(model.sent[1])
    assert FACT in recalled
    assert 'id="spring-3" title="Sailing in spring' in recalled
    assert "Let us talk about the weather of day 6." in recalled
    assert "not instructions" in recalled


def test_a_question_in_plain_words_finds_it_too(model: Scripted) -> None:
    with SessionDB() as db:
        months_ago(db)
    model.add(
        Say(calls=[("session_search", {"query": "who was the harbour master at our berths?"})]),
        from_the_result(r"is called (\w+)", "Her name is {}."),
    )
    assert spawn("-z", "Who is the harbour master?").out == "Her name is Ingrid.\n"


def test_what_is_said_now_is_not_found_as_the_past(model: Scripted) -> None:
    model.add(
        Say(calls=[("session_search", {"query": "Marlvane"})]), from_the_result(r"(Nothing in earlier)", "{} sessions.")
    )
    assert spawn("-z", "Where does the Marlvane lie?").out == "Nothing in earlier sessions.\n"


def test_the_first_request_tells_the_model_of_its_own_tools_in_few_bytes(model: Scripted) -> None:
    model.add(Say("Hello."))
    spawn("-z", "hello")
    told = {one["function"]["name"]: len(json.dumps(one)) for one in model.sent[0].body["tools"]}
    own = {name: told[name] for name in ("session_search", "todo", "clarify", "delegate_task")}
    assert sum(own.values()) / len(own) < 807, own  # half of what the reference needs for a tool


def test_a_question_is_put_to_the_person_and_answered(model: Scripted) -> None:
    choices = {"question": "Which colour shall the boat have?", "choices": ["red", "blue"]}
    model.add(
        Say(calls=[("clarify", choices)]), from_the_result(r"(.+)", "Then it will be {}."), Say("A boat's colour")
    )
    with Terminal() as terminal:
        terminal.say("Paint the boat.")
        terminal.wait_for("Which colour shall the boat have?")
        terminal.wait_for("2  blue")
        terminal.say("2")
        terminal.wait_for("Then it will be blue.")
        terminal.say("/exit")
        assert terminal.leave() == 0


def test_where_nobody_can_be_asked_the_model_is_told_so_and_goes_on(model: Scripted) -> None:
    model.add(
        Say(calls=[("clarify", {"question": "Which colour?"})]),
        from_the_result(r"(nobody is there to be asked)", "I assumed blue, since {}."),
    )
    began = time.monotonic()
    done = spawn("-z", "Paint the boat.")
    assert done.out == "I assumed blue, since nobody is there to be asked.\n"
    assert time.monotonic() - began < 30


def test_a_list_of_what_is_to_be_done_is_seen_by_the_person(model: Scripted) -> None:
    todos = [{"id": "1", "content": "Sand the hull", "status": "completed"}, {"id": "2", "content": "Paint it"}]
    model.add(Say(calls=[("todo", {"todos": todos})]), Say("Half way."), Say("The boat"))
    with Terminal() as terminal:
        terminal.say("Paint the boat.")
        terminal.wait_for("Half way.")
        for line in ("┊ todo 1 of 2 done", "[x] 1: Sand the hull", "[ ] 2: Paint it"):
            terminal.wait_for(line)
        terminal.say("/exit")
        assert terminal.leave() == 0


def test_switching_a_toolset_off_takes_its_tool_away(
    model: Scripted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hermes = Hermes(capsys, monkeypatch)
    for toolset, tool in (("session_search", "session_search"), ("delegation", "delegate_task"), ("todo", "todo")):
        assert hermes("tools", "disable", toolset).code == 0
        model.add(Say("Hello."))
        hermes("-z", "hello")
        offered = {one["function"]["name"] for one in model.sent[-1].body["tools"]}
        assert tool not in offered
        assert "clarify" in offered
