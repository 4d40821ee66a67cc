"""The rules of the recap, as the guide has them."""

from typing import Any

import pytest

from hermes.agent.compression import SUMMARY
from hermes.cli.panel import wrap
from hermes.cli.width import width
from hermes.commands.chat.recap import recap
from hermes.commands.reply import Line, Span


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str | None, *calls: str) -> dict[str, Any]:
    made = [{"id": str(place), "function": {"name": name, "arguments": "{}"}} for place, name in enumerate(calls)]
    return {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}


def tool(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": "0", "tool_name": "terminal"}


def plain(lines: tuple[Line, ...]) -> list[str]:
    return [line if isinstance(line, str) else "".join(span.text for span in line) for line in lines]


def styles(line: Line) -> list[str]:
    return [span.style for span in line if isinstance(span, Span)]


LAST = [user("the last question"), assistant("the last answer")]


def test_messages_of_the_person_are_gold_and_answers_green_and_both_have_their_mark() -> None:
    first, second = recap([user("hi"), assistant("hello")])
    assert plain((first, second)) == ["● You: hi", "◆ Hermes: hello"]
    assert (styles(first)[0], styles(second)[0]) == ("user", "assistant")


def test_a_long_message_of_the_person_is_cut_at_300_characters() -> None:
    whole, cut = recap([user("x" * 300), user("y" * 301), *LAST])[:2]
    assert plain((whole, cut)) == ["● You: " + "x" * 300, "● You: " + "y" * 300 + "..."]


def test_a_message_of_the_person_is_one_line() -> None:
    assert plain(recap([user("one\n\n two\tthree"), *LAST]))[0] == "● You: one two three"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 200, ["◆ Hermes: " + "x" * 200]),
        ("x" * 201, ["◆ Hermes: " + "x" * 200 + "..."]),
        ("one\ntwo\nthree", ["◆ Hermes: one", "  two", "  three"]),
        ("one\n\ntwo\nthree\nfour", ["◆ Hermes: one", "  two", "  three..."]),
    ],
)
def test_an_answer_is_cut_at_200_characters_and_3_lines(text: str, shown: list[str]) -> None:
    assert plain(recap([user("q"), assistant(text), *LAST]))[1 : 1 + len(shown)] == shown


def test_tool_calls_are_a_count_with_names() -> None:
    lines = recap([user("q"), assistant("Looking.", "terminal", "web_search", "terminal"), *LAST])
    assert plain(lines)[1:3] == ["◆ Hermes: Looking.", "  [3 tool calls: terminal, web_search]"]


def test_calls_of_one_answer_are_collapsed_over_its_messages() -> None:
    said = [
        user("q"),
        assistant(None, "terminal"),
        tool("x"),
        assistant("", "web_search"),
        tool("y"),
        assistant("Done."),
    ]
    assert plain(recap(said)) == ["● You: q", "◆ Hermes: [2 tool calls: terminal, web_search]", "◆ Hermes: Done."]
    assert plain(recap([user("q"), assistant(None, "terminal"), tool("x"), assistant("Done.")]))[1] == (
        "◆ Hermes: [1 tool call: terminal]"
    )


def test_system_messages_results_and_reasoning_are_hidden() -> None:
    said = [
        {"role": "system", "content": "SECRET prompt"},
        user("q"),
        {**assistant(None, "terminal"), "reasoning": "SECRET thought", "reasoning_content": "SECRET thought"},
        tool("SECRET result"),
        {**assistant("done"), "reasoning": "SECRET thought"},
    ]
    assert "SECRET" not in "\n".join(plain(recap(said)))


def test_the_last_ten_exchanges_are_shown_and_the_rest_is_counted() -> None:
    said = [message for number in range(13) for message in (user(f"q{number}"), assistant(f"a{number}"))]
    shown = plain(recap(said))
    assert shown[:4] == ["... 6 earlier messages ...", "", "● You: q3", "◆ Hermes: a3"]
    assert len([line for line in shown if line.startswith("●")]) == 10
    assert "earlier" not in "\n".join(plain(recap(said[:20])))


def test_everything_is_dim_but_the_last_answer_which_is_whole() -> None:
    long = "\n".join(f"line {number} " + "x" * 100 for number in range(30))
    lines = recap([user("q"), assistant("short"), user("q2"), assistant(long)])
    assert [styles(line)[1] for line in lines[:3]] == ["dim", "dim", "dim"]
    assert [styles(line)[1] for line in lines[3:]] == [""] * 30
    assert plain(lines)[-1] == "  line 29 " + "x" * 100


def test_a_picture_is_named_and_nothing_said_is_nothing_shown() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert plain(recap([user([picture]), *LAST]))[0] == "● You: [picture]"
    assert plain(recap([user([{"type": "text", "text": "look"}, picture]), *LAST]))[0] == "● You: look"
    assert recap([]) == ()


@pytest.mark.parametrize("room", [18, 40, 96])
@pytest.mark.parametrize("text", ["日本語" * 60, "word " * 80, "x" * 300, "emoji 👩‍👩‍👧 " * 30, "  indented", ""])
def test_no_line_of_the_panel_is_wider_than_its_box_and_no_word_is_lost(text: str, room: int) -> None:
    wrapped = list(wrap((Span("● You: ", "user"), Span(text, "dim")), room))
    assert max(sum(width(span.text) for span in line) for line in wrapped) <= room
    joined = "".join(span.text for line in wrapped for span in line)
    assert joined.replace(" ", "") == ("● You: " + text).replace(" ", "")


def test_a_summary_of_what_was_compressed_is_not_taken_for_something_that_was_said() -> None:
    summary = {"role": "system", "content": SUMMARY.format(number=40) + "\n\nA long summary."}
    assert recap([summary, *LAST]) == recap(LAST)
