"""Plugins at arm's length: whatever one does, the others and the turn go on."""

import threading
import time
from pathlib import Path

import pytest

from hermes.plugins import loading, manager
from hermes.plugins.manager import PluginManager
from hermes.plugins.manifest import read
from tests.unit.plugins.making import plugin

ADDS = "def register(ctx):\n    ctx.register_hook('pre_llm_call', lambda text: 'from ' + ctx.name + ' ' + text)\n"
TOLD = {"session_id": "s", "text": "hello"}


def loaded(*folders: Path) -> PluginManager:
    plugins = PluginManager()
    for folder in folders:
        found, problems = read(folder, "user")
        assert problems == []
        assert found is not None
        plugins.add(found, {"A_KEY": "a", "B_KEY": "b"})
    return plugins


def test_listeners_are_called_in_order_with_what_they_take(tmp_path: Path) -> None:
    code = "def register(ctx):\n    ctx.register_hook('pre_llm_call', lambda **values: sorted(values))\n"
    plugins = loaded(plugin(tmp_path, "one", ADDS), plugin(tmp_path, "all", code))
    assert plugins.emit("pre_llm_call", **TOLD) == ["from one hello", ["session_id", "text"]]
    assert plugins.emit("on_session_start", session_id="s", resumed=False) == []


BAD = {
    "raises": "1 / 0",
    "exits": "__import__('sys').exit(3)",
    "hangs": "__import__('threading').Event().wait(90)",
    "interrupts": "(_ for _ in ()).throw(KeyboardInterrupt())",
}


@pytest.mark.parametrize("how", BAD)
def test_whatever_a_callback_does_the_others_are_heard(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "_SECONDS", 0.3)
    code = f"def register(ctx):\n    ctx.register_hook('pre_llm_call', lambda: {BAD[how]})\n"
    plugins = loaded(plugin(tmp_path, "bad", code), plugin(tmp_path, "good", ADDS))
    began = time.monotonic()
    assert plugins.emit("pre_llm_call", **TOLD) == ["from good hello"]
    assert time.monotonic() - began < 30
    [warning] = plugins.news()
    assert warning.startswith("Plugin 'bad' ")
    assert "pre_llm_call" in warning
    for _ in range(3):
        assert plugins.emit("pre_llm_call", **TOLD) == ["from good hello"]
    assert len(plugins.news()) == 2  # the third failure is the last


ASKED = {"tool_name": "terminal", "args": "{}", "call_id": "1", "session_id": "s"}


def blocked(plugins: PluginManager) -> list[str]:
    return [answer["message"] for answer in plugins.emit("pre_tool_call", **ASKED) if answer["action"] == "block"]


@pytest.mark.parametrize("how", BAD)
def test_a_guard_that_fails_says_no_and_goes_on_saying_it(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "_SECONDS", 0.3)
    code = f"def register(ctx):\n    ctx.register_hook('pre_tool_call', lambda: {BAD[how]}, guard=True)\n"
    plugins = loaded(plugin(tmp_path, "policy", code))
    for _ in range(5):
        [message] = blocked(plugins)
        assert message.startswith("It did not run: the plugin 'policy', which guards tools, ")
    assert "none runs before `hermes plugins disable policy`" in plugins.news()[-1]


@pytest.mark.parametrize("how", BAD)
def test_a_listener_that_fails_is_no_guard(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager, "_SECONDS", 0.3)
    code = f"def register(ctx):\n    ctx.register_hook('pre_tool_call', lambda: {BAD[how]})\n"
    assert blocked(loaded(plugin(tmp_path, "curious", code))) == []


def test_a_guard_that_cannot_be_loaded_says_no(tmp_path: Path) -> None:
    plugins = loaded(plugin(tmp_path, "policy", "1 / 0\n", "guard: true\n"), plugin(tmp_path, "good", ADDS))
    [message] = blocked(plugins)
    assert "'policy', which guards tools, failed (ZeroDivisionError" in message
    assert plugins.emit("pre_llm_call", **TOLD) == ["from good hello"]


def test_a_guard_that_works_decides_itself(tmp_path: Path) -> None:
    code = (
        "def register(ctx):\n    ctx.register_hook('pre_tool_call', lambda tool_name: tool_name == 'rm' and "
        "{'action': 'block', 'message': 'no'} or None, guard=True)\n"
    )
    plugins = loaded(plugin(tmp_path, "policy", code, "guard: true\n"))
    assert blocked(plugins) == []
    assert plugins.emit("pre_tool_call", **{**ASKED, "tool_name": "rm"}) == [{"action": "block", "message": "no"}]


@pytest.mark.parametrize("how", BAD)
def test_whatever_an_import_does_the_others_are_loaded(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_SECONDS", 0.3)
    plugins = loaded(plugin(tmp_path, "bad", BAD[how] + "\n"), plugin(tmp_path, "good", ADDS))
    assert list(plugins.loaded) == ["good"]
    [warning] = plugins.news()
    assert warning.startswith("Plugin 'bad' is left out: ")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = 1\n", "no function register"),
        ("def register(ctx): ctx.register_hook('on_fire', print)\n", "no hook 'on_fire'"),
        ("def register(ctx): ctx.register_hook('post_tool_call', print, guard=True)\n", "Only pre_tool_call can be"),
        ("def register(ctx): ctx.register_tool('a b', print, '')\n", "cannot be a name"),
        ("def register(ctx): ctx.register_context_engine(1)\n", "needs compress"),
        ("import no_such_module_anywhere\n", "ModuleNotFoundError"),
        ("def register(ctx)\n", "SyntaxError"),
    ],
)
def test_a_plugin_that_is_wrong_is_left_out_by_name(tmp_path: Path, code: str, told: str) -> None:
    [warning] = loaded(plugin(tmp_path, "bad", code)).news()
    assert warning.startswith("Plugin 'bad' is left out: ")
    assert told in warning


def test_a_plugin_sees_the_variables_it_asked_for_and_no_others(tmp_path: Path) -> None:
    code = "def register(ctx):\n    ctx.register_hook('pre_llm_call', lambda: dict(ctx.variables))\n"
    folder = plugin(tmp_path, "one", code, "requires_env: [A_KEY]\n")
    assert loaded(folder).emit("pre_llm_call", **TOLD) == [{"A_KEY": "a"}]
    lacks = loaded(plugin(tmp_path, "two", code, "requires_env: [{name: C_KEY, description: the third}]\n"))
    assert lacks.news() == ["Plugin 'two' is left out: needs C_KEY (the third): hermes config set C_KEY …"]


def test_a_plugin_of_several_files_finds_its_own(tmp_path: Path) -> None:
    folder = plugin(tmp_path, "two-files", "from .words import WORD\n\ndef register(ctx): ctx.register_skill(WORD)\n")
    (folder / "words.py").write_text("WORD = 'skills'\n")
    assert loaded(folder).skills == [folder / "skills"]


def test_a_command_says_something_or_what_went_wrong(tmp_path: Path) -> None:
    code = (
        "def register(ctx):\n    ctx.register_command('shout', str.upper, 'loud')\n"
        "    ctx.register_command('fail', lambda rest: 1 / 0, 'never')\n"
    )
    plugins = loaded(plugin(tmp_path, "one", code))
    assert plugins.run_command("shout", "hey") == "HEY"
    assert plugins.run_command("fail", "") == "/fail failed (ZeroDivisionError: division by zero; one/__init__.py:3)."


def test_many_threads_may_tell_at_once(tmp_path: Path) -> None:
    plugins = loaded(plugin(tmp_path, "one", ADDS))
    heard: list[list[str]] = []
    threads = [threading.Thread(target=lambda: heard.append(plugins.emit("pre_llm_call", **TOLD))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert heard == [["from one hello"]] * 8
