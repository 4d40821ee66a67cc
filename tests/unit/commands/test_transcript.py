"""A conversation as people read it."""

from pathlib import Path
from typing import Any

import pytest

from hermes.commands import transcript
from hermes.commands.reply import Entry, Transcript, Tree
from hermes.errors import BadInput
from hermes.store import SessionDB

CALL = {"id": "1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}


@pytest.fixture
def db(tmp_path: Path) -> SessionDB:
    return SessionDB(tmp_path / "state.db")


def shown(db: SessionDB, session: str, **options: Any) -> list[Entry]:
    (part,) = transcript.show(db, session, **options).parts
    assert isinstance(part, Transcript)
    return list(part.entries)


def heading(db: SessionDB, session: str, **options: Any) -> str:
    (part,) = transcript.show(db, session, **options).parts
    assert isinstance(part, Transcript)
    return "\n".join(line if isinstance(line, str) else "".join(span.text for span in line) for line in part.heading)


def test_tool_calls_are_counted_results_cut_and_the_rest_hidden(db: SessionDB) -> None:
    db.create_session("s", "cli", system_prompt="be kind")
    db.append_message("s", "system", "hidden")
    db.append_message("s", "assistant", None, tool_calls=[CALL, CALL], reasoning="let me think")
    db.append_message("s", "tool", "line\n" * 30, tool_name="terminal")
    calls, result = shown(db, "s")
    assert (calls.role, calls.text, calls.notes) == ("assistant", "", ("[2 tool calls: terminal]",))
    assert result.text.count("line") == 8
    assert (result.name, result.notes) == ("terminal", ("[150 characters; --full shows all]",))
    assert "be kind" not in heading(db, "s")


def test_full_shows_everything(db: SessionDB) -> None:
    db.create_session("s", "cli", system_prompt="be kind")
    db.append_message("s", "system", "hidden")
    db.append_message("s", "assistant", "well", tool_calls=[CALL], reasoning="let me think")
    db.append_message("s", "tool", "line\n" * 30, tool_name="terminal")
    system, assistant, result = shown(db, "s", full=True)
    assert system.text == "hidden"
    assert assistant.notes == ("[thinking] let me think", '[tool call] terminal {"command": "ls"}')
    assert result.text.count("line") == 30
    assert "be kind" in heading(db, "s", full=True)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"name": "search", "input": {"q": "ü"}}, 'search {"q": "ü"}'),
        ({"function": "odd"}, "? "),
        ({}, "? "),
    ],
)
def test_tool_calls_of_any_shape_are_shown(db: SessionDB, call: dict[str, Any], told: str) -> None:
    db.create_session("s", "cli")
    db.append_message("s", "assistant", "x", tool_calls=[call])
    assert shown(db, "s", full=True)[0].notes == (f"[tool call] {told}",)


def test_a_picture_is_only_shown_from_the_text_itself(db: SessionDB) -> None:
    db.create_session("s", "cli")
    good = "data:image/png;base64,iVBORw0KGgo="
    for url in (good, "https://example.com/track.png", "data:text/html;base64,PGI+", "data:image/svg+xml;base64,PGI+"):
        db.append_message("s", "user", [{"type": "image_url", "image_url": {"url": url}}, {"text": "look"}])
    assert [entry.images for entry in shown(db, "s")] == [(good,), (), (), ()]


def test_the_whole_conversation_shows_what_was_carried_once(db: SessionDB) -> None:
    db.create_session("one", "cli")
    ids = [db.append_message("one", "user", f"message {number}") for number in range(3)]
    db.set_session_title("one", "talk")
    db.split_session("one", "two", [{"role": "user", "content": "summary"}], carried=ids[1:])
    db.append_message("two", "user", "message 3")
    texts = ["message 0", "message 1", "message 2", "summary", "message 3"]
    assert [entry.text for entry in shown(db, "talk")] == texts
    assert [entry.text for entry in shown(db, "one")] == texts
    alone = [entry.text for entry in shown(db, "two", part=True)]
    assert alone == ["summary", "message 1", "message 2", "message 3"]
    assert "2 parts; " in heading(db, "talk")
    assert "part 2 of 2; " in heading(db, "two", part=True)
    assert [entry.text for entry in shown(db, "talk", last=2)] == ["summary", "message 3"]
    with pytest.raises(BadInput):
        transcript.show(db, "talk", last=0)


def test_a_tree_tells_continuations_branches_and_delegated_sessions_apart(db: SessionDB) -> None:
    db.create_session("root", "cli")
    db.append_message("root", "user", "hello")
    db.create_session("helper", "subagent", parent_session_id="root")
    db.split_session("root", "next", [])
    db.append_message("next", "user", "on we go")
    db.branch_session("next", "side")
    reply = transcript.lineage(db, "next")
    assert {row["id"]: row["relation"] for row in reply.data} == {
        "root": "start",
        "helper": "delegated",
        "next": "continued",
        "side": "branch",
    }
    (tree,) = reply.parts
    assert isinstance(tree, Tree)
    assert [depth for depth, _ in tree.nodes] == [0, 1, 1, 2]


def test_a_very_deep_lineage_is_no_trouble(db: SessionDB) -> None:
    with db.transaction() as tx:
        tx.create_session("part-0", "cli")
        for number in range(1500):
            tx.split_session(f"part-{number}", f"part-{number + 1}", [])
    reply = transcript.lineage(db, "part-0")
    (tree,) = reply.parts
    assert isinstance(tree, Tree)
    assert [depth for depth, _ in tree.nodes] == [0] + [1] * 1500
