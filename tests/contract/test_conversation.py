"""The conversation form: OpenAI chat, memory fences stripped, ancestors joined."""

from typing import Any

import pytest

from hermes_state import SessionDB

CALLS = [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]


@pytest.fixture
def chat(db: SessionDB) -> SessionDB:
    db.create_session("s", "cli", started_at=1000.0)
    return db


def said(db: SessionDB, session_id: str, **options: Any) -> list[tuple[str, Any]]:
    return [(m["role"], m["content"]) for m in db.get_messages_as_conversation(session_id, **options)]


def continued(db: SessionDB, parts: list[list[tuple[str, str]]]) -> str:
    """A chain of sessions made by hand, as programs without `split_session` do it."""
    previous = None
    for number, part in enumerate(parts):
        session_id = f"part{number}"
        db.create_session(session_id, "cli", parent_session_id=previous, started_at=float(number))
        for role, content in part:
            db.append_message(session_id, role, content)
        previous = session_id
    return str(previous)


def test_roles_and_content_and_nothing_that_is_empty(chat: SessionDB) -> None:
    chat.append_message("s", "system", "You are helpful.")
    chat.append_message("s", "user", "hi", reasoning="not for user rows", finish_reason="stop")
    chat.append_message("s", "assistant", None, tool_calls=CALLS)
    chat.append_message("s", "tool", "out", tool_name="terminal", tool_call_id="call_1")
    chat.append_message("s", "assistant", "done", finish_reason="stop")
    assert chat.get_messages_as_conversation("s") == [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "content": "out", "tool_call_id": "call_1", "tool_name": "terminal"},
        {"role": "assistant", "content": "done", "finish_reason": "stop"},
    ]


def test_assistant_rows_carry_their_reasoning_parsed(chat: SessionDB) -> None:
    chat.append_message(
        "s",
        "assistant",
        "x",
        reasoning="hm",
        reasoning_content="",
        reasoning_details=[{"k": 1}],
        codex_reasoning_items=[{"id": "rs"}],
        codex_message_items={"phase": "final"},
    )
    assert chat.get_messages_as_conversation("s") == [
        {
            "role": "assistant",
            "content": "x",
            "reasoning": "hm",
            "reasoning_content": "",
            "reasoning_details": [{"k": 1}],
            "codex_reasoning_items": [{"id": "rs"}],
            "codex_message_items": {"phase": "final"},
        }
    ]


def test_multimodal_content_is_as_it_was(chat: SessionDB) -> None:
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:," + "x" * 20_000}}]
    chat.append_message("s", "user", content)
    chat.append_message("s", "assistant", {"any": "dict"})
    assert said(chat, "s") == [("user", content), ("assistant", {"any": "dict"})]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("<memory-context>\nx\n</memory-context>\n\nhello", "hello"),
        ("hello <memory-context>x</memory-context>", "hello"),
        ("a <MEMORY-CONTEXT>x\ny</memory-context> b", "a  b"),
        ("<memory-context>a</memory-context> m <memory-context>b</memory-context> n", "m  n"),
        ("<memory-context>a</memory-context>", ""),
        ("<memory-context>never closed", "never closed"),
        ("</memory-context> y", "y"),
        ("  plain < text  ", "  plain < text  "),
    ],
)
def test_leaked_memory_is_stripped_from_what_people_and_the_assistant_said(
    chat: SessionDB, stored: str, shown: str
) -> None:
    for role in ("user", "assistant", "tool", "system"):
        chat.append_message("s", role, stored)
    assert said(chat, "s") == [("user", shown), ("assistant", shown), ("tool", stored), ("system", stored)]
    assert [row["content"] for row in chat.get_messages("s")] == [stored] * 4


def test_leaked_memory_is_stripped_from_multimodal_text_too(chat: SessionDB) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    fenced = {"type": "text", "text": "<memory-context>x</memory-context>hi"}
    chat.append_message("s", "user", [fenced, image, "bare"])
    assert said(chat, "s") == [("user", [{"type": "text", "text": "hi"}, image, "bare"])]


def test_a_missing_session_has_no_conversation(db: SessionDB) -> None:
    assert db.get_messages_as_conversation("nowhere") == []
    assert db.get_messages_as_conversation("nowhere", include_ancestors=True) == []


def test_ancestors_come_first_root_to_tip(db: SessionDB) -> None:
    tip = continued(db, [[("user", "a"), ("assistant", "b")], [("user", "c")], [("assistant", "d")]])
    assert said(db, tip, include_ancestors=True) == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
        ("assistant", "d"),
    ]
    assert said(db, tip) == [("assistant", "d")]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # an unanswered prompt that the next part begins with again
        ([[("user", "a"), ("assistant", "b"), ("user", "x")], [("user", "x"), ("assistant", "c")]], "abxc"),
        ([[("user", "a"), ("user", "x")], [("user", "x"), ("user", "x"), ("assistant", "c")]], "axc"),
        ([[("user", "a"), ("assistant", "b"), ("user", "x")], [("user", "a"), ("user", "x")]], "abxa"),
        # an answered one that is asked again is a new question
        ([[("user", "a"), ("assistant", "b")], [("user", "a"), ("assistant", "c")]], "abac"),
        ([[("user", "a"), ("user", "x")], [("assistant", "s"), ("user", "x")]], "axsx"),
        # said twice in one session is said twice
        ([[("user", "a"), ("user", "a")]], "aa"),
    ],
)
def test_prompts_a_resume_replayed_appear_once(
    db: SessionDB, parts: list[list[tuple[str, str]]], expected: str
) -> None:
    assert "".join(c for _, c in said(db, continued(db, parts), include_ancestors=True)) == expected


def test_carried_messages_appear_once(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", f"m{n}") for n in range(4)]
    chat.split_session("s", "t", [{"role": "user", "content": "summary"}], carried=ids[2:])
    chat.append_message("t", "user", "m4")
    assert [c for _, c in said(chat, "t")] == ["summary", "m2", "m3", "m4"]
    assert [c for _, c in said(chat, "t", include_ancestors=True)] == ["m0", "m1", "m2", "m3", "summary", "m4"]


def test_a_branch_stands_for_the_part_it_copied(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", f"m{n}", timestamp=1000.0 + n) for n in range(4)]
    chat.branch_session("s", "b", through=ids[1])
    chat.append_message("b", "user", "elsewhere")
    assert [c for _, c in said(chat, "b", include_ancestors=True)] == ["m0", "m1", "elsewhere"]


def test_a_branch_of_a_compressed_conversation_repeats_nothing(chat: SessionDB) -> None:
    ids = [chat.append_message("s", "user", f"m{n}", timestamp=1000.0 + n) for n in range(4)]
    chat.split_session("s", "t", [{"role": "user", "content": "summary"}], carried=ids[2:])
    chat.append_message("t", "user", "m4")
    chat.branch_session("t", "b")
    chat.append_message("b", "user", "m5")
    assert [c for _, c in said(chat, "b")] == ["summary", "m2", "m3", "m4", "m5"]
    assert [c for _, c in said(chat, "b", include_ancestors=True)] == ["m0", "m1", "m2", "m3", "summary", "m4", "m5"]
