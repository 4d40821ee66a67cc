"""Whatever happens in whatever order, a turn leaves a conversation behind that goes on."""

import math
import random
from typing import Any

import pytest

from hermes.agent import turn as t
from hermes.agent.base import Compressed, TurnEnded
from hermes.agent.conversation import mended, open_calls
from hermes.errors import AnswerBroken, PromptTooLong, ProviderDown, RateLimited, RequestRefused
from hermes.model.usage import Usage
from hermes.providers.base import Finished, TextDelta
from hermes.tools.base import ToolResult

ERRORS = (AnswerBroken, PromptTooLong, ProviderDown, RateLimited, RequestRefused)
KINDS = {
    "calling": ["text", "finish", "finish", "fail", "steer", "stop", "clock"],
    "tools": ["result", "result", "result", "steer", "stop", "clock", "stray"],
    "measuring": ["measured"],
    "compressing": ["shrunk", "shrunk", "stop"],
}


def event(rng: random.Random, turn: t.Turn) -> Any:
    """Something that could happen now, likely or not."""
    kind = rng.choice(KINDS[turn.state])
    if kind == "finish":
        names = rng.choices(["read", "write"], k=rng.randint(0, 3))
        calls = [{"id": rng.choice(["a", "b", None]), "function": {"name": name}} for name in names]
        return Finished({"role": "assistant", "content": "x", "tool_calls": calls}, Usage(input_tokens=10))
    if kind == "result":
        return t.Answered(rng.choice(sorted(turn.running)), ToolResult("r"))
    return {
        "text": TextDelta("word "),
        "fail": t.CallFailed(rng.choice(ERRORS)("sorry")),
        "steer": t.Steer("and?"),
        "stop": t.Interrupt(),
        "clock": t.Clock(),
        "stray": t.Answered("nobody", ToolResult("r")),
        "measured": t.Measured(rng.choice([1, 100]), 50),
        "shrunk": t.Shrunk(rng.choice([None, Compressed("n", None, 2, 1)])),
    }[kind]


@pytest.mark.parametrize("seed", range(20))
def test_a_turn_always_ends_once_with_every_call_answered_once(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        effects = walk(rng)
        messages = [dict(effect.message) for effect in effects if isinstance(effect, t.Store)]
        keys = [effect.key for effect in effects if isinstance(effect, t.Store)]
        assert len(keys) == len(set(keys))
        assert [type(one.event) for one in effects if isinstance(one, t.Tell)].count(TurnEnded) == 1
        assert open_calls(messages) == []
        assert sorted(map(repr, mended(messages))) == sorted(map(repr, messages))  # nothing missing, nothing too many


def walk(rng: random.Random) -> list[Any]:
    limits = t.Limits(iterations=6, seconds=rng.choice([None, 15.0]))
    turn = t.Turn("k", 0.0, providers=["p"] * rng.randint(1, 3), limits=limits, beside=lambda name: name == "read")
    effects = turn.begin({"role": "user", "content": "?"})
    for step in range(30):
        if not turn.ended:
            effects += turn.step(event(rng, turn), float(step))
    for last in (t.Interrupt(), t.Clock()):
        effects += turn.step(last, math.inf)
    assert turn.ended
    return effects
