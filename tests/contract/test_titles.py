"""Titles: set, clear, find again, number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import TitleInUse
from hermes_state import SessionDB


@pytest.fixture
def three(db: SessionDB) -> SessionDB:
    for n, session_id in enumerate("abc"):
        db.create_session(session_id, "cli", started_at=1000.0 + n)
    return db


def test_a_title_is_set_read_changed_and_cleared(three: SessionDB) -> None:
    assert three.get_session_title("a") is None
    assert three.set_session_title("a", "Fix Docker Build") is True
    assert three.get_session_title("a") == "Fix Docker Build"
    assert three.set_session_title("a", "Fix Docker Build") is True  # its own again
    assert three.set_session_title("a", "Another") is True
    assert three.get_session_by_title("Fix Docker Build") is None
    for blank in ("", "  ", None, "\u200b\u202e"):
        three.set_session_title("a", "named")
        assert three.set_session_title("a", blank) is True
        assert three.get_session_title("a") is None


def test_a_missing_session_takes_no_title(db: SessionDB) -> None:
    assert db.set_session_title("nowhere", "T") is False
    assert db.set_free_title("nowhere", "T") is None
    assert db.get_session_title("nowhere") is None


def test_a_title_in_use_is_a_value_error_that_names_the_session(three: SessionDB) -> None:
    three.set_session_title("a", "T")
    with pytest.raises(ValueError, match="'T' is already in use by session a") as refused:
        three.set_session_title("b", " T\u200b ")  # the same once sanitized
    assert isinstance(refused.value, TitleInUse)
    assert (refused.value.title, refused.value.session_id) == ("T", "a")
    assert three.get_session_title("b") is None
    three.set_session_title("a", None)
    assert three.set_session_title("b", "T") is True


def test_a_long_title_is_a_value_error(three: SessionDB) -> None:
    assert three.set_session_title("a", "x" * 100) is True
    with pytest.raises(ValueError, match="101 characters"):
        three.set_session_title("a", "x" * 101)
    assert three.get_session_title("a") == "x" * 100
    assert three.MAX_TITLE_LENGTH == 100


def test_sanitize_is_there_without_a_store() -> None:
    assert SessionDB.sanitize_title("  a\tb\n c\u200b ") == "a b c"
    assert SessionDB.sanitize_title("") is None
    assert SessionDB.sanitize_title(None) is None


def test_titles_tell_case_apart(three: SessionDB) -> None:
    three.set_session_title("a", "Plan")
    assert three.set_session_title("b", "plan") is True
    assert three.get_session_by_title("PLAN") is None


def test_get_by_title_shows_the_whole_row(three: SessionDB) -> None:
    three.set_session_title("b", "Plan 計画 ✨")
    assert three.get_session_by_title(" Plan  計画 ✨") == three.get_session("b")


def test_lookups_of_impossible_titles_find_nothing(three: SessionDB) -> None:
    for title in ("x" * 200, "x" * 100_000, "", "\0", "100%", "%"):
        assert three.get_session_by_title(title) is None
        assert three.resolve_session_by_title(title) is None


def test_resolve_prefers_the_newest_of_the_numbered_family(three: SessionDB) -> None:
    three.set_session_title("a", "my project")
    assert three.resolve_session_by_title("my project") == "a"
    three.set_session_title("b", "my project #2")
    assert three.resolve_session_by_title("my project") == "b"
    three.set_session_title("c", "my project #3")
    assert three.resolve_session_by_title("my project") == "c"
    assert three.resolve_session_by_title("my project #2") == "b"
    assert three.resolve_session_by_title("nope") is None


def test_resolve_finds_a_numbered_title_without_its_base(three: SessionDB) -> None:
    three.set_session_title("b", "my project #7")
    assert three.resolve_session_by_title("my project") == "b"


@pytest.mark.parametrize(
    "other", ["my project #two", "my project #2b", "my project #", "my project 2", "my projects #2"]
)
def test_only_digits_number_a_family(three: SessionDB, other: str) -> None:
    three.set_session_title("a", "my project")
    three.set_session_title("b", other)
    assert three.resolve_session_by_title("my project") == "a"
    assert three.get_next_title_in_lineage("my project") == "my project #2"


def test_wildcards_in_titles_are_letters(three: SessionDB) -> None:
    three.set_session_title("a", "100%_x")
    three.set_session_title("b", "100ABx #9")
    assert three.resolve_session_by_title("100%_x") == "a"
    assert three.get_next_title_in_lineage("100%_x") == "100%_x #2"


def test_the_next_title_counts_on_from_the_highest(three: SessionDB) -> None:
    assert three.get_next_title_in_lineage("my project") == "my project"
    assert three.get_next_title_in_lineage("my project #3") == "my project"
    three.set_session_title("a", "my project")
    assert three.get_next_title_in_lineage("my project") == "my project #2"
    three.set_session_title("b", "my project #5")
    assert three.get_next_title_in_lineage("my project") == "my project #6"
    assert three.get_next_title_in_lineage("my project #2") == "my project #6"


def test_the_next_title_fits_in_100_characters_and_is_free(three: SessionDB) -> None:
    long = "x" * 100
    three.set_session_title("a", long)
    following = three.get_next_title_in_lineage(long)
    assert (len(following), following[-3:]) == (100, " #2")
    assert three.set_session_title("b", following)
    third = three.get_next_title_in_lineage(long)
    assert third not in (long, following)
    assert len(third) <= 100
    assert three.set_session_title("c", third)


def test_a_free_title_takes_the_next_number(three: SessionDB) -> None:
    assert three.set_free_title("a", "notes") == "notes"
    assert three.set_free_title("b", "notes") == "notes #2"
    assert three.set_free_title("c", "notes") == "notes #3"
    assert three.set_free_title("c", "notes #3") == "notes #3"  # its own
    assert three.set_free_title("a", "y" * 300) == "y" * 100
    assert three.set_free_title("b", "\u200b") is None
    assert three.get_session_title("b") == "notes #2"


@given(title=st.text(max_size=120))
def test_a_stored_title_is_found_again_under_what_was_typed(db: SessionDB, title: str) -> None:
    db.ensure_session("s", "cli")
    try:
        db.set_session_title("s", title)
    except ValueError:
        assert len(title) > 100
        return
    stored = db.get_session_title("s")
    assert stored == db.sanitize_title(title)
    if stored is not None:
        for spelling in (title, stored):
            found = db.get_session_by_title(spelling)
            assert found is not None
            assert found["title"] == stored
        assert len(db.get_next_title_in_lineage(stored)) <= 100
