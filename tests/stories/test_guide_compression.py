"""The page on long conversations: every command runs and prints what it says, and so does the program."""

import re
from pathlib import Path
from shlex import split

import pytest

from hermes.agent.agent import Agent
from hermes.agent.base import SessionOptions
from hermes.agent.history import History
from hermes.config import Settings
from hermes.store import SessionDB
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes

PAGE = GUIDES / "compression.md"


def talk(agent: Agent, *messages: str) -> None:
    for message in messages:
        list(agent.run(message))


@pytest.fixture
def project(hermes_home: Path) -> None:
    """A conversation that was compressed twice."""
    with SessionDB() as db:
        agent = Agent(db, Settings(), provider=History(db), options=SessionOptions(new_id="20261115_091523_a1b2c3"))
        agent.set_title("my project")
        talk(agent, "Let us plan the kitchen", *(f"What about the colour of question {n}?" for n in range(19)))
        agent.compress()
        talk(agent, *(f"And the floor, {n}?" for n in range(10)))
        agent.compress()
        talk(agent, "What next?")
        agent.close()


def plain(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", re.sub(r"\d{8}_\d{6}_[0-9a-f]{6}", "ID", text))


def test_every_command_of_the_page_prints_what_it_says(project: None, hermes: Hermes) -> None:
    found = list(examples(PAGE))
    assert len(found) == 5
    for example in found:
        program, *arguments = split(example.command)
        assert program == "hermes"
        done = hermes(*arguments)
        assert (done.code, done.err) == (0, ""), example
        assert example.prints is not None
        assert plain(done.out).splitlines() == [plain(line) for line in example.prints], example


def test_the_program_of_the_page_runs(hermes_home: Path) -> None:
    [program] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(program, str(PAGE), "exec"), {})
    with SessionDB() as db:
        assert db.resolve_session_by_title("tea") is not None
