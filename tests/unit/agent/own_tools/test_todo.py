"""todo: one list for a conversation, whatever happens to it."""

from pathlib import Path
from typing import Any

import pytest

from hermes.store import SessionDB
from tests.unit.agent.own_tools.calling import Caller

LIST = [{"id": "1", "content": "Read the page", "status": "completed"}, {"id": "2", "content": "Write\nthe test"}]


@pytest.fixture
def caller(db: SessionDB, tmp_path: Path) -> Caller:
    return Caller(db, tmp_path, "todo")


def test_a_list_is_kept_and_told(caller: Caller) -> None:
    assert caller.said("todo") == "The list is empty."
    assert caller.said("todo", todos=LIST) == "[x] 1: Read the page\n[ ] 2: Write the test\n1 of 2 done"
    assert caller.said("todo") == "[x] 1: Read the page\n[ ] 2: Write the test\n1 of 2 done"


def test_merging_changes_items_and_adds_new_ones(caller: Caller) -> None:
    caller.said("todo", todos=LIST)
    changed = [{"id": "2", "status": "in_progress"}, {"id": "3", "content": "Ship it"}]
    answer = caller.said("todo", todos=changed, merge=True)
    assert answer == "[x] 1: Read the page\n[>] 2: Write the test\n[ ] 3: Ship it\n1 of 3 done"


def test_a_new_list_takes_the_place_of_the_old_one(caller: Caller) -> None:
    caller.said("todo", todos=LIST)
    assert caller.said("todo", todos=[{"id": "a", "content": "Rest"}]) == "[ ] a: Rest\n0 of 1 done"
    assert caller.said("todo", todos=[]) == "The list is empty."


def test_the_list_outlives_a_resume_and_a_compression(db: SessionDB, tmp_path: Path) -> None:
    first = Caller(db, tmp_path, "todo")
    db.create_session("s", "cli")
    for answer in ("[ ] 1: Old\n0 of 1 done", first.said("todo", todos=LIST)):
        db.append_message("s", "tool", answer, tool_name="todo", tool_call_id="c")
    db.split_session("s", "tip", [{"role": "user", "content": "Summary"}])
    later = Caller(db, tmp_path, "todo", session_id="s")
    assert later.agent.session_id == "tip"
    assert later.said("todo") == "[x] 1: Read the page\n[ ] 2: Write the test\n1 of 2 done"


def test_a_list_that_was_emptied_stays_empty(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "cli")
    for answer in ("[ ] 1: Old\n0 of 1 done", "The list is empty."):
        db.append_message("s", "tool", answer, tool_name="todo", tool_call_id="c")
    assert Caller(db, tmp_path, "todo", session_id="s").said("todo") == "The list is empty."


@pytest.mark.parametrize(
    "todos", [["x"], [{"id": "1"}], [{"id": "1", "content": "a", "status": "soon"}], [{"content": "a"}] * 101, "x"]
)
def test_a_list_that_is_none_is_refused_and_changes_nothing(caller: Caller, todos: Any) -> None:
    caller.said("todo", todos=LIST)
    if isinstance(todos, list) and len(todos) > 100:
        todos = [{"id": str(n), "content": "a"} for n in range(101)]
    assert not caller.call("todo", todos=todos).ok
    assert caller.said("todo").endswith("1 of 2 done")
