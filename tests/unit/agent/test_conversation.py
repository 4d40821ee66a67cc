"""Histories as providers accept them, whatever wrote them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.conversation import LOST, Conversation, mended, open_calls
from hermes.errors import StoreBusy
from hermes.store import SessionDB
from hermes.store.sqlite.guard import Guard


def call(*ids: str) -> dict[str, Any]:
    calls = [{"id": call_id, "function": {"name": f"tool-{call_id}", "arguments": "{}"}} for call_id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result(call_id: str, content: str = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


USER = {"role": "user", "content": "go on"}


def test_a_whole_conversation_stays_as_it_is() -> None:
    messages = [USER, call("a", "b"), result("a"), result("b"), {"role": "assistant", "content": "ok"}, USER]
    assert mended(messages) == messages
    assert open_calls(messages) == []


def test_a_call_that_a_crash_left_open_is_answered_in_its_place() -> None:
    messages = [USER, call("a", "b"), result("b"), USER]
    lost = {"role": "tool", "tool_call_id": "a", "tool_name": "tool-a", "content": LOST}
    assert mended(messages) == [USER, messages[1], lost, result("b"), USER]
    assert open_calls(messages) == [(1, "a", "tool-a")]


def test_results_that_others_wrote_between_move_behind_their_call() -> None:
    assert mended([call("a"), USER, result("a")]) == [call("a"), result("a"), USER]


def test_a_result_without_a_call_is_not_sent() -> None:
    assert mended([result("x"), USER]) == [USER]


def test_of_several_results_the_newest_counts() -> None:
    assert mended([call("a"), result("a", LOST), result("a", "real")]) == [call("a"), result("a", "real")]


def test_an_id_that_is_used_again_means_the_call_before_the_result() -> None:
    messages = [call("a"), result("a", "1"), USER, call("a"), result("a", "2"), USER, call("a")]
    ordered = mended(messages)
    assert [message["content"] for message in ordered if message["role"] == "tool"] == ["1", "2", LOST]
    assert open_calls(messages) == [(6, "a", "tool-a")]


def test_odd_rows_of_other_programs_do_no_harm() -> None:
    odd = [{"role": "assistant", "content": "x", "tool_calls": odd} for odd in ("text", {"id": "a"}, [None, 1, {}])]
    assert mended([*odd, {"role": "tool", "content": "?"}]) == odd


@pytest.fixture
def busy(hermes_home: Path) -> Iterator[SessionDB]:
    """A store whose write lock somebody else holds."""
    with SessionDB() as db:
        db.create_session("s", "cli")
        db._engine._gate.patience = 0.1  # type: ignore[attr-defined]
        other = Guard(hermes_home / "state.db.lock")
        other.acquire(1)
        yield db
        other.release()
        other.close()


@pytest.mark.parametrize(("role", "times"), [("user", 1), ("assistant", 2), ("tool", 2)])
def test_a_locked_store_is_waited_for_once_and_twice_for_what_would_be_lost(
    role: str, times: int, busy: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []
    stand_in_line = Guard.acquire

    def counted(guard: Guard, patience: float | None) -> None:
        waits.append(patience)
        stand_in_line(guard, patience)

    monkeypatch.setattr(Guard, "acquire", counted)
    conversation = Conversation(busy, "cli", "local")
    with pytest.raises(StoreBusy):
        conversation.append({"role": role, "content": "hello"}, "key")
    assert len(waits) == times
