"""Row 18: the gateway is killed again and again while people talk to it. What they said is kept, and each is answered
once, or the answer is marked."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hermes.agent.conversation import open_calls
from hermes.store import SessionDB
from hermes.store.conversation import to_conversation
from tests.faults.rows import Outcome, Run, row
from tests.servers.platform import configured
from tests.servers.scripted import Say, Scripted, Sent
from tests.servers.telegram import TOKEN, FakeTelegram

CHATS = 6
_MOST_WAITING = 30
_PATIENCE = 120.0
_ASKED = re.compile(r"message (\d+)")


def answer(sent: Sent) -> Say:
    """An answer to the last numbered message; every third one takes a tool first."""
    place = max(
        at for at, one in enumerate(sent.messages) if one["role"] == "user" and _ASKED.search(str(one["content"]))
    )
    number = _ASKED.findall(str(sent.messages[place]["content"]))[-1]
    worked = any(one["role"] == "tool" for one in sent.messages[place:])
    if int(number) % 3 == 0 and not worked:
        return Say(calls=[("terminal", {"command": "sleep 0.1; echo done"})])
    return Say(f"Answer to {number}.", delay=0.02)


class Talking:
    """People who write to the bot, whether it is there or not."""

    def __init__(self, fake: FakeTelegram, pause: float) -> None:
        self.fake, self.pause = fake, pause
        self.said: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._over.wait(self.pause):
            if number - len(self.fake.sent) > _MOST_WAITING:
                self._over.wait(1.0)  # people wait for answers, too
            number += 1
            chat = 1000 + number % CHATS
            self.said[number] = chat
            self.fake.says(chat, f"message {number}")

    def stop(self) -> None:
        self._over.set()
        self._thread.join(60)


def started(home: Path) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "HERMES_HOME": str(home), "TELEGRAM_BOT_TOKEN": TOKEN}
    out = (home / "gateway.out").open("ab")
    with out:
        return subprocess.Popen([sys.executable, "-m", "hermes.gateway"], stdout=out, stderr=out, env=environment)


def serves(home: Path, process: "subprocess.Popen[bytes]") -> bool:
    """Whether it came up; it may take its time on a busy machine."""
    ends = time.monotonic() + _PATIENCE
    seen = (home / "gateway.out").read_bytes().count(b"The gateway serves") if (home / "gateway.out").exists() else 0
    while time.monotonic() < ends and process.poll() is None:
        if (home / "gateway.out").read_bytes().count(b"The gateway serves") > seen:
            return True
        time.sleep(0.02)
    return False


@row(18)
def killed_in_mid_turn(run: Run) -> Outcome:
    home, kills, failed_starts = run.fresh("home"), run.size(200, 3), 0
    with FakeTelegram() as fake, Scripted(otherwise=answer) as model:
        configured(
            home, model, display={"busy_input_mode": "queue"}, platform_toolsets={"telegram": ["terminal"]},
            gateway={"allow_all_users": True, "messages_per_minute": 0}, session_reset={"mode": "none"},
            platforms={"telegram": {"base_url": fake.url, "poll_seconds": 1}}, terminal={"cwd": str(home)},
        )  # fmt: skip
        talking = Talking(fake, 0.15)
        ends = time.monotonic() + 60 * (run.minutes or 1e6)
        for number in range(kills):
            if time.monotonic() > ends:
                kills = number
                break
            process = started(home)
            failed_starts += not serves(home, process)
            time.sleep(run.rng.uniform(0.0, 1.2))
            process.send_signal(signal.SIGKILL if number % 10 else signal.SIGTERM)
            process.wait(60)
        talking.stop()
        process = started(home)
        failed_starts += not serves(home, process)
        _settled(home, len(talking.said))
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        return _judged(home, fake, talking.said, kills, failed_starts)


def _settled(home: Path, messages: int) -> None:
    """Until everything that came in was dealt with."""
    ends = time.monotonic() + _PATIENCE + messages * 0.5
    with SessionDB(home / "state.db") as db:
        while time.monotonic() < ends:
            open_ones = (*db.arrivals("waiting", "running"), *db.posts("pending", "sending"))
            if len(db.arrivals("done")) >= messages and not open_ones:
                return
            time.sleep(0.2)


def _judged(home: Path, fake: FakeTelegram, said: dict[int, int], kills: int, failed_starts: int) -> Outcome:
    sent = Counter(re.findall(r"Answer to (\d+)\.", " ".join(str(one["text"]) for one in fake.sent)))
    with SessionDB(home / "state.db") as db:
        kept, wrong, orphans = _stored(db)
        marked = {
            number for one in db.posts("undelivered") for number in re.findall(r"Answer to (\d+)\.", one["content"])
        }
    lost = [number for number in said if kept[number] != 1]
    silent = [number for number in said if not sent[str(number)] and str(number) not in marked]
    twice = [number for number, times in sent.items() if times > 1]
    return Outcome(
        f"{kills} kills of the gateway, {len(said)} messages in {CHATS} chats, every third with a tool",
        f"messages lost or doubled {len(lost)}; answers delivered twice {len(twice)}; neither delivered nor marked "
        f"{len(silent)} (marked {len(marked)}); wrong session {wrong}; open tool calls {orphans}; failed starts "
        f"{failed_starts}",
        not lost and not twice and not silent and not wrong and not orphans and not failed_starts,
    )


def _stored(db: SessionDB) -> tuple[Counter[int], int, int]:
    """How often each message is stored, how many in another chat's session, and tool calls without a result."""
    kept: Counter[int] = Counter()
    wrong = orphans = 0
    for session in db.search_sessions(limit=10_000):
        rows: list[dict[str, Any]] = db.get_messages(session["id"])
        orphans += len(open_calls(to_conversation(rows)))
        for one in rows:
            if one["role"] == "user" and one["carried_from"] is None:
                numbers = [int(found) for found in _ASKED.findall(str(one["content"]))]
                kept.update(numbers)
                wrong += sum(session["chat_id"] != str(1000 + number % CHATS) for number in numbers)
    return kept, wrong, orphans
