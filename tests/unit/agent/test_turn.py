"""The turn machine, without any I/O: what comes in, what is to be done."""

from typing import Any

import pytest

from hermes.agent import turn as t
from hermes.agent.base import Compressed, Notice, StartedOver, Steered, ToolEnded, ToolStarted, TurnEnded
from hermes.errors import (
    AnswerBroken,
    KeyRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)
from hermes.model.usage import Usage
from hermes.providers.base import Finished, ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from hermes.tools.base import ToolResult

ASKED = {"role": "user", "content": "what is the time?"}
FITS = t.Measured(100, 1000)
FULL = t.Measured(1000, 1000)


def begun(**details: Any) -> t.Turn:
    """A turn whose first model call is under way."""
    turn = t.Turn("key", 0.0, **details)
    turn.begin(ASKED)
    assert turn.step(FITS, 0.0) == [t.CallModel(0)]
    return turn


def answer(text: str = "noon", *calls: str, cost: float | None = None, tokens: int = 10) -> Finished:
    message: dict[str, Any] = {"role": "assistant", "content": text, "finish_reason": "stop"}
    if calls:
        entries = [{"id": f"c{n}", "function": {"name": name, "arguments": "{}"}} for n, name in enumerate(calls)]
        message["tool_calls"] = entries
    return Finished(message, Usage(input_tokens=tokens, api_call_count=1, estimated_cost_usd=cost))


def stored(effects: list[Any]) -> list[tuple[str, Any]]:
    return [(effect.message["role"], effect.message["content"]) for effect in effects if isinstance(effect, t.Store)]


def told(effects: list[Any], kind: type) -> list[Any]:
    return [one.event for one in effects if isinstance(one, t.Tell) and isinstance(one.event, kind)]


def end_of(effects: list[Any]) -> TurnEnded:
    [ended] = told(effects, TurnEnded)
    assert effects[-1] == t.Tell(ended)
    return ended


def test_the_persons_message_is_stored_before_anything_else() -> None:
    turn = t.Turn("key", 0.0)
    assert turn.begin(ASKED) == [t.Store(ASKED, "key:1"), t.Measure()]


def test_an_answer_is_stored_recorded_and_ends_the_turn() -> None:
    turn = begun()
    assert turn.step(TextDelta("no"), 1.0) == [t.Tell(TextDelta("no"))]
    effects = turn.step(answer(), 1.0)
    assert stored(effects) == [("assistant", "noon")]
    assert effects[0].usage == answer().usage
    assert [type(effect).__name__ for effect in effects] == ["Store", "Tell", "Tell"]
    assert end_of(effects) == TurnEnded("answered", "noon")
    assert turn.ended


def test_every_message_of_a_turn_has_a_key_of_its_own() -> None:
    turn = begun()
    keys = [effect.key for effect in turn.step(answer("", "clock"), 1.0) if isinstance(effect, t.Store)]
    keys += [effect.key for effect in turn.step(t.Answered("c0", ToolResult("12")), 1.0) if isinstance(effect, t.Store)]
    assert keys == ["key:2", "key:3"]


def test_after_its_end_nothing_moves_a_turn() -> None:
    turn = begun()
    turn.step(answer(), 1.0)
    for event in (TextDelta("x"), answer(), t.Interrupt(), t.Clock(), t.Steer("y"), t.Answered("c0", ToolResult("z"))):
        assert turn.step(event, 2.0) == []


def test_reasoning_retries_and_calls_in_writing_are_told() -> None:
    turn = begun()
    for event in (ReasoningDelta("hm"), Retrying("busy", 1.0), ToolCallDelta(0, "clock", "{")):
        assert turn.step(event, 1.0) == [t.Tell(event)]


# -- tools


def test_the_calls_are_stored_before_they_run() -> None:
    effects = begun().step(answer("let me see", "clock"), 1.0)
    assert isinstance(effects[0], t.Store)
    assert effects[0].message["tool_calls"][0]["id"] == "c0"
    assert effects[-2:] == [t.Tell(ToolStarted("c0", "clock", "{}")), t.CallTools([t.Call("c0", "clock", "{}")])]


def test_a_result_is_stored_when_it_comes_and_the_last_one_leads_to_the_next_call() -> None:
    turn = begun(beside=lambda name: True)
    turn.step(answer("", "clock", "calendar"), 1.0)
    effects = turn.step(t.Answered("c1", ToolResult("Monday"), 0.5), 2.0)
    assert stored(effects) == [("tool", "Monday")]
    assert told(effects, ToolEnded) == [ToolEnded("c1", "calendar", "{}", ToolResult("Monday"), 0.5)]
    effects = turn.step(t.Answered("c0", ToolResult("12")), 2.0)
    assert (stored(effects), effects[-1]) == ([("tool", "12")], t.Measure())
    assert turn.step(FITS, 2.0) == [t.CallModel(0)]


@pytest.mark.parametrize(
    ("beside", "groups"),
    [
        ("", ["a", "b", "a"]),
        ("ab", ["aba"]),
        ("a", ["a", "b", "a"]),
    ],
)
def test_only_tools_that_allow_it_run_beside_others(beside: str, groups: list[str]) -> None:
    turn = begun(beside=lambda name: name in beside)
    effects = turn.step(answer("", "a", "b", "a"), 1.0)
    ran = []
    while isinstance(effects[-1], t.CallTools):
        group = effects[-1].calls
        ran.append("".join(call.name for call in group))
        for call in group:
            effects = turn.step(t.Answered(call.call_id, ToolResult("done")), 1.0)
    assert ran == groups
    assert effects[-1] == t.Measure()


def test_no_more_than_eight_run_at_once() -> None:
    effects = begun(beside=lambda name: True).step(answer("", *["read"] * 20), 1.0)
    assert len(effects[-1].calls) == 8


def test_calls_without_an_id_of_their_own_get_one() -> None:
    calls = [
        {"id": "x", "function": {"name": "a"}},
        {"id": "x", "function": {"name": "b"}},
        {"function": {"name": "c"}},
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    effects = begun(beside=lambda name: True).step(Finished(message, Usage()), 1.0)
    ids = [call["id"] for call in effects[0].message["tool_calls"]]
    assert len(set(ids)) == 3
    assert [call.call_id for call in effects[-1].calls] == ids


def test_a_result_nobody_asked_for_is_left_alone() -> None:
    turn = begun()
    turn.step(answer("", "clock"), 1.0)
    assert turn.step(t.Answered("other", ToolResult("?")), 1.0) == []


# -- steering


def test_what_is_said_meanwhile_is_stored_before_the_next_call() -> None:
    turn = begun()
    turn.step(answer("", "clock"), 1.0)
    assert turn.step(t.Steer("in Berlin"), 1.0) == []
    effects = turn.step(t.Answered("c0", ToolResult("12")), 1.0)
    assert stored(effects) == [("tool", "12"), ("user", "in Berlin")]
    assert told(effects, Steered) == [Steered("in Berlin")]
    assert effects[-1] == t.Measure()


def test_a_turn_that_was_steered_while_answering_goes_on() -> None:
    turn = begun()
    turn.step(t.Steer("in Berlin"), 1.0)
    effects = turn.step(answer(), 1.0)
    assert stored(effects) == [("assistant", "noon"), ("user", "in Berlin")]
    assert not turn.ended
    assert turn.step(FITS, 1.0) == [t.CallModel(0)]


def test_what_was_said_is_kept_when_the_turn_is_stopped() -> None:
    turn = begun()
    turn.step(t.Steer("in Berlin"), 1.0)
    effects = turn.step(t.Interrupt(), 1.0)
    assert stored(effects) == [("user", "in Berlin")]
    assert turn.ended


# -- interrupts


def test_an_interrupt_keeps_what_was_streamed() -> None:
    turn = begun()
    turn.step(ReasoningDelta("hm"), 1.0)
    turn.step(TextDelta("It is al"), 1.0)
    effects = turn.step(t.Interrupt(), 1.0)
    kept = {"role": "assistant", "content": "It is al", "finish_reason": "interrupted", "reasoning": "hm"}
    unknown = Usage(api_call_count=1, cost_status="unknown")
    assert effects[:2] == [t.CutCall(), t.Store(kept, "key:2", unknown)]
    assert end_of(effects) == TurnEnded("interrupted", "It is al")


def test_an_interrupt_before_the_first_word_stores_no_empty_message() -> None:
    effects = begun().step(t.Interrupt(), 1.0)
    assert stored(effects) == []
    assert end_of(effects).reason == "interrupted"


def test_tools_get_a_moment_to_end_and_every_open_call_is_answered() -> None:
    turn = begun()
    turn.step(answer("", "slow", "next"), 1.0)
    assert turn.step(t.Interrupt(), 5.0) == []
    assert turn.wakes() == 6.0
    assert turn.step(t.Clock(), 5.5) == []
    effects = turn.step(t.Clock(), 6.0)
    assert stored(effects) == [("tool", t.INTERRUPTED), ("tool", t.INTERRUPTED)]
    assert [event.call_id for event in told(effects, ToolEnded)] == ["c0"]
    assert end_of(effects).reason == "interrupted"


def test_a_tool_that_ends_within_the_moment_is_believed_and_nothing_else_starts() -> None:
    turn = begun()
    turn.step(answer("", "slow", "next"), 1.0)
    turn.step(t.Interrupt(), 5.0)
    effects = turn.step(t.Answered("c0", ToolResult("half done")), 5.1)
    assert stored(effects) == [("tool", "half done"), ("tool", t.INTERRUPTED)]
    assert end_of(effects).reason == "interrupted"


# -- failures


@pytest.mark.parametrize("kind", [KeyRefused, QuotaSpent, RateLimited, ProviderDown, AnswerBroken])
def test_the_next_provider_is_asked_when_one_cannot(kind: type[ProviderError]) -> None:
    turn = begun(providers=("first", "second"))
    effects = turn.step(t.CallFailed(kind("Sorry.")), 1.0)
    assert effects == [t.Tell(Notice("Sorry. Going on with second.")), t.CallModel(1)]
    error = kind("Sorry again.")
    assert end_of(turn.step(t.CallFailed(error), 1.0)) == TurnEnded("failed", "", error)


def test_a_request_that_is_refused_is_not_tried_elsewhere() -> None:
    turn = begun(providers=("first", "second"))
    assert end_of(turn.step(t.CallFailed(RequestRefused("no")), 1.0)).reason == "failed"


def test_the_rest_of_the_turn_stays_with_the_provider_that_answered() -> None:
    turn = begun(providers=("first", "second"))
    turn.step(t.CallFailed(RateLimited("wait")), 1.0)
    turn.step(answer("", "clock"), 1.0)
    turn.step(t.Answered("c0", ToolResult("12")), 1.0)
    assert turn.step(FITS, 1.0) == [t.CallModel(1)]


def test_an_answer_that_broke_off_is_asked_for_once_more_and_then_kept() -> None:
    turn = begun(providers=("first", "second"))
    turn.step(TextDelta("It is al"), 1.0)
    effects = turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)
    assert (told(effects, StartedOver), effects[-1]) == ([StartedOver("cut")], t.CallModel(0))
    assert stored(effects) == []
    turn.step(TextDelta("It is"), 1.0)
    effects = turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)
    assert effects[0].message == {"role": "assistant", "content": "It is", "finish_reason": "cut"}
    assert len(told(effects, Notice)) == 1
    assert (end_of(effects).reason, end_of(effects).text) == ("failed", "It is")


def test_a_call_that_broke_off_before_its_text_is_asked_once_more_and_then_elsewhere() -> None:
    turn = begun(providers=("first", "second"))
    turn.step(ToolCallDelta(0, "clock", "{"), 1.0)
    assert turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)[-1] == t.CallModel(0)
    turn.step(ToolCallDelta(0, "clock", "{"), 1.0)
    assert turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)[-1] == t.CallModel(1)


def test_a_later_call_of_the_turn_may_start_over_again() -> None:
    turn = begun()
    turn.step(TextDelta("It"), 1.0)
    turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)
    turn.step(answer("", "clock"), 1.0)
    turn.step(t.Answered("c0", ToolResult("12")), 1.0)
    turn.step(FITS, 1.0)
    turn.step(TextDelta("It"), 1.0)
    assert turn.step(t.CallFailed(AnswerBroken("cut")), 1.0)[-1] == t.CallModel(0)


@pytest.mark.parametrize(("reason", "word"), [("length", "go on"), ("content_filter", "withheld")])
def test_an_answer_that_is_not_whole_is_remarked_upon(reason: str, word: str) -> None:
    [notice] = told(begun().step(Finished({**answer().message, "finish_reason": reason}, Usage()), 1.0), Notice)
    assert word in notice.text


def test_a_model_that_says_nothing_is_reported() -> None:
    assert len(told(begun().step(answer("  "), 1.0), Notice)) == 1


# -- the window


def test_a_full_window_is_compressed_before_the_call_and_only_once_for_it() -> None:
    turn = t.Turn("key", 0.0)
    turn.begin(ASKED)
    assert turn.step(FULL, 0.0) == [t.Compress(0)]
    done = Compressed("new", None, 1000, 999)
    assert turn.step(t.Shrunk(done), 0.0) == [t.Tell(done), t.Measure()]
    assert turn.step(FULL, 0.0) == [t.CallModel(0)]


def test_without_a_limit_nothing_is_compressed() -> None:
    turn = t.Turn("key", 0.0)
    turn.begin(ASKED)
    assert turn.step(t.Measured(10**9, None), 0.0) == [t.CallModel(0)]


def test_what_cannot_be_compressed_is_sent_as_it_is() -> None:
    turn = t.Turn("key", 0.0)
    turn.begin(ASKED)
    turn.step(FULL, 0.0)
    assert turn.step(t.Shrunk(None), 0.0) == [t.CallModel(0)]


def test_a_prompt_the_provider_finds_too_long_is_compressed_harder_each_time() -> None:
    turn = begun()
    done = Compressed("new", None, 10, 9)
    for harder in range(t.TRIES_TO_SHRINK):
        assert turn.step(t.CallFailed(PromptTooLong("long")), 1.0) == [t.Compress(harder, must=True)]
        turn.step(t.Shrunk(done), 1.0)
        assert turn.step(FITS, 1.0) == [t.CallModel(0)]
    assert end_of(turn.step(t.CallFailed(PromptTooLong("long")), 1.0)).reason == "failed"


def test_an_interrupt_while_a_summary_is_written_ends_the_turn() -> None:
    turn = t.Turn("key", 0.0)
    turn.begin(ASKED)
    turn.step(FULL, 0.0)
    assert end_of(turn.step(t.Interrupt(), 0.0)).reason == "interrupted"


# -- budgets


def round_trip(turn: t.Turn, now: float = 1.0, **spent: Any) -> list[Any]:
    """A call, its tool, and what comes then."""
    turn.step(answer("", "clock", **spent), now)
    turn.step(t.Answered("c0", ToolResult("12")), now)
    return turn.step(FITS, now)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (t.Limits(iterations=2), "iterations"),
        (t.Limits(tokens=100), "tokens"),
        (t.Limits(dollars=1.0), "cost"),
    ],
)
def test_a_turn_ends_when_a_budget_is_spent(limits: t.Limits, reason: str) -> None:
    turn = begun(limits=limits)
    assert round_trip(turn, tokens=50, cost=0.5) == [t.CallModel(0)]
    effects = round_trip(turn, tokens=50, cost=0.5)
    assert end_of(effects).reason == reason
    [notice] = told(effects, Notice)
    assert "go on" in notice.text


def test_a_cost_that_is_not_known_spends_nothing() -> None:
    turn = begun(limits=t.Limits(dollars=0.01))
    assert round_trip(turn, cost=None) == [t.CallModel(0)]


def test_time_ends_a_call_that_is_under_way_and_keeps_its_text() -> None:
    turn = begun(limits=t.Limits(seconds=10.0))
    turn.step(TextDelta("It is"), 1.0)
    assert turn.wakes() == 10.0
    assert turn.step(t.Clock(), 9.0) == []
    effects = turn.step(t.Clock(), 10.0)
    assert stored(effects) == [("assistant", "It is")]
    assert (end_of(effects).reason, len(told(effects, Notice))) == ("time", 1)


def test_time_ends_tools_too() -> None:
    turn = begun(limits=t.Limits(seconds=10.0))
    turn.step(answer("", "slow"), 1.0)
    assert told(turn.step(t.Clock(), 10.0), TurnEnded) == []
    effects = turn.step(t.Clock(), 11.0)
    assert stored(effects) == [("tool", t.OUT_OF_TIME)]
    assert end_of(effects).reason == "time"


# -- tools of whoever asks


def test_a_call_of_the_callers_own_tool_ends_the_turn_when_the_others_are_answered() -> None:
    turn = begun(callers=frozenset({"theirs"}).__contains__)
    effects = turn.step(answer("wait", "theirs", "clock"), 1.0)
    assert [call.name for effect in effects if isinstance(effect, t.CallTools) for call in effect.calls] == ["clock"]
    assert end_of(turn.step(t.Answered("c1", ToolResult("12")), 1.0)) == TurnEnded("called", "wait")


def test_the_next_turn_begins_with_the_results() -> None:
    result = {"role": "tool", "tool_call_id": "c0", "content": "rain"}
    assert t.Turn("key", 0.0).begin(None, [result]) == [t.Store(result, "key:1"), t.Measure()]
    assert stored(t.Turn("key", 0.0).begin(ASKED, [result])) == [("tool", "rain"), ("user", "what is the time?")]


def test_a_stop_answers_the_callers_calls_too() -> None:
    turn = begun(callers=frozenset({"theirs"}).__contains__)
    turn.step(answer("", "theirs", "clock"), 1.0)
    turn.step(t.Interrupt(), 2.0)
    effects = turn.step(t.Clock(), 4.0)
    assert stored(effects) == [("tool", t.INTERRUPTED)] * 2 and end_of(effects).reason == "interrupted"
