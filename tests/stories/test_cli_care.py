"""An afternoon of tidying up: name, label, put away, delete, get back."""

import json
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, PROJECT, WEATHER, Hermes, refused, session

TIP = PROJECT[:-1] + "a"


def listed(hermes: Hermes, *options: str) -> list[str]:
    return [json.loads(line)["id"] for line in hermes("sessions", "list", "--json", *options).lines]


def test_a_conversation_goes_to_the_trash_with_all_its_parts_and_comes_back(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "delete", "my project", "--yes")
    assert done.lines == [
        f"Moved session '{TIP}' “my project #3” to the trash (3 parts).",
        f"Get it back: hermes sessions restore {TIP}",
    ]
    assert TIP not in listed(hermes)
    assert listed(hermes, "--trash") == [TIP]
    assert hermes("sessions", "search", "failures").code == 1
    assert "Total sessions: 2" in hermes("sessions", "stats").out
    trash = hermes("sessions", "trash").lines
    assert trash[0].split() == ["Title", "Preview", "Deleted", "ID"]
    assert "just now" in trash[2]
    assert hermes("sessions", "restore", PROJECT).lines == [f"Restored session '{TIP}' “my project #3” (3 parts)."]
    assert TIP in listed(hermes)
    assert hermes("sessions", "search", "failures").code == 0


@pytest.mark.parametrize("words", [TIP, PROJECT, "20250304", "my project", "my project #3"])
def test_what_is_in_the_trash_is_found_by_id_beginning_or_title(words: str, home: Path, hermes: Hermes) -> None:
    hermes("sessions", "delete", TIP, "--yes")
    assert hermes("sessions", "restore", words).code == 0
    assert TIP in listed(hermes)


def test_a_title_that_was_taken_meanwhile_gets_the_next_number(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "delete", AUTH, "--yes")
    assert hermes("sessions", "rename", WEATHER, "refactoring auth").code == 0
    assert "refactoring auth #2" in hermes("sessions", "restore", AUTH).out


def test_what_is_in_the_trash_is_left_alone_until_it_is_restored(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "delete", AUTH, "--yes")
    for action in (["delete", AUTH], ["archive", AUTH], ["pin", AUTH], ["rename", AUTH, "x"]):
        assert "is in the trash" in refused(hermes("sessions", *action), 2)
    assert listed(hermes, "--trash") == [AUTH]


@pytest.mark.parametrize("how", [["delete", AUTH, "--purge", "--yes"], ["purge", AUTH, "--yes"]])
def test_a_purge_is_final(how: list[str], home: Path, hermes: Hermes) -> None:
    transcript = home / "sessions" / f"{AUTH}.jsonl"
    transcript.parent.mkdir()
    transcript.write_text("{}\n")
    assert hermes("sessions", *how).lines == [f"Deleted session '{AUTH}' “refactoring auth” for good (1 part)."]
    assert not transcript.exists()
    assert AUTH not in listed(hermes) + listed(hermes, "--trash")
    assert b"refactor the auth module" not in b"".join(path.read_bytes() for path in home.glob("state.db*"))
    refused(hermes("sessions", "restore", AUTH), 1)


def test_a_purge_names_the_copies_that_still_hold_it(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "backup")
    (copy,) = home.glob("state.db.backup-*")
    assert hermes("sessions", "purge", AUTH, "--yes").err == f"hermes: Older copies still hold it: {copy}\n"


def test_a_purge_asks_unless_told_and_says_that_it_is_final(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "delete", AUTH, "--yes")
    kept = hermes("sessions", "purge", "refactoring auth", answer="no\n")
    assert "for good? This cannot be undone. [y/N] Cancelled." in kept.err
    assert listed(hermes, "--trash") == [AUTH]


def test_emptying_the_trash_deletes_everything_in_it_for_good(home: Path, hermes: Hermes) -> None:
    for one in (AUTH, TIP):
        hermes("sessions", "delete", one, "--yes")
    assert hermes("sessions", "trash", "empty", "--older-than", "30", "--yes").lines == ["Deleted 0 sessions for good."]
    asked = hermes("sessions", "trash", "empty", answer="yes\n")
    assert "Delete everything in the trash (2 conversations) for good?" in asked.err
    assert asked.lines == ["Deleted 4 sessions for good."]
    assert hermes("sessions", "trash", "empty").lines == ["The trash is empty."]
    assert listed(hermes) == [WEATHER]


def test_archived_sessions_leave_the_list_and_stay_findable(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "archive", "my project")
    assert done.lines[0] == f"Archived session '{TIP}' “my project #3” (3 parts)."
    assert f"unarchive {TIP}" in done.lines[1]
    assert TIP not in listed(hermes)
    assert listed(hermes, "--archived") == [TIP]
    assert hermes("sessions", "search", "failures").code == 0
    hermes("sessions", "unarchive", TIP)
    assert TIP in listed(hermes)


def test_tags_are_added_shown_removed_and_filtered_by(home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "tag", AUTH, "Work", "urgent").lines == [f"Session '{AUTH}' is tagged: urgent, work"]
    assert hermes("sessions", "tag", AUTH, "--remove", "urgent").lines == [f"Session '{AUTH}' is tagged: work"]
    assert hermes("sessions", "tag", AUTH).lines == [f"Session '{AUTH}' is tagged: work"]
    assert hermes("sessions", "tag", WEATHER).lines == [f"Session '{WEATHER}' has no tags."]
    assert listed(hermes, "--tag", "WORK") == [AUTH]
    assert "#work" in hermes("sessions", "show", AUTH).out
    assert "one word" in refused(hermes("sessions", "tag", AUTH, "two words"), 2)


def test_a_pinned_conversation_is_never_pruned(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        session(db, "ancient", "cli", None, ["hello"], 1_000_000_000.0)
        db.end_session("ancient", "done")
    hermes("sessions", "pin", "ancient")
    assert hermes("sessions", "prune", "--yes").lines == ["Pruned 0 sessions."]
    hermes("sessions", "unpin", "ancient")
    assert hermes("sessions", "prune", "--yes").lines[0] == "Pruned 1 session."


def test_a_dry_run_shows_what_would_go_and_how_much(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        session(db, "ancient", "telegram", None, ["hello", "hi"], 1_000_000_000.0)
        db.end_session("ancient", "done")
        db.tag_session("ancient", ["old"])
    done = hermes("sessions", "prune", "--dry-run")
    assert done.lines[0].split() == ["Last", "Active", "Messages", "Parts", "Src", "ID"]
    assert done.lines[2].split() == ["2001-09-09", "2", "1", "tele", "ancient"]
    assert done.lines[3] == "Would delete 1 session, 2 messages; nothing was changed."
    assert "ancient" in listed(hermes)
    assert hermes("sessions", "prune", "--dry-run", "--tag", "new").lines == ["Pruned 0 sessions."]
    (row,) = [json.loads(line) for line in hermes("sessions", "prune", "--dry-run", "--tag", "old", "--json").lines]
    assert (row["lineage_id"], row["would_delete"]) == ("ancient", True)


def test_rename_clears_a_title_and_refuses_one_that_is_too_long(home: Path, hermes: Hermes) -> None:
    assert hermes("sessions", "rename", AUTH, "").lines == [f"Session '{AUTH}' has no title now."]
    assert "Title too long" in refused(hermes("sessions", "rename", AUTH, "x" * 101), 2)
    done = hermes("sessions", "rename", AUTH, "a\u202eb\x1b[31m", "日本語")
    assert done.lines == [f"Session '{AUTH}' renamed to: ab[31m 日本語"]


@pytest.mark.parametrize(
    "action",
    [
        ["rename", AUTH, "new"],
        ["tag", AUTH, "x"],
        ["pin", AUTH],
        ["unpin", AUTH],
        ["archive", AUTH],
        ["unarchive", AUTH],
        ["delete", AUTH, "--yes"],
        ["purge", AUTH, "--yes"],
        ["prune", "--yes"],
        ["prune", "--dry-run"],
        ["trash"],
        ["trash", "empty", "--yes"],
        ["list"],
        ["stats"],
        ["show", AUTH],
        ["lineage", AUTH],
        ["search", "auth"],
        ["recall", "auth", "--explain"],
        ["check"],
        ["repair"],
        ["optimize"],
        ["backup"],
    ],
)
def test_json_parses_everywhere(action: list[str], home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", *action, "--json")
    assert (done.code, done.err) == (0, "")
    assert all(isinstance(json.loads(line), dict) for line in done.lines)


def test_older_than_counts_days_without_activity_of_the_whole_conversation(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        for part in (TIP, WEATHER):
            db.end_session(part, "done")
    assert hermes("sessions", "prune", "--older-than", "2", "--yes").lines[0] == "Pruned 1 session."
    assert TIP in listed(hermes)
    assert hermes("sessions", "show", PROJECT, "--part").code == 0
