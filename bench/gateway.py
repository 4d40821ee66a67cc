"""The gateway under load: many chats at once, a model that takes its time. `python -m bench gateway`.

The model answers after a fixed delay, in a process of its own; whatever a person waits beyond that is the gateway's.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers.platform import Paper, configured, running

ABOUT = "many chats at once through the gateway: lost, doubled, misplaced, and what it adds to the model's time"
_MODEL = """
import sys, time
from tests.servers.scripted import Say, Scripted, Sent
def answer(sent: Sent) -> Say:
    return Say("Answer to " + str(sent.messages[-1]["content"]), delay=float(sys.argv[1]))
with Scripted(otherwise=answer) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chats", type=int, default=200, metavar="N", help="people who talk at once (default: 200)")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="how long (default: 60)")
    parser.add_argument("--think", type=float, default=3.0, metavar="S", help="a person's pause (default: 3)")
    parser.add_argument("--delay", type=float, default=0.5, metavar="S", help="the model's time (default: 0.5)")
    parser.add_argument("--quick", action="store_true", help="20 chats for 10 s")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object")


class Served:
    """The scripted provider, as chats are configured for it."""

    def __init__(self, url: str) -> None:
        self.url = url


@contextmanager
def model(delay: float) -> Any:
    process = subprocess.Popen(
        [sys.executable, "-c", _MODEL, str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdin is not None
    try:
        yield Served(process.stdout.readline().strip())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


class Crowd:
    """People who each wait for an answer, think, and write again."""

    def __init__(self, paper: Paper, options: argparse.Namespace) -> None:
        self._paper, self._options = paper, options
        self.waits: list[float] = []
        self.said: set[str] = set()
        self.unanswered = 0
        self._lock = threading.Lock()
        self._heard: dict[str, threading.Event] = {}
        paper.on_told = self._on_told  # type: ignore[attr-defined]

    def _on_told(self, text: str) -> None:
        found = self._heard.get(text.removeprefix("Answer to "))
        if found is not None:
            found.set()

    def run(self) -> None:
        ends = time.monotonic() + self._options.seconds
        people = [
            threading.Thread(target=self._person, args=(n, ends), daemon=True) for n in range(self._options.chats)
        ]
        for one in people:
            one.start()
        for one in people:
            one.join(self._options.seconds + 120)

    def _person(self, number: int, ends: float) -> None:
        time.sleep(self._options.think * number / self._options.chats)
        turn = 0
        while time.monotonic() < ends:
            turn += 1
            text = f"u{number}-{turn}"
            heard = self._heard[text] = threading.Event()
            began = time.monotonic()
            self._paper.says(f"u{number}", text)
            answered = heard.wait(90)
            with self._lock:
                self.said.add(text)
                self.waits.append(time.monotonic() - began)
                self.unanswered += not answered
            time.sleep(self._options.think)


class Told(Paper):
    """Paper that calls out what is written on it."""

    on_told: Any = None

    def send(self, place: Any, text: str, *, key: str) -> str:
        number = super().send(place, text, key=key)
        if self.on_told is not None:
            self.on_told(text)
        return number


def run(options: argparse.Namespace) -> int:
    from hermes.store import SessionDB

    if options.quick:
        options.chats, options.seconds = 20, 10.0
    with (
        tempfile.TemporaryDirectory(prefix="hermes-bench-", ignore_cleanup_errors=True) as folder,
        model(options.delay) as served,
    ):
        os.environ["HERMES_HOME"] = folder
        configured(
            Path(folder), served, gateway={"allow_all_users": True, "messages_per_minute": 0},
            sessions={"database": f"{folder}/state.db"},
        )  # fmt: skip
        paper = Told()
        with SessionDB() as db, running(db, paper, tick=5.0) as _:
            crowd = Crowd(paper, options)
            crowd.run()
        with SessionDB() as db:
            figures = judged(db, paper, crowd, options)
    print(json.dumps(figures) if options.json else "\n".join(f"{name:<42} {value}" for name, value in figures.items()))
    return 0 if not any(figures[name] for name in ("messages lost", "duplicated", "wrong session", "unanswered")) else 1


def judged(db: Any, paper: Paper, crowd: Crowd, options: argparse.Namespace) -> dict[str, Any]:
    stored: Counter[str] = Counter()
    wrong = 0
    for session in db.search_sessions(limit=100_000):
        for row in db.get_messages(session["id"]):
            if row["role"] == "user":
                stored[row["content"]] += 1
                wrong += session["owner"] != f"paper:{row['content'].partition('-')[0]}"
    told = Counter(re.sub("^Answer to ", "", text) for _, text in paper.told)
    waits = sorted(crowd.waits)
    return {
        "chats at once": options.chats,
        "messages": len(crowd.said),
        "messages lost": len(crowd.said - set(stored)),
        "duplicated": sum(times > 1 for times in (*stored.values(), *told.values())),
        "wrong session": wrong,
        "unanswered": crowd.unanswered,
        "overhead beyond the model p50 (ms)": round((waits[len(waits) // 2] - options.delay) * 1000),
        "overhead beyond the model p99 (ms)": round((waits[int(len(waits) * 0.99)] - options.delay) * 1000),
        "messages a second": round(len(crowd.said) / options.seconds, 1),
        "memory of the process (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
