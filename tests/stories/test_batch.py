"""`hermes batch`: many prompts, some at once, stopped and gone on with, and nothing asked twice."""

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.store import SessionDB
from tests.servers.scripted import Fail, Hang, Say, Scripted, Sent
from tests.unit.cli.program import PROGRAM, Hermes, refused


class Model:
    """Answers `answer to PROMPT`, counts what is asked, and can be slow, or refuse some."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.slow = 0.0
        self.refuses: set[str] = set()
        self.hangs: set[str] = set()
        self.most = self._at_once = 0
        self._lock = threading.Lock()

    def __call__(self, sent: Sent) -> Any:
        prompt = str(sent.messages[-1]["content"])
        with self._lock:
            self.asked[prompt] += 1
            self._at_once += 1
            self.most = max(self.most, self._at_once)
        time.sleep(self.slow)
        with self._lock:
            self._at_once -= 1
        if prompt in self.hangs:
            return Hang(20)
        return Fail(400, "no such thing") if prompt in self.refuses else Say(f"answer to {prompt}", cost=0.5)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(hermes_home: Path, tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    with Scripted(otherwise=model) as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings + "agent:\n  api_max_retries: 0\n")
        yield server


@pytest.fixture
def hermes(server: Scripted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    return Hermes(capsys, monkeypatch)


def results(file: str = "prompts.results.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def write(count: int) -> list[str]:
    prompts = [f"question {number}" for number in range(count)]
    Path("prompts.txt").write_text("\n".join(prompts) + "\n\n")
    return prompts


def test_every_line_is_asked_in_a_session_of_its_own(hermes: Hermes, model: Model) -> None:
    prompts = write(5)
    done = hermes("batch", "prompts.txt", "--workers", "2")
    assert (done.code, done.out) == (0, "5 of 5 prompts answered; the results are in prompts.results.jsonl.\n")
    found = results()
    assert [(one["prompt"], one["answer"]) for one in found] == [(one, f"answer to {one}") for one in prompts]
    assert {(one["reason"], one["input_tokens"], one["cost_usd"]) for one in found} == {("answered", 100, 0.5)}
    with SessionDB() as db:
        rows = [db.get_session(one["session_id"]) for one in found]
        assert {(row["source"], row["owner"]) for row in rows if row} == {("batch", "local")}
        assert db.session_count() == 5
    assert model.most <= 2
    assert os.stat("prompts.results.jsonl").st_mode & 0o777 == 0o600
    assert sorted(os.listdir()) == ["home", "prompts.results.jsonl", "prompts.txt"]


def test_a_second_run_asks_only_what_is_new(hermes: Hermes, model: Model) -> None:
    prompts = write(3)
    hermes("batch", "prompts.txt")
    Path("prompts.txt").write_text("\n".join(["a new one", *prompts]))
    done = hermes("batch", "prompts.txt")
    assert done.out == "1 of 4 prompts answered, 3 before; the results are in prompts.results.jsonl.\n"
    assert set(model.asked.values()) == {1}
    assert [one["prompt"] for one in results()] == ["a new one", *prompts]
    assert [one["number"] for one in results()] == [1, 2, 3, 4]


def test_the_same_prompt_twice_is_asked_twice(hermes: Hermes, model: Model) -> None:
    Path("prompts.txt").write_text("roll a die\nroll a die\n")
    hermes("batch", "prompts.txt")
    assert model.asked == {"roll a die": 2}
    assert len({one["session_id"] for one in results()}) == 2


def test_prompts_can_be_json_with_ids_of_ones_own(hermes: Hermes, model: Model) -> None:
    Path("q.jsonl").write_text('{"id": "a", "prompt": "one\\ntwo"}\n"three"\n')
    hermes("batch", "q.jsonl", "--out", "answers.jsonl")
    found = results("answers.jsonl")
    assert [(one.get("id"), one["prompt"]) for one in found] == [("a", "one\ntwo"), (None, "three")]


def test_what_failed_is_told_and_tried_again(hermes: Hermes, model: Model) -> None:
    write(3)
    model.refuses = {"question 1"}
    done = hermes("batch", "prompts.txt")
    assert done.code == 1
    assert "1 failed; the same command tries them again." in done.out
    assert [one["reason"] for one in results()] == ["answered", "failed", "answered"]
    model.refuses = set()
    assert hermes("batch", "prompts.txt").code == 0
    assert [one["reason"] for one in results()] == ["answered"] * 3
    assert model.asked == {"question 0": 1, "question 1": 2, "question 2": 1}


def test_a_limit_leaves_the_rest_for_another_time(hermes: Hermes, model: Model) -> None:
    write(5)
    assert "The same command goes on with the rest." in hermes("batch", "prompts.txt", "--limit", "2").out
    assert "3 of 5 prompts answered, 2 before" in hermes("batch", "prompts.txt").out
    assert len(model.asked) == sum(model.asked.values()) == 5


def begun(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, "batch", "prompts.txt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def wait_for(happened: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_batch_that_is_killed_goes_on_and_asks_nothing_twice(hermes: Hermes, model: Model) -> None:
    prompts = write(8)
    model.hangs = {"question 4", "question 5"}
    process = begun("--workers", "2")
    wait_for(lambda: model.asked["question 4"] and model.asked["question 5"])
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert process.stdout is not None
    process.stdout.close()
    model.hangs = set()
    with Path("prompts.results.jsonl.part").open("a") as part:
        part.write('{"torn": ')
    done = hermes("batch", "prompts.txt")
    assert done.out == "4 of 8 prompts answered, 4 before; the results are in prompts.results.jsonl.\n"
    assert [one["answer"] for one in results()] == [f"answer to {one}" for one in prompts]
    assert {prompt: model.asked[prompt] for prompt in prompts} == {
        prompt: 2 if prompt in ("question 4", "question 5") else 1 for prompt in prompts
    }
    with SessionDB() as db:
        assert db.session_count() == 8


def test_an_answer_whose_result_was_not_written_is_taken_from_its_session(hermes: Hermes, model: Model) -> None:
    write(2)
    hermes("batch", "prompts.txt")
    [first, second] = results()
    run = first["session_id"].split("_")[1]
    Path("prompts.results.jsonl").unlink()
    Path("prompts.results.jsonl.part").write_text(json.dumps({"run": run}) + "\n" + json.dumps(second) + "\n")
    assert hermes("batch", "prompts.txt").code == 0
    assert set(model.asked.values()) == {1}
    assert [one["answer"] for one in results()] == [first["answer"], second["answer"]]


def test_an_interrupt_keeps_what_is_done(hermes: Hermes, model: Model) -> None:
    write(4)
    model.hangs = {"question 2"}
    process = begun("--workers", "1")
    wait_for(lambda: model.asked["question 2"])
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "2 of 4 prompts answered" in out
    assert "The same command goes on with the rest." in out
    assert [one["prompt"] for one in results()] == ["question 0", "question 1"]


def test_a_second_run_at_the_same_time_is_refused(hermes: Hermes, model: Model) -> None:
    write(1)
    model.hangs = {"question 0"}
    process = begun()
    wait_for(lambda: model.asked["question 0"])
    assert "under way in another process" in refused(hermes("batch", "prompts.txt"), 2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_key_that_is_refused_ends_the_batch_at_once(hermes: Hermes, server: Scripted) -> None:
    server.otherwise = Fail(401, "bad key")
    write(20)
    done = hermes("batch", "prompts.txt", "--workers", "1")
    assert done.code == 1
    assert len(server.sent) == 1


def test_a_file_that_is_not_there_is_not_found(hermes: Hermes, model: Model) -> None:
    assert "nothing.txt does not exist" in refused(hermes("batch", "nothing.txt"), 1)


@pytest.mark.parametrize(
    ("content", "arguments", "told"),
    [
        (None, ["."], "cannot be read"),
        ("", ["p.jsonl"], "holds no prompt"),
        ("{}", ["p.jsonl"], "line 1"),
        ('{"prompt": "a"}\nplain', ["p.jsonl"], "line 2"),
        ('{"prompt": "a"}', ["p.jsonl", "--workers", "0"], "--workers"),
        ('{"prompt": "a"}', ["p.jsonl", "-t", "termnal"], "did you mean 'terminal'?"),
        ('{"prompt": "a"}', ["p.jsonl", "--out", "other.txt"], "holds no results of a batch"),
        ('{"prompt": "a"}', ["p.jsonl", "--out", "link"], "no plain file"),
        ('{"prompt": "a"}', ["p.jsonl", "--out", "no/such/folder"], "cannot be written"),
        (b"\xff\xfe", ["p.jsonl"], "no text in UTF-8"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(
    hermes: Hermes, model: Model, content: Any, arguments: list[str], told: str
) -> None:
    if content is not None:
        Path("p.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
    Path("other.txt").write_text("mine")
    Path("link").symlink_to("other.txt")
    assert told in refused(hermes("batch", *arguments), 2)
    assert Path("other.txt").read_text() == "mine"
    assert not model.asked
