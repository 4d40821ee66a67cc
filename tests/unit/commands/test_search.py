"""Snippets with their hits, filters as people type them."""

import time
from pathlib import Path

import pytest

from hermes.commands import search
from hermes.commands.reply import Span, Text
from hermes.commands.search import Where, highlighted
from hermes.errors import BadInput
from hermes.store import SessionDB


@pytest.fixture
def db(tmp_path: Path) -> SessionDB:
    db = SessionDB(tmp_path / "state.db")
    now = time.time()
    for session_id, source, days in (("old", "cli", 40), ("new", "telegram", 1)):
        db.create_session(session_id, source, started_at=now - days * 86400)
        db.append_message(session_id, "user", f"deploy the {session_id} billing service", timestamp=now - days * 86400)
        db.append_message(session_id, "assistant", "deployed billing", timestamp=now - days * 86400)
    db.set_session_title("old", "billing")
    db.tag_session("new", ["work"])
    return db


def found(db: SessionDB, query: str, where: Where = Where(), **options: object) -> list[tuple[str, str]]:
    rows = search.search(db, query, where, **options).data  # type: ignore[arg-type]
    return [(row["session_id"], row["role"]) for row in rows]


@pytest.mark.parametrize(
    ("snippet", "spans"),
    [
        ("a >>>hit<<< here", [("a ", ""), ("hit", "hit"), (" here", "")]),
        (">>>one<<< >>>two<<<", [("one", "hit"), (" ", ""), ("two", "hit")]),
        (">>> >>>print<<<(1)", [(">>> ", ""), ("print", "hit"), ("(1)", "")]),
        ("x <<< >>>y<<< >>>", [("x <<< ", ""), ("y", "hit"), (" >>>", "")]),
        ("nothing", [("nothing", "")]),
    ],
)
def test_hits_are_told_from_the_marks_a_text_holds_itself(snippet: str, spans: list[tuple[str, str]]) -> None:
    assert highlighted(snippet) == tuple(Span(*span) for span in spans)


def test_hits_stand_under_their_conversations(db: SessionDB) -> None:
    (part,) = search.search(db, "billing", order="newest").parts
    assert isinstance(part, Text)
    lines = [line if isinstance(line, str) else "".join(span.text for span in line) for line in part.lines]
    assert lines[0].startswith("(no title) · telegram · ")
    assert lines[0].endswith(" · new")
    assert lines[1] == "  assistant: deployed billing"
    assert lines[2:4] == ["  user: deploy the new billing service", ""]
    assert lines[4].startswith("billing · cli · ")


@pytest.mark.parametrize(
    ("where", "sessions"),
    [
        (Where(source="cli"), {"old"}),
        (Where(after="7d"), {"new"}),
        (Where(before="7d"), {"old"}),
        (Where(session="billing"), {"old"}),
        (Where(session="ne"), {"new"}),
        (Where(tag="work"), {"new"}),
        (Where(), {"old", "new"}),
    ],
)
def test_filters_narrow_search_and_recall(db: SessionDB, where: Where, sessions: set[str]) -> None:
    assert {session for session, _ in found(db, "billing", where)} == sessions
    if where.session is None:
        assert {row["session_id"] for row in search.recall(db, "billing service", where).data} == sessions


def test_role_order_and_limit(db: SessionDB) -> None:
    assert set(found(db, "billing", Where(role="assistant"))) == {("old", "assistant"), ("new", "assistant")}
    assert found(db, "billing", order="oldest", limit=1) == [("old", "user")]
    assert found(db, "billing", order="newest", limit=1) == [("new", "assistant")]


def test_a_question_without_words_is_the_askers_mistake(db: SessionDB) -> None:
    with pytest.raises(BadInput, match="Ask a question"):
        search.recall(db, " ")


def test_nothing_found_says_that_all_words_must_match_and_offers_recall(db: SessionDB) -> None:
    reply = search.search(db, 'billing "no such words"')
    assert (reply.exit_code, reply.data, reply.parts) == (1, [], ())
    (notice,) = reply.notices
    assert "all of these words" in notice
    assert 'hermes sessions recall "billing no such words"' in notice
    assert search.recall(db, "zzyzx").exit_code == 1


def test_a_query_needs_a_word_and_a_time_needs_a_form(db: SessionDB) -> None:
    with pytest.raises(BadInput, match="at least one word"):
        search.search(db, "  ")
    with pytest.raises(BadInput, match="is no time"):
        search.search(db, "billing", Where(after="soon"))


def test_an_explanation_names_terms_and_rankings(db: SessionDB) -> None:
    (part,) = search.recall(db, "where was billing deployed?", explain=True).parts
    assert isinstance(part, Text)
    text = "\n".join(line if isinstance(line, str) else "".join(span.text for span in line) for line in part.lines)
    assert "score " in text
    assert "billing): 2 messages here, weight" in text
