"""Only the newest question is answered."""

import asyncio
import threading

from hermes.cli.browse.newest import Newest
from hermes.errors import BadInput, HermesError


class Desk:
    """A `Newest` and everything it said."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.refusals: list[HermesError] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.newest = Newest[str](
            lambda work: self.tasks.append(asyncio.get_running_loop().create_task(work)),
            self.answers.append,
            self.refusals.append,
        )

    async def done(self) -> None:
        await asyncio.wait_for(asyncio.gather(*self.tasks), 10)


def test_what_was_overtaken_is_never_asked_and_a_late_answer_is_dropped() -> None:
    asked: list[str] = []
    started, go_on = threading.Event(), threading.Event()

    def slow() -> str:
        asked.append("d")
        started.set()
        assert go_on.wait(60)
        return "late"

    def quick(word: str) -> str:
        asked.append(word)
        return word

    async def story() -> list[str]:
        desk = Desk()
        desk.newest.ask(slow)
        await asyncio.to_thread(started.wait, 10)
        for word in ("de", "dep", "depl"):
            desk.newest.ask(lambda word=word: quick(word))
        go_on.set()
        await desk.done()
        assert not desk.newest.busy
        return desk.answers

    assert asyncio.run(story()) == ["depl"]
    assert asked == ["d", "depl"]


def test_a_refusal_is_told_and_the_next_question_is_answered() -> None:
    def refuse() -> str:
        raise BadInput("no")

    async def story() -> None:
        desk = Desk()
        desk.newest.ask(refuse)
        await desk.done()
        desk.newest.ask(lambda: "yes")
        await desk.done()
        assert (desk.answers, [str(error) for error in desk.refusals]) == (["yes"], ["no"])

    asyncio.run(story())
