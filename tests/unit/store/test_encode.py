import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import BadInput, StoreCorrupt
from hermes.store.encode import (
    MAX_DEPTH,
    PAYLOAD_THRESHOLD,
    Payload,
    decode_content,
    encode,
    encode_all,
    plain_text,
    preview,
    unpack,
)


def row(content: Any, role: str = "user", **more: Any) -> Any:
    return encode({"role": role, "content": content, **more}, 5.0)


def back(encoded: Any) -> Any:
    payload = encoded.payload and unpack(encoded.payload.codec, encoded.payload.size, encoded.payload.data)
    return decode_content(encoded.columns["content"], encoded.kind, payload)


@pytest.mark.parametrize(
    ("content", "kind", "stored"),
    [("text", None, "text"), (None, None, None), ("", None, ""), (["a"], "json", '["a"]'),
     ({"a": "漢"}, "json", '{"a": "漢"}'), ("a\0b", "escaped:content", "a\\u0000b"),
     (["\ud800"], "json", '["\\ud800"]')],
)  # fmt: skip
def test_small_content_stays_readable_in_its_row(content: Any, kind: str | None, stored: str | None) -> None:
    encoded = row(content)
    assert (encoded.kind, encoded.columns["content"], encoded.payload) == (kind, stored, None)
    assert back(encoded) == content


def test_what_people_say_stays_in_its_row_however_long() -> None:
    assert row("x" * 100_000).columns["content"] == "x" * 100_000
    assert row("x" * 100_000, "assistant").payload is None


def test_large_tool_output_becomes_a_payload_at_the_threshold() -> None:
    assert row("x" * (PAYLOAD_THRESHOLD - 1), "tool").payload is None
    large = row("x" * PAYLOAD_THRESHOLD, "tool")
    assert (large.columns["content"], large.kind, large.payload.codec) == (None, None, "zstd")
    assert len(large.payload.data) < 1000
    assert back(large) == "x" * PAYLOAD_THRESHOLD


def test_long_parts_of_a_structure_leave_a_placeholder() -> None:
    content = [{"type": "text", "text": "look"}, {"url": "A" * 20_000}, "@payload:0", {"url": "B" * 20_000}]
    encoded = row(content)
    assert encoded.kind == "json attachments"
    assert (
        encoded.columns["content"]
        == '[{"type": "text", "text": "look"}, {"url": "@payload:0"}, "@payload:1", {"url": "@payload:2"}]'
    )
    assert back(encoded) == content


def test_the_same_bytes_have_the_same_digest() -> None:
    assert Payload.of("x" * 50_000).digest == Payload.of("x" * 50_000).digest
    assert Payload.of("x" * 50_000).digest != Payload.of("x" * 50_001).digest


def test_what_does_not_compress_is_kept_plain() -> None:
    payload = Payload.of("a")
    assert (payload.codec, unpack(payload.codec, payload.size, payload.data)) == ("plain", "a")


def test_a_damaged_payload_is_a_typed_error() -> None:
    payload = Payload.of("x" * 50_000)
    with pytest.raises(StoreCorrupt):
        unpack("zstd", payload.size, payload.data[:-5] + b"wrong")
    with pytest.raises(StoreCorrupt):
        unpack("plain", 2, b"\xff\xfe")


def test_a_row_changed_by_a_foreign_hand_is_shown_as_it_is() -> None:
    assert decode_content("no json any more", "json", None) == "no json any more"
    assert decode_content("plain", "some later kind", None) == "plain"


def test_threads_have_codecs_of_their_own() -> None:
    texts = [f"{n} " * 50_000 for n in range(8)]
    results: dict[int, str] = {}

    def work(number: int) -> None:
        for _ in range(20):
            payload = Payload.of(texts[number])
            results[number] = unpack(payload.codec, payload.size, payload.data)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[number] for number in range(8)] == texts


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_has_a_limit_that_can_always_be_read_back() -> None:
    assert back(row(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(BadInput, match="nested"):
        row(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize(
    ("field", "value"),
    [("tool_calls", {1: 2}), ("tool_calls", "{"), ("reasoning", 5), ("reasoning_details", {"a": {2}}),
     ("token_count", 1.5), ("token_count", True), ("timestamp", "x"), ("role", None), ("finish_reason", []),
     ("idempotency_key", "")],
)  # fmt: skip
def test_an_error_names_the_field(field: str, value: Any) -> None:
    with pytest.raises(BadInput, match=field.replace("_", ".") if field != "role" else "role"):
        encode({"role": "user", "content": "x", field: value}, 0.0)


def test_json_columns_take_structures_and_json_text() -> None:
    for given_details in ([{"a": "漢"}], '[{"a": "漢"}]'):
        assert row(None, "assistant", reasoning_details=given_details).columns["reasoning_details"] == '[{"a": "漢"}]'
    assert row(None, "assistant", tool_calls=[]).columns["tool_calls"] is None
    assert row(None, "assistant", tool_calls=({"id": 1},)).columns["tool_calls"] == '[{"id": 1}]'


@pytest.mark.parametrize(
    ("content", "text"),
    [("plain", "plain"), ([{"type": "text", "text": "a"}, "b", {"image": 1}, 5, {"text": 7}], "a b"),
     ({"text": "one"}, "one"), (None, ""), (5, ""), ([], "")],
)  # fmt: skip
def test_plain_text_is_what_a_person_reads(content: Any, text: str) -> None:
    assert plain_text(content) == text


def test_a_preview_is_storable_and_short() -> None:
    assert preview(None) is None
    assert preview("a\0\ud800b") == "a\ufffd\ufffdb"
    assert preview("x" * 61) == "x" * 60 + "..."


def test_a_generator_of_messages_is_fine_and_a_single_one_is_not() -> None:
    assert len(encode_all(({"role": "user", "content": str(n)} for n in range(3)), 0.0)) == 3
    for wrong in ({"role": "user"}, "text", None, 5):
        with pytest.raises(BadInput, match="list of dicts"):
            encode_all(wrong, 0.0)


@given(st.text() | st.lists(st.text() | st.integers()) | st.dictionaries(st.text(), st.text() | st.none()))
def test_content_survives_the_row(content: Any) -> None:
    for role in ("user", "tool"):
        assert back(row(content, role)) == content
