"""`hermes curator`: which skills are used, and what a review proposes. It never deletes."""

import json
import time
from pathlib import Path

import pytest

from tests.servers.scripted import Say, Scripted
from tests.unit.cli.program import Hermes, refused
from tests.unit.skills.making import skill


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    return Hermes(capsys, monkeypatch)


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
        settings = f"model:\n  default: scripted\n  provider: custom\n  base_url: {server.url}\n"
        (hermes_home / "config.yaml").write_text(settings)
        found = proposed(hermes)
        assert "old-habit" not in server.sent[0].messages[0]["content"]
    assert found == [("merge", ("water-garden", "water-plants")), ("retire", ("water-garden",))]


def test_without_skills_of_ones_own_there_is_nothing_to_do(hermes: Hermes) -> None:
    assert "no skills of your own" in hermes("curator", "status").out
    assert hermes("curator", "run").out == "Nothing to propose.\n"
