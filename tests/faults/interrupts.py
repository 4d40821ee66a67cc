"""Ctrl-C, again and again, into a process that writes from its main thread and from others."""

import os
import random
import signal
import threading
import time
from pathlib import Path

from hermes.store import SessionDB


def write_under_interrupts(store: Path, seed: int, interrupts: int) -> tuple[int, set[str], set[str], int]:
    """(interrupts caught, acknowledged texts, texts present, texts present twice). Runs in its own process."""
    db = SessionDB(store)
    db.create_session("s", "cli")
    acknowledged: set[str] = set()
    stop = threading.Event()
    others = [threading.Thread(target=_write, args=(db, f"t{i}", acknowledged, stop)) for i in range(3)]
    storm = threading.Thread(target=_storm, args=(random.Random(seed), interrupts, stop))
    for thread in [*others, storm]:
        thread.start()
    caught = _write_on(db, acknowledged, stop, interrupts)
    for thread in others:
        thread.join(30)
        if thread.is_alive():
            raise AssertionError("a writer hangs")
    db.append_message("s", "user", "the store works")
    texts = [row["content"] for row in db.get_messages("s")]
    db.close()
    return caught, acknowledged, set(texts), len(texts) - len(set(texts))


def _write(db: SessionDB, name: str, acknowledged: set[str], stop: threading.Event) -> None:
    number = 0
    while not stop.is_set():
        number += 1
        db.append_message("s", "user", f"{name}:{number}")
        acknowledged.add(f"{name}:{number}")


def _write_on(db: SessionDB, acknowledged: set[str], stop: threading.Event, interrupts: int) -> int:
    caught = number = 0
    while caught < interrupts:
        try:
            writing.set()
            while True:
                number += 1
                db.append_message("s", "user", f"main:{number}")
                acknowledged.add(f"main:{number}")
        except KeyboardInterrupt:
            caught += 1
            caught_now.set()
    stop.set()
    return caught


writing = threading.Event()  # from here on an interrupt is caught
caught_now = threading.Event()


def _storm(rng: random.Random, interrupts: int, stop: threading.Event) -> None:
    writing.wait()
    for _ in range(interrupts):
        time.sleep(rng.uniform(0, 0.004))
        caught_now.clear()
        os.kill(os.getpid(), signal.SIGINT)
        if not caught_now.wait(20):
            return
