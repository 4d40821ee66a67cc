"""The gateway as a program: started, asked, stopped, and only once."""

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import httpx2
import pytest

from hermes.commands.gateway import PROGRAM, running
from hermes.commands.pairing import new_code
from hermes.config import load
from hermes.gateway.schedule import Scheduler
from hermes.store import SessionDB
from tests.servers.platform import Paper, configured, until
from tests.servers.platform import running as served
from tests.servers.scripted import Say, Scripted
from tests.unit.cli.program import spawn

KEY = "a-key-of-sixteen-or-more"


@pytest.fixture
def model(hermes_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("API_SERVER_KEY", KEY)
    with Scripted(otherwise=Say("Good morning.")) as server:
        configured(hermes_home, server, platforms={"api-server": {"port": 0}}, platform_toolsets={"api-server": []})
        yield server


def test_it_is_started_asked_and_stopped(hermes_home: Path, model: Scripted) -> None:
    assert spawn("gateway", "status").code == 1
    started = spawn("gateway", "start", "--json")
    try:
        assert started.code == 0, started.err
        told = json.loads(started.out)
        url = f"http://127.0.0.1:{told['ports']['api-server']}"
        assert httpx2.get(f"{url}/health").json() == {"status": "ok"}
        again = spawn("gateway", "start")
        assert again.code == 0 and "runs already" in again.out
        second = subprocess.run(PROGRAM, capture_output=True, text=True, timeout=60, env=os.environ)
        assert second.returncode == 2
        assert second.stderr.startswith(
            f"hermes: Another gateway serves api-server on this store already (process {told['pid']})"
        )
        status = json.loads(spawn("gateway", "status", "--json").out)
        assert status["running"] and status["platforms"] == ["api-server"]
        assert status["chats"] == 0 and status["health_url"].endswith("/health")
    finally:
        stopped = spawn("gateway", "stop")
    assert (stopped.code, stopped.out) == (0, "The gateway has stopped.\n")
    assert running() is None and spawn("gateway", "stop").code == 1
    assert "the gateway serves" in spawn("gateway", "logs").out


def test_in_the_foreground_it_ends_with_a_signal(model: Scripted) -> None:
    process = subprocess.Popen(PROGRAM, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "The gateway serves api-server" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_look_whether_one_runs_is_waited_for_and_another_gateway_is_not(hermes_home: Path, model: Scripted) -> None:
    with (hermes_home / "gateway.json").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # as `hermes gateway status` does for a moment
        with subprocess.Popen(PROGRAM, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            until(lambda: (hermes_home / "state.db.gateway-api-server").exists())
            fcntl.flock(file, fcntl.LOCK_UN)
            said = process.stderr.readline()
            process.stderr.close()  # as when the terminal is closed: it stops in good order all the same
            process.send_signal(signal.SIGHUP)
        assert "The gateway serves api-server" in said and process.returncode == 0
        fcntl.flock(file, fcntl.LOCK_EX)  # one that serves other platforms
        second = subprocess.run(PROGRAM, capture_output=True, text=True, timeout=60, env=os.environ)
    assert (second.returncode, second.stderr.count("\n")) == (2, 1) and "Another gateway runs in" in second.stderr


def test_without_a_platform_it_says_what_to_do(hermes_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configured(hermes_home, None)
    done = spawn("gateway", "start")
    assert done.code == 2 and done.err.startswith("hermes: No platform is set up.") and done.err.count("\n") == 1
    assert spawn("gateway", "logs").out.startswith("Nothing of gateway was logged yet")


def test_what_is_said_at_the_start_is_seen_by_whoever_starts_it(hermes_home: Path, model: Scripted) -> None:
    platforms = {"api-server": {"port": 0}, "telegramm": {}}
    configured(hermes_home, model, platforms=platforms, platform_toolsets={"api-server": []})
    started = spawn("gateway", "start")
    stopped = spawn("gateway", "stop", "--json")
    assert started.code == 0 and started.out.startswith("The gateway runs")
    assert started.err.startswith("hermes: platforms.telegramm is nothing that Hermes or a plugin that is on serves")
    assert "is 'telegram' meant?" in started.err and started.err.count("\n") == 1
    assert json.loads(stopped.out) == {"running": False}


def test_a_unit_for_systemd_is_written(hermes_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "my home, 100%"))
    units = tmp_path / "config/systemd/user"
    assert spawn("gateway", "install").code == 0
    unit = (units / "hermes-gateway.service").read_text()
    assert f'Environment="HERMES_HOME={tmp_path}/my home, 100%%"' in unit and '"-m" "hermes.gateway"' in unit
    assert "RestartSec=10" in unit and "StartLimitIntervalSec=0" in unit
    spawn("profile", "create", "work")
    told = spawn("--profile", "work", "gateway", "install").out
    assert told.endswith("systemctl --user enable --now hermes-gateway-work\n")
    assert "my home, 100%%/profiles/work" in (units / "hermes-gateway-work.service").read_text()


def test_a_job_is_added_listed_run_and_removed(model: Scripted) -> None:
    added = spawn("cron", "add", "weekdays at 8:30", "Say", "good morning", "--name", "morning", "--json")
    assert added.code == 0, added.err
    job = json.loads(added.out)
    assert "morning" not in spawn("cron", "list").err
    assert datetime.fromtimestamp(job["next"]).strftime("%Y-%m-%d 08:30") in spawn("cron", "list").out
    assert [one["id"] for one in map(json.loads, spawn("cron", "list", "--json").out.splitlines())] == [job["id"]]
    assert spawn("cron", "run", "morning").out == "Good morning.\n"
    with SessionDB() as db:
        [session] = db.search_sessions()
        assert session["id"].startswith(f"cron_{job['id']}_") and session["source"] == "cron"
    assert spawn("cron", "pause", job["id"][:3]).code == 0
    assert spawn("cron", "resume", "morning").code == 0
    assert spawn("cron", "remove", "morning").code == 0 and spawn("cron", "run", "morning").code == 1
    assert spawn("cron", "add", "now and then", "x").err.startswith("hermes: 'now and then' is no schedule; try")


def test_a_job_that_is_due_runs_once_and_tells_the_chat(hermes_home: Path, model: Scripted) -> None:
    configured(hermes_home, model, platform_toolsets={"paper": [], "cron": []})
    from hermes.commands import cron

    with SessionDB() as db:
        cron.add(db, load(), "every 1h", "Say good morning", cron.Extras("paper:alice", "morning"))
        late = cron.jobs(db)[0] | {"next": time.time() - 7200}  # two runs were missed
        db.set_meta("cron.jobs", json.dumps([late]))
        paper = Paper()
        with served(db, paper) as gateway:
            first, second = Scheduler(gateway), Scheduler(gateway)
            gateway.tasks += [first.tick, second.tick]
            until(lambda: paper.heard("alice"))
            until(lambda: cron.jobs(db)[0].get("status") == "answered")
        assert paper.heard("alice") == ["⏰ morning\n\nGood morning."]
        assert len(model.sent) == 1 and cron.jobs(db)[0]["next"] > time.time() + 3000


def test_the_agent_sends_messages_and_makes_jobs_within_what_a_person_may(hermes_home: Path, model: Scripted) -> None:
    from hermes.commands import cron
    from hermes.commands.chat.chat import Chat

    tools = ["messaging", "cronjob"]
    configured(hermes_home, model, toolsets=tools, platform_toolsets={"paper": tools})
    told = {"target": "paper:bob", "message": "Alice is late."}
    later = {"action": "create", "schedule": "daily at 9", "prompt": "Say good morning"}
    with SessionDB() as db:
        model.add(Say(calls=[("send_message", told), ("cronjob", later)]), Say("Done."))
        list(Chat(db, load()).ask("Tell Bob I am late."))
        assert [job["schedule"] for job in cron.jobs(db)] == ["daily at 9"]
        model.add(Say(calls=[("send_message", told), ("cronjob", later)]), Say("Done."))
        paper = Paper()
        with served(db, paper) as gateway:
            gateway.tasks.append(Scheduler(gateway).tick)
            until(lambda: paper.heard("bob"))
            paper.says("eve", "Tell Bob something.")
            until(lambda: paper.heard("eve"))
        assert paper.heard("bob") == ["Alice is late."] and len(cron.jobs(db)) == 1
        results = [
            row["content"] for row in db.get_messages(db.list_routes()[0]["session_id"]) if row["role"] == "tool"
        ]
    assert "own accounts" in results[0] and "There is no tool 'cronjob'" in results[1]


def test_it_is_restarted_and_serves_again(model: Scripted) -> None:
    first = json.loads(spawn("gateway", "start", "--json").out)
    try:
        assert spawn("gateway", "restart").code == 0
        second = running()
        assert second is not None and second["pid"] != first["pid"]
        url = f"http://127.0.0.1:{second['ports']['api-server']}/health"
        assert httpx2.get(url).json() == {"status": "ok"}
    finally:
        spawn("gateway", "stop")


def test_told_to_stop_twice_it_does_not_wait_for_a_turn(hermes_home: Path, model: Scripted) -> None:
    from tests.servers.scripted import Hang

    model.add(Hang(600))
    process = subprocess.Popen(PROGRAM, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None and "serves" in process.stderr.readline()
        told = until(running)
        body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
        address = f"http://127.0.0.1:{told['ports']['api-server']}/v1/chat/completions"
        with httpx2.stream("POST", address, json=body, headers={"Authorization": f"Bearer {KEY}"}) as answer:
            assert next(answer.iter_lines()).startswith("data:")
            process.send_signal(signal.SIGTERM)
            assert "Stopping" in process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_old_sessions_are_pruned_at_the_start_where_it_is_wanted(hermes_home: Path, model: Scripted) -> None:
    with SessionDB() as db:
        for name in ("old", "new"):
            db.create_session(name, "cli", started_at=1000.0 if name == "old" else None)
            db.append_message(name, "user", "x", timestamp=1000.0 if name == "old" else None)
            db.end_session(name, "user_exit")
    for wanted, left in ((False, {"old", "new"}), (True, {"new"})):
        configured(hermes_home, model, platforms={"api-server": {"port": 0}}, sessions={"auto_prune": wanted})
        assert spawn("gateway", "start").code == 0
        spawn("gateway", "stop")
        with SessionDB() as db:
            assert {row["id"] for row in db.search_sessions()} == left


def test_who_waits_and_who_was_let_in_is_told_to_programs(hermes_home: Path) -> None:
    with SessionDB() as db:
        code = new_code(db, "telegram:7")
        assert code is not None
    [waits] = map(json.loads, spawn("gateway", "paired", "--json").out.splitlines())
    assert (waits["account"], waits["code"], waits["paired"]) == ("telegram:7", code, False)
    assert json.loads(spawn("gateway", "pair", code, "--json").out)["account"] == "telegram:7"
    [known] = map(json.loads, spawn("gateway", "paired", "--json").out.splitlines())
    assert (known["account"], known["paired"]) == ("telegram:7", True)
    assert json.loads(spawn("gateway", "unpair", "telegram:7", "--json").out) == {"account": "telegram:7"}
    assert spawn("gateway", "paired", "--json").out == ""
