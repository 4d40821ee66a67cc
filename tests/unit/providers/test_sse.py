"""Server-sent events: however the bytes are cut, the events are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import AnswerBroken
from hermes.providers.sse import ServerEvent, server_events


def pieces(whole: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(whole)) for cut in cuts})
    return [whole[start:end] for start, end in zip([0, *places], [*places, len(whole)], strict=True)]


@given(
    st.lists(st.tuples(st.sampled_from(["", "delta"]), st.text(alphabet="aé世🦊: {}", min_size=1)), max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(0, 200), max_size=20),
)
def test_cuts_do_not_matter(events: list[tuple[str, str]], end: str, cuts: list[int]) -> None:
    lines = [line for name, data in events for line in ([f"event: {name}"] if name else []) + [f"data: {data}", ""]]
    whole = "".join(line + end for line in lines).encode()
    assert list(server_events(pieces(whole, cuts))) == [ServerEvent(name, data) for name, data in events]


def test_comments_other_fields_and_empty_events_are_passed_over() -> None:
    assert list(server_events([b": hi\nid: 7\nretry: 3\n\n\ndata:a\ndata\ndata: b\n\n"])) == [ServerEvent("", "a\n\nb")]


def test_the_last_event_counts_without_an_empty_line() -> None:
    assert list(server_events([b"data: a\n\ndata: b"])) == [ServerEvent("", "a"), ServerEvent("", "b")]


def test_a_mark_at_the_beginning_is_no_part_of_the_first_line() -> None:
    assert list(server_events([b"\xef\xbb\xbfdata: a\n\n"])) == [ServerEvent("", "a")]


@pytest.mark.parametrize("chunks", [[b"data: " + b"x" * 50] * 3, [b"data: xxxxxxxxx\n"] * 20, [b"y" * 101]])
def test_an_event_has_a_largest_size(chunks: list[bytes]) -> None:
    with pytest.raises(AnswerBroken, match="larger"):
        list(server_events(chunks, largest=100))


def test_what_is_no_utf_8_is_told() -> None:
    with pytest.raises(AnswerBroken, match="UTF-8"):
        list(server_events([b"data: \xff\n\n"]))
