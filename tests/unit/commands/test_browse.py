from collections.abc import Iterator

import pytest

from hermes.commands.browse import View, as_typed, conversations, marks, preview
from hermes.commands.reply import Table, Text, Transcript
from hermes.errors import BadInput
from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, PROJECT, WEATHER, fill_guide


@pytest.fixture
def db() -> Iterator[SessionDB]:
    with SessionDB() as store:
        fill_guide(store)
        yield store


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", ""),
        ("  ", ""),
        ("dep", "dep*"),
        ("docker dep ", "docker dep*"),
        ("docker OR", "docker OR"),
        ('"exact', '"exact'),
        ('"exact phrase"', '"exact phrase"'),
        ("dep*", "dep*"),
        ("C++", "C++"),
        ("天気", "天気*"),
    ],
)
def test_the_last_word_may_still_go_on(typed: str, meant: str) -> None:
    assert as_typed(typed) == meant


def test_conversations_are_numbered(db: SessionDB) -> None:
    reply = conversations(db)
    [table] = reply.parts
    assert isinstance(table, Table)
    assert [row[:2] for row in table.rows] == [(1, "refactoring auth"), (2, "my project #3"), (3, "—")]
    assert [row["id"] for row in reply.data] == [AUTH, PROJECT[:-1] + "a", WEATHER]


def test_a_beginning_of_a_word_finds_titles_and_texts(db: SessionDB) -> None:
    assert [row["id"] for row in conversations(db, View("refac")).data] == [AUTH]
    assert [row["id"] for row in conversations(db, View("weath")).data] == [WEATHER]
    assert conversations(db, View("weath")).data[0]["snippet"] == "What's the >>>weather<<< in Las Vegas?"


def test_filters_narrow_with_and_without_a_query(db: SessionDB) -> None:
    assert [row["id"] for row in conversations(db, View(source="telegram")).data] == [WEATHER]
    assert [row["id"] for row in conversations(db, View(after="1d")).data] == [AUTH]
    assert conversations(db, View("auth", source="telegram")).data == []
    db.archive_session(AUTH)
    assert [row["id"] for row in conversations(db, View(archived=True)).data] == [AUTH]
    with pytest.raises(BadInput, match="is no time"):
        conversations(db, View(after="soon"))


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (View("nowhere"), "No title and no message holds all of these words."),
        (View(archived=True), "Nothing is archived."),
        (View(source="discord"), "No sessions found."),
    ],
)
def test_nothing_found_is_said(db: SessionDB, view: View, told: str) -> None:
    assert conversations(db, view).parts == (Text((told,)),)


def test_a_preview_begins_before_the_first_hit_and_says_what_it_left_out(db: SessionDB) -> None:
    db.append_messages(AUTH, [{"role": "user", "content": f"number {n}"} for n in range(300)])
    heading, shown, more = preview(db, AUTH, "number 42", most=50).parts
    assert isinstance(heading, Text) and isinstance(shown, Transcript) and isinstance(more, Text)
    assert [entry.text for entry in shown.entries[:3]] == ["number 40", "number 41", "number 42"]
    assert len(shown.entries) == 50
    assert "251 more" in more.lines[1][0].text


def test_a_preview_without_a_query_ends_with_the_last_message(db: SessionDB) -> None:
    db.append_messages(AUTH, [{"role": "user", "content": f"number {n}"} for n in range(300)])
    shown = preview(db, AUTH, most=50).parts[1]
    assert isinstance(shown, Transcript)
    assert (shown.entries[0].text, shown.entries[-1].text) == ("number 250", "number 299")


def test_marks_are_where_the_words_stand() -> None:
    text = "Deploy it.\nThen deployment, naïve"
    assert [text[start:end] for start, end in marks("deploy", text)] == ["Deploy", "deployment"]
    assert [text[start:end] for start, end in marks("naive", text)] == ["naïve"]
    assert marks("", text) == []
