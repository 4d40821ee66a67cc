"""How soon a key shows its results: `python -m tests.screens.speed [SESSIONS]`.

Types queries letter by letter into the browser of a made-up store and measures, for each key, the time until the list
holds the answer to exactly that query; for how long the screen took no key meanwhile; and the processor time of all of
it, list, look and drawing, which tells more on a machine that does other things.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from textual import events

from hermes.store import SessionDB
from tests.screens.browser import Browser, browsing

QUERIES = ("deploy", "kubernetes cluster", "the", "weather in", "zzz nothing")
# So few that nearly every message holds the words typed: more work than any real store makes.
SENTENCES = (
    "deploy the billing service to kubernetes cluster weather in las vegas refactor auth module token check memory",
    "release notes report backup nightly postgres upgrade plan replica train dinner risotto lemon garden ticket",
)
WORDS = " ".join(SENTENCES).split()
TICK = 0.005


def fill(db: SessionDB, sessions: int) -> None:
    chance = random.Random(7)
    for number in range(sessions):
        name, at = f"s{number:06}", 1_700_000_000.0 + 600 * number
        with db.transaction() as tx:
            tx.create_session(name, "cli", started_at=at)
            tx.append_messages(
                name,
                [
                    {
                        "role": ("user", "assistant")[n % 2],
                        "content": " ".join(chance.choices(WORDS, k=40)),
                        "timestamp": at,
                    }
                    for n in range(10)
                ],
            )
            tx.set_session_title(name, f"{' '.join(chance.choices(WORDS, k=3))} {number}")
    db.optimize()


class Pulse:
    """Beats on the loop of the screen; a late beat is time during which no key would have been taken."""

    def __init__(self) -> None:
        self.gaps: list[float] = []

    async def beat(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK)
            self.gaps.append(time.perf_counter() - before - TICK)


async def key(browser: Browser, letter: str) -> float:
    """Seconds from the key to the list."""
    wanted = browser.screen.view.query + letter
    before = time.perf_counter()
    browser.app.post_message(events.Key("space" if letter == " " else letter, letter))
    await browser.until(lambda: browser.screen.rows.sought == wanted)
    return time.perf_counter() - before


async def measure(db: SessionDB) -> dict[str, list[float]]:
    taken: list[float] = []
    worked: list[float] = []
    async with browsing(db, size=(120, 40)) as browser:
        pulse = Pulse()
        heart = asyncio.create_task(pulse.beat())
        for query in QUERIES:
            for letter in query:
                before = time.process_time()
                taken.append(await key(browser, letter))
                await browser.settled()
                worked.append(time.process_time() - before)
            await browser.press("ctrl+u")
        heart.cancel()
    return {"key to list": taken, "screen not answering": pulse.gaps, "processor time a key": worked}


def main(sessions: int) -> None:
    with tempfile.TemporaryDirectory() as folder, SessionDB(Path(folder) / "state.db") as db:
        fill(db, sessions)
        measured = asyncio.run(measure(db))
    for name, values in measured.items():
        steps = statistics.quantiles((1000 * value for value in values), n=20)
        print(f"{name:<22} median {steps[9]:6.1f} ms   95% {steps[18]:6.1f} ms   most {1000 * max(values):6.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
