"""Files of every old version, upgraded: every word in them is found, where it stands and nowhere else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hermes.model.text import storable
from hermes.store.matching import matches
from hermes.store.query import parse
from hermes.store.searchable import readable
from hermes.store.words import fold
from hermes_state import SessionDB
from tests.upgrades.build import VERSIONS
from tests.upgrades.conftest import fixture


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("read_only", [False, True])
def test_every_word_of_an_old_file_is_found(version: int, read_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(fixture(version).read_bytes())
    with SessionDB(path, read_only=read_only) as db:
        texts = said(db)
        assert len(texts) == db.message_count()
        words = sorted({word for text in texts.values() for word in re.findall(r"\w+|[^\w\s]+", text[:3000])})
        assert len(words) > 20
        for word in words:
            node = parse(f'"{word}"')
            wanted = {message for message, text in texts.items() if node is not None and matches(node, fold(text))}
            assert {row["id"] for row in db.search_messages(f'"{word}"', limit=1000)} == wanted, word


def said(db: SessionDB) -> dict[int, str]:
    sessions = [row["id"] for row in db.search_sessions(limit=1000)]
    rows = [row for session in sessions for row in db.get_messages(session) if row["carried_from"] is None]
    return {row["id"]: _text(row) for row in rows}


def _text(row: dict[str, Any]) -> str:
    content = row["content"]
    if isinstance(content, list):
        content = " ".join(part.get("text", "") for part in content if isinstance(part, dict))
    elif isinstance(content, dict):
        content = " ".join(f"{name} {value}" for name, value in content.items())
    calls = "" if row["tool_calls"] is None else json.dumps(row["tool_calls"], ensure_ascii=False)
    return storable(f"{content or ''} {row['tool_name'] or ''} {readable(calls)}")
