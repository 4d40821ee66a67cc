"""clarify: the person's own answer, or the plain truth that there is none."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes.store import SessionDB
from tests.stories.chatting import settings
from tests.unit.agent.own_tools.calling import Caller


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    with SessionDB(tmp_path / "state.db") as db:
        yield Caller(db, tmp_path, "clarify", settings=settings(agent={"clarify_timeout": 1}))


def test_the_person_is_asked_and_their_answer_is_the_result(caller: Caller) -> None:
    asked: list[Any] = []

    def ask(question: str, choices: Sequence[str]) -> str:
        asked.append((question, choices))
        return "blue"

    result = caller.call("clarify", ask=ask, question="Which colour?", choices=["red", " blue ", "red", ""])
    assert (result.content, result.ok) == ("blue", True)
    assert asked == [("Which colour?", ["red", "blue"])]


def test_where_nobody_is_there_it_says_so_at_once(caller: Caller) -> None:
    result = caller.call("clarify", question="Which colour?")
    assert not result.ok
    assert "nobody is there to be asked" in str(result.content)


def test_who_does_not_answer_in_time_is_not_waited_for(caller: Caller) -> None:
    released = threading.Event()
    result = caller.call("clarify", ask=lambda question, choices: str(released.wait(20)), question="Well?")
    released.set()
    assert not result.ok
    assert "did not answer within 1 s" in str(result.content)


def test_an_interrupt_ends_the_waiting(caller: Caller) -> None:
    released, stopped = threading.Event(), threading.Event()
    threading.Timer(0.2, stopped.set).start()
    result = caller.call(
        "clarify", ask=lambda question, choices: str(released.wait(20)), stopped=stopped.is_set, question="Well?"
    )
    released.set()
    assert "stopped the turn" in str(result.content)


@pytest.mark.parametrize("arguments", [{}, {"question": " "}, {"question": "?", "choices": list("abcdefghij")}])
def test_what_is_no_question_is_refused(caller: Caller, arguments: dict[str, Any]) -> None:
    assert not caller.call("clarify", **arguments).ok
