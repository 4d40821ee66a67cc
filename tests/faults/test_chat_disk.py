"""A turn on a disk that fails: nothing is sent that is not stored, nothing is stored or counted twice."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hermes.errors import StoreError
from hermes.store import SessionDB
from tests.faults.children import ask
from tests.faults.disk import FailAt, fail_with
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import Toolbox, agent_of, talk


@pytest.mark.parametrize("kind", ["write", "sync"])
def test_a_turn_survives_a_disk_that_fails_once_at_any_point(kind: str, tmp_path: Path) -> None:
    struck, wrong = ask(_every_point, kind, tmp_path)
    assert wrong == []
    assert struck > 3


def _every_point(kind: str, folder: Path) -> tuple[int, list[str]]:
    fault = FailAt(kind)
    fail_with(fault)
    struck, wrong = 0, []
    for number in range(1, 40, 2 if kind == "sync" else 4):
        fault.number, fault.count, fault.struck = number, 0, 0
        problem = _one_turn(folder / f"{number}" / "state.db", fault)
        struck += fault.struck
        if problem:
            wrong.append(f"{kind} {number}: {problem}")
        if not fault.struck:
            break
    return struck, wrong


def _one_turn(store: Path, fault: FailAt) -> str:
    script = [Say("I'll see.", calls=[("echo", {"text": "42"})]), Say("It is 42.")]
    store.parent.mkdir()
    with Scripted(*script, otherwise=Say("again")) as server:
        try:
            with SessionDB(store) as db:
                agent = agent_of(db, server, tools=Toolbox())
                fault.armed = True
                talk(agent, "what is it?")
        except StoreError:
            pass  # told to the person
        finally:
            fault.armed = False
        calls = len(server.sent)
    with SessionDB(store) as db:
        return _wrong(db, calls)


def _wrong(db: SessionDB, calls: int) -> str:
    sessions = db.search_sessions()
    if not sessions:
        return "" if calls == 0 else "the model was asked, and nothing is stored"
    [session] = sessions
    rows: list[dict[str, Any]] = db.get_messages(session["id"])
    times = Counter((row["role"], row["content"]) for row in rows)
    if max(times.values()) > 1:
        return f"stored twice: {times}"
    if session["api_call_count"] > calls:
        return f"{session['api_call_count']} calls on record, {calls} made"
    answers = sum(row["role"] == "assistant" for row in rows)
    return "" if answers == session["api_call_count"] else f"{answers} answers, {session['api_call_count']} on record"
