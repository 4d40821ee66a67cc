"""Messages: every column there and back, order, counts, the calls that store several."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import BadInput, KeyReused, MessageNotFound, SessionNotFound
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend

CALLS = [{"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}]
DOCUMENTED_COLUMNS = [
    "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "token_count",
    "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
    "codex_message_items",
]  # fmt: skip
HOSTILE_TEXTS = [
    "", " ", "plain", "nul \0 inside", "\0json:[1]", "half \ud800 pair", "\udfff", "\\u0000 typed", "\\ud800 \ud800",
    "back\\slash \0", "a\r\nb", "\x1b[31mred", "漢字かな交じり文", "👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301 vs é", "\u202eabc",
    "\ufffe\uffff", "@payload:0", '{"looks": "like json"}', "x" * 20_000, "語" * 20_000, "\ud800" * 20_000,
]  # fmt: skip


@pytest.fixture
def chat(db: SessionDB) -> SessionDB:
    db.create_session("s", "cli", started_at=1000.0)
    return db


def contents(db: SessionDB, session_id: str = "s") -> list[Any]:
    return [row["content"] for row in db.get_messages(session_id)]


def counts(db: SessionDB, session_id: str = "s") -> tuple[int, int]:
    row = db.get_session(session_id)
    assert row is not None
    assert row["message_count"] == db.message_count(session_id)
    return row["message_count"], row["tool_call_count"]


def test_every_column_comes_back(chat: SessionDB) -> None:
    before = time.time()
    first = chat.append_message(
        session_id="s",
        role="assistant",
        content="Here's the answer...",
        tool_name="terminal",
        tool_calls=CALLS,
        tool_call_id="call_0",
        token_count=150,
        finish_reason="stop",
        reasoning="Let me think about this...",
        reasoning_content="provider text",
        reasoning_details=[{"type": "thinking"}],
        codex_reasoning_items=[{"id": "rs_1"}],
        codex_message_items={"phase": "final"},
    )
    (row,) = chat.get_messages("s")
    assert list(row)[: len(DOCUMENTED_COLUMNS)] == DOCUMENTED_COLUMNS
    assert before <= row.pop("timestamp") <= time.time()
    assert row.pop("carried_from") is None
    assert {name: row[name] for name in DOCUMENTED_COLUMNS if name != "timestamp"} == {
        "id": first,
        "session_id": "s",
        "role": "assistant",
        "content": "Here's the answer...",
        "tool_call_id": "call_0",
        "tool_calls": CALLS,
        "tool_name": "terminal",
        "token_count": 150,
        "finish_reason": "stop",
        "reasoning": "Let me think about this...",
        "reasoning_content": "provider text",
        "reasoning_details": '[{"type": "thinking"}]',
        "codex_reasoning_items": '[{"id": "rs_1"}]',
        "codex_message_items": '{"phase": "final"}',
    }


def test_ids_grow_and_messages_come_in_the_order_they_were_said(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", f"m{n}", timestamp=100 - n) for n in range(5)]
    assert ids == sorted(set(ids))
    assert contents(chat) == ["m0", "m1", "m2", "m3", "m4"]  # whatever the clock said
    assert [row["id"] for row in chat.get_messages("s")] == ids


def test_an_id_is_never_used_twice(chat: SessionDB) -> None:
    last = [chat.append_message("s", "user", "x") for _ in range(3)][-1]
    chat.clear_messages("s")
    assert chat.append_message("s", "user", "y") > last


def test_a_missing_session_is_an_error(db: SessionDB) -> None:
    with pytest.raises(SessionNotFound, match="nowhere"):
        db.append_message("nowhere", "user", "hello")
    with pytest.raises(SessionNotFound):
        db.append_messages("nowhere", [])
    assert db.message_count() == 0
    assert db.get_messages("nowhere") == []
    assert db.message_count("nowhere") == 0


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
@pytest.mark.parametrize("role", ["user", "tool"])
def test_text_comes_back_as_the_same_text(chat: SessionDB, text: str, role: str) -> None:
    chat.append_message("s", role, text, reasoning=text, reasoning_content=text, tool_name=text[:50])
    chat.append_message("s", role, [{"type": "text", "text": text}])
    plain, multimodal = chat.get_messages("s")
    assert (plain["content"], plain["reasoning"], plain["reasoning_content"]) == (text, text, text)
    assert plain["tool_name"] == text[:50]
    assert multimodal["content"] == [{"type": "text", "text": text}]


_json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_structures = st.lists(_json_values, max_size=4) | st.dictionaries(st.text(max_size=8), _json_values, max_size=4)


@given(content=st.text() | _structures, calls=st.lists(_json_values, max_size=3))
def test_any_content_comes_back_equal_and_of_its_type(db: SessionDB, content: Any, calls: list[Any]) -> None:
    db.ensure_session("s", "cli")
    message_id = db.append_message("s", "assistant", content, tool_calls=calls)
    (row,) = db.get_messages("s", after=message_id - 1)
    assert type(row["content"]) is type(content)
    assert row["content"] == content
    assert (row["tool_calls"] or []) == calls


def test_one_escaped_column_leaves_the_others_alone(chat: SessionDB) -> None:
    chat.append_message("s", "assistant", "\\u0041 typed", reasoning="\\u0000 typed", reasoning_content="a \0 really")
    (row,) = chat.get_messages("s")
    assert (row["content"], row["reasoning"], row["reasoning_content"]) == (
        "\\u0041 typed", "\\u0000 typed", "a \0 really",
    )  # fmt: skip


def test_an_image_comes_back_equal(chat: SessionDB) -> None:
    url = "data:image/png;base64," + "iVBORw0KGgo" * 9000
    content = [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": url, "detail": "high"}},
        {"type": "text", "text": "@payload:0"},
    ]
    chat.append_message("s", "user", content)
    assert contents(chat) == [content]


@pytest.mark.parametrize(
    ("calls", "count", "back"),
    [(CALLS, 1, CALLS), (CALLS * 3, 3, CALLS * 3), ([], 0, None), (None, 0, None), ({"id": "1"}, 1, {"id": "1"}),
     (json.dumps(CALLS), 1, CALLS), ("", 0, None), ("[]", 0, []), ({}, 0, None),
     ([{"x": float("inf")}], 1, [{"x": float("inf")}])],
)  # fmt: skip
def test_tool_calls_are_counted_by_their_entries(chat: SessionDB, calls: Any, count: int, back: Any) -> None:
    chat.append_message("s", "assistant", "a", tool_calls=calls)
    chat.append_message("s", "tool", "result", tool_name="terminal", tool_call_id="call_1")
    last = chat.append_message("s", "user", "thanks")
    assert counts(chat) == (3, count)
    assert chat.get_messages("s")[0]["tool_calls"] == back
    chat.delete_messages_from("s", last)  # counted anew from the rows
    assert counts(chat) == (2, count)


def test_a_timestamp_can_be_given(chat: SessionDB) -> None:
    chat.append_message("s", "user", "then", timestamp=1234.5)
    chat.append_message("s", "user", "whole seconds", timestamp=7)
    assert [row["timestamp"] for row in chat.get_messages("s")] == [1234.5, 7.0]


def test_append_many_is_all_or_none(chat: SessionDB) -> None:
    ids = chat.append_messages("s", [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": CALLS}])
    assert [row["id"] for row in chat.get_messages("s")] == ids
    assert counts(chat) == (2, 1)
    with pytest.raises(BadInput):
        chat.append_messages("s", [{"role": "user", "content": "b"}, {"content": "no role"}])
    with pytest.raises(KeyReused):
        chat.append_messages("s", [{"role": "user", "content": "b", "idempotency_key": "k"},
                                   {"role": "user", "content": "c", "idempotency_key": "k"}])  # fmt: skip
    assert contents(chat) == ["a", None]
    assert counts(chat) == (2, 1)
    assert chat.append_messages("s", []) == []
    assert chat.append_messages("s", ({"role": "user", "content": str(n)} for n in range(2))) != []


# -- idempotency keys


def test_the_same_key_again_returns_the_row_it_made(chat: SessionDB) -> None:
    first = chat.append_message("s", "user", "once", idempotency_key="turn-1")
    assert chat.append_message("s", "user", "once", idempotency_key="turn-1", timestamp=5.0) == first
    assert chat.append_messages("s", [{"role": "user", "content": "once", "idempotency_key": "turn-1"}]) == [first]
    assert contents(chat) == ["once"]
    assert counts(chat) == (1, 0)


def test_a_key_twice_in_one_call_makes_one_row(chat: SessionDB) -> None:
    twice = [{"role": "assistant", "content": "x", "tool_calls": CALLS, "idempotency_key": "k"}] * 2
    ids = chat.append_messages("s", twice)
    assert len(set(ids)) == 1
    assert counts(chat) == (1, 1)


@pytest.mark.parametrize(
    "other",
    [{"content": "else"}, {"content": ["once"]}, {"role": "assistant"}, {"tool_calls": CALLS}, {"reasoning": "r"},
     {"content": None}, {"content": "x" * 20_000}, {"token_count": 1}],
)  # fmt: skip
def test_the_same_key_with_other_content_is_an_error(chat: SessionDB, other: dict[str, Any]) -> None:
    message = {"role": "user", "content": "once", "idempotency_key": "k"}
    chat.append_messages("s", [message])
    with pytest.raises(KeyReused, match="'k'"):
        chat.append_messages("s", [message | other])
    assert contents(chat) == ["once"]


def test_text_and_structure_are_other_content(chat: SessionDB) -> None:
    chat.append_message("s", "user", '["once"]', idempotency_key="k")
    with pytest.raises(KeyReused):
        chat.append_message("s", "user", ["once"], idempotency_key="k")


def test_keys_are_per_session(chat: SessionDB) -> None:
    chat.create_session("t", "cli")
    assert chat.append_message("s", "user", "a", idempotency_key="k") != chat.append_message(
        "t", "user", "b", idempotency_key="k"
    )


def test_a_key_is_safe_across_openers(backend: SqliteBackend) -> None:
    with backend.open() as one, backend.open() as two:
        one.create_session("s", "cli")
        first = one.append_message("s", "user", "x", idempotency_key="k")
        assert two.append_message("s", "user", "x", idempotency_key="k") == first


# -- replace, clear, delete from a point on


def test_replace_puts_these_messages_instead(chat: SessionDB) -> None:
    chat.append_message("s", "user", "old", tool_calls=CALLS)
    chat.replace_messages("s", [{"role": "user", "content": "new"}, {"role": "assistant", "tool_calls": CALLS * 2}])
    assert contents(chat) == ["new", None]
    assert counts(chat) == (2, 2)
    assert chat.list_sessions_rich()[0]["preview"] == "new"


def test_replace_takes_what_get_messages_gave(chat: SessionDB) -> None:
    chat.append_message("s", "assistant", [{"a": 1}], tool_calls=CALLS, reasoning_details=[{"b": 2}], token_count=4)
    chat.append_message("s", "tool", "t" * 20_000, tool_name="terminal", timestamp=77.0)
    before = chat.get_messages("s")
    chat.replace_messages("s", before)
    after = chat.get_messages("s")
    assert [{**row, "id": 0} for row in after] == [{**row, "id": 0} for row in before]
    assert counts(chat) == (2, 1)


def test_replace_with_one_bad_message_changes_nothing(chat: SessionDB) -> None:
    chat.append_message("s", "user", "old")
    with pytest.raises(BadInput):
        chat.replace_messages("s", [{"role": "user", "content": "new"}, {"role": "user", "content": object()}])
    assert contents(chat) == ["old"]
    assert counts(chat) == (1, 0)


def test_replace_of_a_missing_session_is_an_error(db: SessionDB) -> None:
    with pytest.raises(SessionNotFound):
        db.replace_messages("nowhere", [])


def test_clear_keeps_the_session_and_zeroes_the_counts(chat: SessionDB) -> None:
    chat.update_token_counts("s", 10, 5)
    chat.append_message("s", "user", "a", tool_calls=CALLS, timestamp=2000.0)
    chat.append_message("s", "tool", "x" * 30_000)
    chat.clear_messages("s")
    row = chat.list_sessions_rich()[0]
    assert counts(chat) == (0, 0)
    assert (row["preview"], row["last_active"], row["input_tokens"]) == ("", 1000.0, 10)
    assert contents(chat) == []


def test_delete_from_takes_this_message_and_all_after_it(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", f"m{n}", tool_calls=CALLS, timestamp=2000.0 + n) for n in range(5)]
    chat.create_session("t", "cli")
    chat.append_message("t", "user", "elsewhere")
    assert chat.delete_messages_from("s", ids[3]) == 2
    assert contents(chat) == ["m0", "m1", "m2"]
    assert counts(chat) == (3, 3)
    assert counts(chat, "t") == (1, 0)
    row = next(row for row in chat.list_sessions_rich() if row["id"] == "s")
    assert row["last_active"] == 2002.0
    assert chat.delete_messages_from("s", ids[0]) == 3
    assert counts(chat) == (0, 0)


def test_delete_from_needs_a_message_of_this_session(chat: SessionDB) -> None:
    chat.create_session("t", "cli")
    foreign = chat.append_message("t", "user", "elsewhere")
    own = chat.append_message("s", "user", "here")
    for missing in (foreign, own + 1, 0, -1):
        with pytest.raises(MessageNotFound):
            chat.delete_messages_from("s", missing)
    with pytest.raises(SessionNotFound):
        chat.delete_messages_from("nowhere", own)
    assert chat.message_count() == 2


def test_messages_page_by_id(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", str(n)) for n in range(7)]
    seen: list[int] = []
    while page := chat.get_messages("s", after=seen[-1] if seen else 0, limit=3):
        seen += [row["id"] for row in page]
    assert seen == ids
    assert chat.get_messages("s", limit=0) == []


# -- large payloads


def test_a_long_session_is_read_around_any_message(chat: SessionDB) -> None:
    ids = chat.append_messages("s", [{"role": "user", "content": f"word {n}"} for n in range(9)])
    middle = ids[4]
    before = chat.get_messages("s", before=middle, limit=2, newest=True)
    after = chat.get_messages("s", after=middle, before=ids[8], limit=2)
    assert [row["id"] for row in [*before, *after]] == [*ids[2:4], *ids[5:7]]
    assert chat.get_messages("s", after=middle, before=middle) == []


def test_large_payloads_are_stored_once(backend: SqliteBackend) -> None:
    import random

    noise = random.Random(1).randbytes(300_000).hex()  # does not compress below its half
    image = [{"type": "image_url", "image_url": {"url": noise}}]
    with backend.open() as db:
        db.create_session("s", "cli")
        for _ in range(20):
            db.append_message("s", "tool", noise, tool_name="terminal")
            db.append_message("s", "user", image)
        assert contents(db) == [noise, image] * 20
    with backend.open() as db:
        assert db.database_size() < 2_500_000  # 40 copies would be 24 MB


def test_a_payload_stays_as_long_as_anybody_has_it(chat: SessionDB) -> None:
    output = "line of output\n" * 5000
    chat.create_session("t", "cli", system_prompt=output)
    first = chat.append_message("s", "tool", output)
    chat.append_message("t", "tool", output)
    chat.delete_messages_from("s", first)
    assert contents(chat, "t") == [output]
    chat.clear_messages("t")
    row = chat.get_session("t")
    assert row is not None
    assert row["system_prompt"] == output
    chat.append_message("s", "tool", output)
    assert contents(chat) == [output]
