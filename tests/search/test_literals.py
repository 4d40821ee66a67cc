"""What is literally in a message is found by typing it: behind the index, in it, wherever in a message it stands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_state import SessionDB
from tests.search.literals import LITERALS

FILLER = (
    "nothing to see in this line of output\n" * 230
)  # twice that is past the size from which tool outputs are compressed


def content(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def tool_calls(text: str) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": _arguments(text)}}]}


def _arguments(text: str) -> str:
    return json.dumps({"command": f"first line\n{text}\nlast line"})


def tool_name(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_name": text, "content": "result"}


def large_output(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": f"{FILLER}\n{text}\n{FILLER}"}


def multimodal(text: str) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo" * 2000}}
    return {"role": "user", "content": [image, {"type": "text", "text": text}]}


POSITIONS = [(content, 1), (tool_calls, 3), (tool_name, 4), (large_output, 8), (multimodal, 3)]


def found_by(db: Any, query: str) -> dict[int, str]:
    return {row["id"]: row["snippet"] for row in db.search_messages(query, limit=len(LITERALS))}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        store.create_session("s", "cli")
        yield store


def test_the_corpus_is_large_and_has_no_doubles() -> None:
    assert len(LITERALS) >= 300
    assert len(set(LITERALS)) == len(LITERALS)


@pytest.mark.parametrize(("position", "step"), POSITIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_literal_finds_its_message(db: SessionDB, position: Any, step: int) -> None:
    sample = LITERALS[::step]
    with db.transaction() as tx:  # nothing is indexed before it ends
        ids = tx.append_messages("s", [position(text) for _, text in sample])
        behind = missed(tx, sample, ids)
    db.search_messages("anything")  # catches up
    assert db.index_lag() == 0
    assert (behind, missed(db, sample, ids)) == ([], [])


def missed(db: Any, sample: list[tuple[str, str]], ids: list[int]) -> list[tuple[str, str]]:
    """Literals that did not find their message, or found it without showing where."""
    wrong = []
    for (query, text), message_id in zip(sample, ids, strict=True):
        snippet = found_by(db, query).get(message_id)
        if snippet is None or ">>>" not in snippet:
            wrong.append((query, text))
    return wrong
