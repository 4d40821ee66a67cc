"""`hermes curator`: which skills are used, and what a review proposes. It never deletes."""

import json
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.commands.reviews import Idle, begin_when_due, last
from hermes.config import load
from hermes.store import SessionDB
from tests.servers.platform import until
from tests.servers.scripted import Fail, Say, Scripted
from tests.stories.terminal import Terminal
from tests.unit.cli.program import Hermes, refused
from tests.unit.skills.making import skill


@pytest.fixture
def skills(hermes_home: Path) -> Path:
    """Two that say the same, one used yesterday; one that is unused for a hundred days."""
    top = hermes_home / "skills"
    for name in ("water-plants", "water-garden", "old-habit"):
        skill(top, name)
    old = top / "home" / "old-habit" / "SKILL.md"
    old.write_text(old.read_text().replace("Water the plants. Use when they are dry.", "Wind the clock on Sundays."))
    days = {name: time.strftime("%Y-%m-%d", time.localtime(time.time() - age * 86_400)) for name, age in AGES.items()}
    (top / ".usage.json").write_text(json.dumps({name: {day: {"viewed": 2}} for name, day in days.items()}))
    return top


AGES = {"water-plants": 1, "water-garden": 40, "old-habit": 100}


def states(hermes: Hermes) -> dict[str, str]:
    return {row["skill"]: row["state"] for row in map(json.loads, hermes("curator", "status", "--json").lines)}


def proposed(hermes: Hermes, *arguments: str) -> list[tuple[str, tuple[str, ...]]]:
    lines = hermes("curator", "run", "--json", *arguments).lines
    return [(row["action"], tuple(row["names"])) for row in map(json.loads, lines)]


def test_skills_grow_stale(hermes: Hermes, skills: Path) -> None:
    assert states(hermes) == {"water-plants": "fresh", "water-garden": "stale", "old-habit": "archive"}
    assert hermes("curator", "status").lines[2].split()[:3] == ["old-habit", "archive", "2"]


def test_a_review_by_the_figures_proposes_and_changes_nothing(hermes: Hermes, skills: Path) -> None:
    before = sorted(skills.rglob("*"))
    assert proposed(hermes, "--no-model") == [("retire", ("old-habit",)), ("merge", ("water-garden", "water-plants"))]
    shown = hermes("curator", "run")
    assert "hermes skills remove old-habit" in shown.out
    assert "By the figures alone" in shown.err
    assert sorted(skills.rglob("*")) == before


def test_what_is_pinned_is_left_alone(hermes: Hermes, skills: Path) -> None:
    hermes("curator", "pin", "old-habit")
    hermes("curator", "pin", "water-garden")
    assert states(hermes)["old-habit"] == "pinned"
    assert proposed(hermes, "--no-model") == []
    hermes("curator", "pin", "old-habit", "--off")
    assert proposed(hermes, "--no-model") == [("retire", ("old-habit",))]
    assert "not one of yours" in refused(hermes("curator", "pin", "announce"), 2)


def test_a_model_proposes_and_only_what_is_about_these_skills_counts(
    hermes: Hermes, skills: Path, hermes_home: Path
) -> None:
    hermes("curator", "pin", "old-habit")
    answer = [
        {"action": "retire", "names": ["water-garden"], "why": "nobody has a garden"},
        {"action": "retire", "names": ["old-habit"], "why": "pinned"},
        {"action": "retire", "names": ["../../etc"], "why": "evil"},
        {"action": "delete", "names": ["water-plants"], "why": "evil"},
        "nonsense",
    ]
    with Scripted(Say(f"Here you are:\n{json.dumps(answer)}\n")) as server:
        (hermes_home / "config.yaml").write_text(server.settings)
        found = proposed(hermes)
        assert "old-habit" not in server.sent[0].messages[0]["content"]
    assert found == [("merge", ("water-garden", "water-plants")), ("retire", ("water-garden",))]


def test_without_skills_of_ones_own_there_is_nothing_to_do(hermes: Hermes) -> None:
    assert "no skills of your own" in hermes("curator", "status").out
    assert hermes("curator", "run").out == "Nothing to propose.\n"


# -- by itself

HOUR = 3600.0
PROPOSED = json.dumps([{"action": "retire", "names": ["water-garden"], "why": "nobody has a garden"}])


@pytest.fixture
def model(hermes_home: Path) -> Iterator[Scripted]:
    with Scripted(otherwise=Say(PROPOSED)) as server:
        hermes_home.mkdir(parents=True, exist_ok=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield server


@pytest.fixture
def quiet() -> Iterator[SessionDB]:
    """A store in which nobody said anything for three hours, but for a job."""
    with SessionDB() as db:
        for source, ago in (("cli", 3.0), ("cron", 0.0)):
            at = time.time() - ago * HOUR
            db.create_session(f"by-{source}", source, started_at=at)
            db.append_message(f"by-{source}", "user", "hello", timestamp=at)
        yield db


def passed(db: SessionDB) -> None:
    begin_when_due(db, load()).join(60)


def test_a_review_happens_by_itself_when_it_is_quiet_and_not_again_for_a_week(
    hermes: Hermes, skills: Path, hermes_home: Path, model: Scripted, quiet: SessionDB
) -> None:
    before = {file: file.read_bytes() for file in skills.rglob("*") if file.is_file()}
    passed(quiet)
    passed(quiet)
    assert len(model.sent) == 1
    assert [(one.action, one.names) for one in last(hermes_home).proposals] == [
        ("retire", ("old-habit",)),
        ("merge", ("water-garden", "water-plants")),
        ("retire", ("water-garden",)),
    ]
    assert {file: file.read_bytes() for file in skills.rglob("*") if file.is_file()} == before
    told = {row["skill"]: row["proposed"] for row in map(json.loads, hermes("curator", "status", "--json").lines)}
    assert (told["old-habit"], told["water-garden"]) == (["retire"], ["merge", "retire"])
    shown = hermes("curator", "status").out
    assert "\n\nLast review: just now\n" in shown
    assert "retire water-garden: nobody has a garden\n  hermes skills remove water-garden\n" in shown
    assert len(model.sent) == 1


def test_what_was_followed_is_proposed_no_more(hermes: Hermes, skills: Path, model: Scripted, quiet: SessionDB) -> None:
    passed(quiet)
    assert hermes("skills", "remove", "old-habit", "--yes").code == 0
    assert "retire old-habit" not in hermes("curator", "status").out


def test_each_review_keeps_a_copy_of_the_skills(
    hermes: Hermes, skills: Path, hermes_home: Path, model: Scripted, quiet: SessionDB
) -> None:
    hermes("config", "set", "curator.backup.keep", "2")
    for name in ("20250101-000000", "20250102-000000"):
        (hermes_home / "curator").mkdir(exist_ok=True)
        (hermes_home / "curator" / f"skills-{name}.tar.gz").touch()
    passed(quiet)
    kept = sorted((hermes_home / "curator").glob("*.tar.gz"))
    assert kept[0].name == "skills-20250102-000000.tar.gz"
    assert len(kept) == 2
    assert kept[1].stat().st_mode & 0o777 == 0o600
    with tarfile.open(kept[1]) as archive:
        assert "skills/home/old-habit/SKILL.md" in archive.getnames()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("curator.enabled", "false"),
        ("curator.min_idle_hours", "4"),
        ("curator.backup.enabled", "false"),
    ],
)
def test_the_settings_decide(
    hermes: Hermes, skills: Path, hermes_home: Path, model: Scripted, quiet: SessionDB, key: str, value: str
) -> None:
    hermes("config", "set", key, value)
    passed(quiet)
    reviewed = key == "curator.backup.enabled"
    assert len(model.sent) == reviewed
    assert not list((hermes_home / "curator").glob("*.tar.gz"))


def test_the_interval_decides(hermes: Hermes, skills: Path, model: Scripted, quiet: SessionDB) -> None:
    passed(quiet)
    file = skills.parent / "curator" / "review.json"
    known = json.loads(file.read_text())
    file.write_text(json.dumps(known | {"at": time.time() - 2 * HOUR}))
    passed(quiet)
    assert len(model.sent) == 1
    hermes("config", "set", "curator.interval_hours", "1")
    passed(quiet)
    assert len(model.sent) == 2


def test_nothing_happens_while_somebody_is_at_work_or_has_no_skills(
    hermes_home: Path, model: Scripted, quiet: SessionDB
) -> None:
    passed(quiet)
    skill(hermes_home / "skills", "water-plants")
    quiet.append_message("by-cli", "user", "I am back")
    passed(quiet)
    assert model.sent == []


def test_a_model_that_fails_leaves_the_figures(
    hermes_home: Path, skills: Path, model: Scripted, quiet: SessionDB
) -> None:
    model.otherwise = Fail(401, "no")
    passed(quiet)
    assert [one.action for one in last(hermes_home).proposals] == ["retire", "merge"]


def test_a_damaged_note_of_the_last_review_is_none(
    hermes: Hermes, hermes_home: Path, skills: Path, model: Scripted, quiet: SessionDB
) -> None:
    (hermes_home / "curator").mkdir()
    (hermes_home / "curator" / "review.json").write_text('{"at": "yesterday"}')
    assert "No review yet" in hermes("curator", "status").out
    passed(quiet)
    assert last(hermes_home).proposals


def test_a_program_that_stays_looks_now_and_then(
    hermes_home: Path, skills: Path, model: Scripted, quiet: SessionDB
) -> None:
    idle = Idle(quiet, load())
    for _ in range(5):
        idle.tick()
    until(lambda: last(hermes_home).proposals, 60)
    assert len(model.sent) == 1


def test_a_chat_begins_it_behind_the_prompt_and_the_next_one_tells(
    hermes_home: Path, skills: Path, model: Scripted, quiet: SessionDB
) -> None:
    with Terminal() as terminal:
        until(lambda: last(hermes_home).proposals, 60)
        terminal.say("/exit")
        terminal.leave()
    assert "The curator" not in terminal.text
    with Terminal() as terminal:
        terminal.wait_for("The curator looked through your skills and proposes 3 things: hermes curator status")
        terminal.say("/exit")
        terminal.leave()
    assert last(hermes_home).told  # once is enough
