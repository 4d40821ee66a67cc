"""One provider beside the notes, at arm's length."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes.guarded import Guard
from hermes.memory import manager as managing
from hermes.memory.base import About, MemoryProvider
from hermes.memory.manager import Manager
from hermes.memory.notes import Notes, Written

HERE = "20250305_091523_a1b2c3"


class Listening(MemoryProvider):
    name = "listening"

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def initialize(self, session_id: str, **about: str) -> None:
        self.heard.append(("initialize", session_id, about))

    def prompt(self) -> str:
        return "I listen."

    def on_turn_start(self, session_id: str, text: str) -> str:
        return f"about {text}"

    def on_memory_write(self, action: str, target: str, content: str) -> None:
        self.heard.append((action, target, content))

    def on_delegation(self, task: str, result: str, child_session_id: str) -> None:
        self.heard.append((task, result, child_session_id))

    def on_pre_compress(self, session_id: str, messages: Any) -> None:
        self.heard.append(("compress", len(messages)))

    def on_session_end(self, session_id: str) -> None:
        self.heard.append(("end", session_id))


@pytest.fixture
def manager(tmp_path: Path) -> Manager:
    return Manager(Notes(tmp_path / "memories", {"memory": 200, "user": 100}))


def test_a_provider_hears_everything_with_the_documented_arguments(manager: Manager) -> None:
    provider = Listening()
    assert manager.add(provider)
    manager.begin(About(HERE, "/home/me/.hermes", platform="telegram", user_id="7"))
    manager.notes.add("user", "Likes tea.")
    assert "Likes tea." in manager.prompt()
    assert manager.prompt().endswith("I listen.")
    assert manager.on_turn_start(HERE, "tea") == "about tea"
    manager.on_memory_write("add", Written("user", "Likes tea.", [], 0, 0))
    manager.on_pre_compress(HERE, [{"role": "user"}])
    manager.on_delegation("count", "12", "child")
    manager.on_session_end(HERE)
    (_, session_id, about), *others = provider.heard
    assert session_id == HERE
    assert set(about) == {
        "hermes_home",
        "platform",
        "user_id",
        "agent_context",
        "agent_identity",
        "agent_workspace",
        "parent_session_id",
    }
    assert others == [("add", "user", "Likes tea."), ("compress", 1), ("count", "12", "child"), ("end", HERE)]
    assert manager.news() == []


def test_a_second_provider_is_refused_with_a_warning(manager: Manager) -> None:
    assert manager.add(Listening())
    assert not manager.add(Listening())
    [warning] = manager.news()
    assert "one at most" in warning
    assert manager.news() == []


def test_a_provider_that_lacks_something_is_left_out(manager: Manager) -> None:
    class Keyless(MemoryProvider):
        name = "keyless"

        def missing(self) -> str:
            return "it needs KEYLESS_API_KEY"

    assert not manager.add(Keyless())
    assert manager.news() == ["Memory provider 'keyless' is left out: it needs KEYLESS_API_KEY"]


def _raise() -> str:
    raise ValueError("a bug")


def _hang() -> str:
    threading.Event().wait(90)
    return "late"


def _exit() -> str:
    sys.exit(3)


def _no_text() -> Any:
    return {"not": "text"}


@pytest.mark.parametrize(("misbehave", "warned"), [(_raise, 1), (_hang, 1), (_exit, 1), (_no_text, 0)])
def test_whatever_a_provider_does_the_turn_goes_on(
    manager: Manager, misbehave: Callable[[], Any], warned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unwell(MemoryProvider):
        name = "unwell"

        def on_turn_start(self, session_id: str, text: str) -> str:
            return str(misbehave()) if misbehave is not _no_text else misbehave()

    monkeypatch.setattr(managing, "_ASKED", 0.2)
    manager.add(Unwell())
    began = time.monotonic()
    assert manager.on_turn_start(HERE, "hello") == ""
    assert time.monotonic() - began < 30
    assert len(manager.news()) == warned


def test_after_three_failures_it_is_not_asked_again(manager: Manager) -> None:
    asked = []

    class Unwell(MemoryProvider):
        name = "unwell"

        def on_turn_start(self, session_id: str, text: str) -> str:
            asked.append(text)
            raise RuntimeError("no")

    manager.add(Unwell())
    for number in range(5):
        manager.on_turn_start(HERE, str(number))
    assert asked == ["0", "1", "2"]
    assert "not asked again" in manager.news()[-1]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # that it forks is the point
def test_a_child_that_is_forked_ends_there() -> None:
    reading, writing = os.pipe()

    def fork() -> int:
        child = os.fork()
        if child == 0:
            os.write(writing, b"child ")
        return child

    guard = Guard("test")
    child = guard.call(fork, 5).value
    assert os.waitpid(child, 0) == (child, 0)
    os.close(writing)
    assert os.read(reading, 100) == b"child "
    os.close(reading)
    assert guard.call(lambda: "goes on", 5).value == "goes on"
    guard.close()
