"""How a turn is drawn: what stands for good, and what moves."""

import re
from typing import Any

import pytest

from hermes.agent.base import Compressed, Notice, StartedOver, Steered, ToolEnded, ToolStarted, TurnEnded
from hermes.cli.chat.blocks import Blocks
from hermes.cli.chat.drawing import Drawing
from hermes.cli.chat.lines import arguments, tool_line
from hermes.config.areas.interface import Display
from hermes.errors import ProviderDown
from hermes.providers.base import ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from hermes.tools.base import ToolResult

ANSWER = "# Head\n\nA *paragraph*\nof two lines.\n\n- one\n- two\n\n```python\na = 1\n\nb = 2\n```\nThe end."


def ended(ok: bool = True, name: str = "terminal", **given: Any) -> ToolEnded:
    return ToolEnded("1", name, '{"command": "ls -la"}', ToolResult("two files", ok), given.get("seconds", 0.34))


def drawn(*events: Any, **display: Any) -> list[str]:
    """What stands above the prompt after these events, without colour."""
    lines: list[str] = []
    drawing = Drawing(Display(**display), lines.append)
    for event in events:
        drawing.show(event)
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]


# -- blocks


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_an_answer_is_cut_between_blocks_and_never_inside_code(step: int) -> None:
    blocks, taken = Blocks(), []
    for start in range(0, len(ANSWER), step):
        taken += blocks.add(ANSWER[start : start + step])
    taken += blocks.end()
    assert taken == [
        "# Head",
        "A *paragraph*\nof two lines.",
        "- one\n- two",
        "```python\na = 1\n\nb = 2\n```",
        "The end.",
    ]
    assert blocks.tail == ""


def test_what_is_under_way_is_the_tail() -> None:
    blocks = Blocks()
    assert blocks.add("One.\n\nTwo is") == ["One."]
    assert blocks.tail == "Two is"


def test_code_that_is_never_closed_is_shown_at_the_end() -> None:
    blocks = Blocks()
    assert blocks.add("```\nx\n\ny\n") == []
    assert blocks.end() == ["```\nx\n\ny"]


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    blocks = Blocks()
    assert blocks.add("````\n```\nx\n```\n````\n") == ["````\n```\nx\n```\n````"]


# -- tool calls


def test_a_list_of_what_is_to_be_done_is_shown_as_one() -> None:
    event = ended(name="todo")._replace(result=ToolResult("[x] 1: Read\n[ ] 2: Write\n1 of 2 done"))
    assert drawn(event) == ["┊ todo 1 of 2 done  0.3s", "[x] 1: Read", "[ ] 2: Write"]
    assert drawn(event._replace(result=ToolResult("The list is empty."))) == ["┊ todo The list is empty.  0.3s"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ('{"command": "ls -la\\n  x"}', "ls -la x"),
        ('{"path": "a", "lines": [1, 2]}', "path=a lines=[1, 2]"),
        ("no json", "no json"),
        ("[1,\n2]", "[1, 2]"),
        ("", ""),
    ],
)
def test_arguments_are_one_line(given: str, shown: str) -> None:
    assert arguments(given) == shown


def test_a_tool_call_is_a_line_with_its_time() -> None:
    assert tool_line(ended()) == "┊ terminal ls -la  0.3s"
    assert tool_line(ended(ok=False)) == "┊ terminal ls -la  0.3s ✗"
    assert len(tool_line(ended(name="x" * 20)._replace(arguments='{"a": "' + "y" * 500 + '"}'), 80)) <= 80
    assert tool_line(ended()._replace(arguments='{"a": "' + "y" * 500 + '"}'), most=5) == "┊ terminal yyyy…  0.3s"


@pytest.mark.parametrize(
    ("progress", "lines"),
    [("all", 3), ("new", 1), ("off", 0), ("verbose", 6)],
)
def test_how_much_of_the_tools_is_shown_is_a_setting(progress: str, lines: int) -> None:
    started = ToolStarted("1", "terminal", "{}")
    assert len(drawn(*[started, ended()] * 3, tool_progress=progress)) == lines


def test_a_tool_that_runs_moves_until_it_is_done() -> None:
    drawing = Drawing(Display(), lambda line: None)
    drawing.show(ToolStarted("1", "terminal", '{"command": "make"}'))
    [line] = drawing.live()
    assert re.fullmatch(r"\S terminal make  \ds", line)
    drawing.show(ended())
    assert "terminal" not in drawing.live()[0]


# -- a turn


def test_finished_blocks_stand_and_the_rest_moves() -> None:
    lines: list[str] = []
    drawing = Drawing(Display(), lines.append)
    assert "thinking" in drawing.live()[0]
    drawing.show(TextDelta("One.\n\nTwo is"))
    assert [line.strip() for line in lines] == ["One."]
    assert drawing.live() == ["Two is"]
    drawing.show(TurnEnded("answered", "One.\n\nTwo is"))
    assert [line.strip() for line in lines] == ["One.", "Two is"]


def test_without_streaming_nothing_is_shown_before_the_end() -> None:
    lines: list[str] = []
    drawing = Drawing(Display(streaming=False), lines.append)
    drawing.show(TextDelta("One.\n\nTwo."))
    assert lines == []
    assert "thinking" in drawing.live()[0]
    drawing.show(TurnEnded("answered", ""))
    assert len(lines) == 2


def test_reasoning_is_dimmed_and_only_shown_when_it_is_wanted() -> None:
    lines: list[str] = []
    drawing = Drawing(Display(show_reasoning=True), lines.append)
    drawing.show(ReasoningDelta("I wonder."))
    drawing.show(TextDelta("Yes."))
    assert lines == ["\x1b[2mI wonder.\x1b[0m"]
    assert drawn(ReasoningDelta("I wonder."), TextDelta("Yes."), TurnEnded("answered", "Yes.")) == ["Yes."]


def test_an_answer_that_starts_over_takes_back_what_was_not_shown() -> None:
    shown = drawn(TextDelta("First"), StartedOver("cut"), TextDelta("Second"), TurnEnded("answered", "Second"))
    assert shown == ["· the answer broke off and starts over: cut", "Second"]


def test_everything_else_is_a_note() -> None:
    shown = drawn(Notice("a fallback"), Steered("left"), Compressed("id", "t", 2000, 100), TurnEnded("interrupted", ""))
    assert shown == [
        "· a fallback",
        "· read: left",
        "· compressed: 2,000 → 100 tokens; goes on in id",
        "· stopped; what was said is kept",
    ]
    assert drawn(TurnEnded("failed", "", ProviderDown("it is down"))) == ["it is down"]


def test_what_is_waited_for_is_told() -> None:
    drawing = Drawing(Display(), lambda line: None)
    drawing.show(ToolCallDelta(0, "web_search", ""))
    assert "calling web_search" in drawing.live()[0]
    drawing.show(Retrying("Too many requests.", 3))
    assert "Too many requests. Trying again" in drawing.live()[0]


@pytest.mark.parametrize(("how", "shown"), [("render", "A word."), ("strip", "A word."), ("raw", "A **word**.")])
def test_markdown_is_drawn_stripped_or_left(how: str, shown: str) -> None:
    assert drawn(TextDelta("A **word**."), TurnEnded("answered", ""), final_response_markdown=how) == [shown]


def test_nothing_in_an_answer_drives_the_terminal() -> None:
    [line] = drawn(TextDelta("\x1b]0;x\x07\u202e"), TurnEnded("answered", ""), final_response_markdown="raw")
    assert line == r"\x1b]0;x\x07\u202e"
