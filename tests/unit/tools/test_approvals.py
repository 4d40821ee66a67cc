"""Approvals: what is dangerous is asked, the answer holds for exactly what was asked, and nobody there is a no."""

import json
import stat
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes import paths
from hermes.config import Settings
from hermes.config.areas.execution import Terminal
from hermes.config.areas.platform import Approvals, Gateway
from hermes.errors import ProviderDown
from hermes.tools.approvals import record
from hermes.tools.approvals.gate import CHOICES
from hermes.tools.base import ToolResult
from hermes.tools.registry import registry
from hermes.tools.work import Work
from tests.unit.tools.working import work_in


class Person:
    """Answers in turn, and remembers what was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, question: str, choices: Sequence[str]) -> str | None:
        assert tuple(choices) == CHOICES
        self.asked.append(question)
        return self.answers.pop(0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "old.txt").write_text("x")
    return folder


def working(folder: Path, ask: Any = None, *, approvals: Approvals | None = None, **more: Any) -> Work:
    settings = Settings(
        terminal=Terminal(auto_source_bashrc=False), approvals=approvals or Approvals(), **more.pop("settings", {})
    )
    return work_in(folder, settings=settings, **({"ask": ask} if ask else {}), **more)


def run(work: Work, command: str) -> ToolResult:
    result: ToolResult = registry.dispatch("terminal", {"command": command}, work)
    return result


def test_what_is_harmless_runs_unasked(folder: Path) -> None:
    assert run(working(folder), "ls && echo done").content == "old.txt\ndone"
    assert record.decided() == []


def test_nobody_there_is_a_no(folder: Path) -> None:
    result = run(working(folder), "rm old.txt")
    assert not result.ok
    assert "needs a yes, and nobody is there to ask (rm deletes old.txt)" in result.content
    assert (folder / "old.txt").exists()


def test_the_question_shows_the_command_and_why(folder: Path) -> None:
    person = Person("once")
    assert run(working(folder, person), "rm old.txt").ok
    assert not (folder / "old.txt").exists()
    (question,) = person.asked
    assert "    rm old.txt\n" in question
    assert f"(in {folder})" in question
    assert "rm deletes old.txt" in question


@pytest.mark.parametrize("answer", ["", " ", "y", "yes", "Once", "ONCE", "no", "deny", "\n"])
def test_anything_but_one_of_the_choices_is_a_no(folder: Path, answer: str) -> None:
    assert not run(working(folder, Person(answer)), "rm old.txt").ok
    assert (folder / "old.txt").exists()


def test_once_is_asked_again(folder: Path) -> None:
    person = Person("once", "deny")
    work = working(folder, person)
    assert run(work, "rm -f gone.txt").ok
    assert not run(work, "rm -f gone.txt").ok
    assert len(person.asked) == 2


def test_for_this_session_holds_for_the_same_bytes_in_the_same_folder(folder: Path) -> None:
    (folder / "sub").mkdir()
    person = Person("session", "deny", "deny")
    work = working(folder, person)
    assert run(work, "rm -f gone.txt").ok
    assert run(work, "rm -f gone.txt").ok
    assert not run(work, "rm  -f gone.txt").ok  # another blank, another command
    run(work, "cd sub")
    assert not run(work, "rm -f gone.txt").ok
    assert len(person.asked) == 3
    assert paths.approvals_file().exists() is False


def test_a_no_is_remembered_in_the_conversation(folder: Path) -> None:
    person = Person("deny")
    work = working(folder, person)
    assert "was refused by the person" in run(work, "rm old.txt").content
    assert "was refused by the person before" in run(work, "rm old.txt").content
    assert len(person.asked) == 1


def test_always_holds_for_the_next_conversation_until_it_is_revoked(folder: Path) -> None:
    assert run(working(folder, Person("always")), "rm -f gone.txt").ok
    file = paths.approvals_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run(working(folder), "rm -f gone.txt").ok
    assert not run(working(folder), "rm -f gone.txt ").ok
    (entry,) = record.always()
    assert (entry["subject"], entry["folder"], entry["session"]) == ("rm -f gone.txt", str(folder), "session-1")
    assert record.revoke([entry["key"][:8]]) == [entry]
    assert not run(working(folder), "rm -f gone.txt").ok


@pytest.mark.parametrize(("owner", "offered"), [("telegram:7", False), ("telegram:8", True), ("local", True)])
def test_only_the_operator_decides_for_good(folder: Path, owner: str, offered: bool) -> None:
    seen: list[str] = []

    def always(question: str, choices: Sequence[str]) -> str:
        seen.extend(choices)
        return "always"

    identities = {"gateway": Gateway(identities={"Me": ["cli", "telegram:8"]})}
    work = working(folder, always, settings=identities)
    work = work._replace(context=work.context._replace(owner=owner, platform="telegram"))
    assert run(work, "rm -f gone.txt").ok is offered
    assert ("always" in seen, len(record.always())) == (offered, int(offered))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"always": [1, {"key": 5}]}', '{"always": "x"}'])
def test_a_broken_file_allows_nothing(folder: Path, content: str) -> None:
    paths.make_private_folder(paths.hermes_home())
    paths.approvals_file().write_text(content)
    assert not run(working(folder), "rm old.txt").ok


def test_a_question_nobody_answers_in_time_is_a_no(folder: Path) -> None:
    released = threading.Event()

    def slow(question: str, choices: Sequence[str]) -> str:
        released.wait(90)
        return "once"

    began = time.monotonic()
    result = run(working(folder, slow, approvals=Approvals(timeout=1)), "rm old.txt")
    released.set()
    assert "nobody answered in time" in result.content
    assert time.monotonic() - began < 30
    assert (folder / "old.txt").exists()


def test_a_yes_after_the_turn_was_stopped_is_void(folder: Path) -> None:
    stop, released = threading.Event(), threading.Event()

    def slow(question: str, choices: Sequence[str]) -> str:
        stop.set()
        released.wait(90)
        return "once"

    result = run(working(folder, slow, stopped=stop.is_set), "rm old.txt")
    released.set()
    assert not result.ok
    assert (folder / "old.txt").exists()


def test_yolo_and_off_run_everything_and_say_so_in_the_log(folder: Path) -> None:
    assert run(working(folder, yolo=True), "rm -f a").ok
    assert run(working(folder, approvals=Approvals(mode="off")), "rm -f b").ok
    assert [(one["subject"], one["how"]) for one in record.decided()] == [("rm -f b", "yolo"), ("rm -f a", "yolo")]


def test_a_listed_command_runs_word_for_word(folder: Path) -> None:
    listed = {"command_allowlist": ["rm -f a"]}
    assert run(working(folder, settings=listed), "rm -f a").ok
    assert not run(working(folder, settings=listed), "rm -f a b").ok


@pytest.mark.parametrize(("mode", "ok"), [("deny", False), ("approve", True)])
def test_a_scheduled_job_does_what_the_settings_say(folder: Path, mode: str, ok: bool) -> None:
    work = working(folder, Person(), approvals=Approvals(cron_mode=mode))
    work = work._replace(context=work.context._replace(platform="cron"))
    assert run(work, "rm -f a").ok is ok


def test_every_decision_is_logged_with_secrets_masked(folder: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    run(working(folder, Person("deny")), f"rm -f {key}")
    log = paths.approvals_log()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    (entry,) = map(json.loads, log.read_text().splitlines())
    assert (entry["allowed"], entry["how"], entry["kind"]) == (False, "denied", "command")
    assert key not in log.read_text()


# -- files


def test_writing_in_the_workspace_is_free_and_elsewhere_asked(folder: Path, tmp_path: Path) -> None:
    person = Person("once", "deny")
    work = working(folder, person)

    def write(path: Path) -> ToolResult:
        result: ToolResult = registry.dispatch("write_file", {"path": str(path), "content": "x"}, work)
        return result

    assert write(folder / "new.txt").ok
    assert person.asked == []
    assert write(tmp_path / "outside.txt").ok
    assert not write(tmp_path / "other.txt").ok
    assert not (tmp_path / "other.txt").exists()
    assert len(person.asked) == 2


@pytest.mark.parametrize("name", ["link/x.txt", ".git/hooks/pre-commit", ".git/config", "sub/../../x.txt", ".bashrc"])
def test_ways_out_of_the_workspace_are_asked(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    result = registry.dispatch("write_file", {"path": name, "content": "x"}, working(folder))
    assert not result.ok
    assert "needs a yes" in result.content


def test_what_hermes_lives_on_is_asked_even_inside_the_workspace(hermes_home: Path) -> None:
    hermes_home.mkdir()
    for name in ("config.yaml", ".env", "approvals.json"):
        result = registry.dispatch("write_file", {"path": name, "content": "x"}, working(hermes_home))
        assert "belongs to Hermes itself" in result.content


@pytest.mark.parametrize("name", [".env", "id_rsa", "server.pem", ".ssh/config", "credentials.json"])
def test_secrets_are_not_shown_to_the_model_unasked(folder: Path, name: str) -> None:
    (folder / ".ssh").mkdir()
    (folder / name).write_text("KEY=1")
    assert "holds secrets" in registry.dispatch("read_file", {"path": name}, working(folder)).content
    allowed = registry.dispatch("read_file", {"path": name}, working(folder, Person("once")))
    assert allowed.content == "1|KEY=1"


def test_a_file_that_was_there_is_not_replaced_unasked_and_one_made_here_is(folder: Path) -> None:
    work = working(folder)
    assert not run(work, "echo new > old.txt").ok
    assert run(work, "echo 1 > mine.txt").ok
    assert run(work, "echo 2 > mine.txt").ok
    assert (folder / "mine.txt").read_text() == "2\n"


# -- a second opinion


def opinions(*answers: Any) -> Any:
    left = list(answers)

    def summarise(task: str, prompt: str, *, most_tokens: int) -> str:
        assert task == "approval"
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    return summarise


@pytest.mark.parametrize(
    ("answer", "ok"),
    [("SAFE", True), ("safe.", True), ("RISKY: lists private files", False), ("", False), ("SAFE because …", False),
     (ProviderDown("It is down."), False)],
)  # fmt: skip
def test_a_second_opinion_can_only_make_it_stricter(folder: Path, answer: Any, ok: bool) -> None:
    work = working(folder, approvals=Approvals(mode="smart"), summarise=opinions(answer))
    assert run(work, "ls").ok is ok


def test_no_opinion_allows_what_is_dangerous(folder: Path) -> None:
    work = working(folder, approvals=Approvals(mode="smart"), summarise=opinions("SAFE"))
    assert not run(work, "rm old.txt").ok


def test_two_questions_are_asked_one_after_the_other(folder: Path) -> None:
    at_once: list[int] = []
    open_now = 0

    def ask(question: str, choices: Sequence[str]) -> str:
        nonlocal open_now
        open_now += 1
        at_once.append(open_now)
        time.sleep(0.05)
        open_now -= 1
        return "once"

    work = working(folder, ask)
    threads = [threading.Thread(target=run, args=(work, f"rm -f {n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert at_once == [1, 1, 1, 1]
