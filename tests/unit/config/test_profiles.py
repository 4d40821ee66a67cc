"""Profiles: homes of their own inside the main one."""

import os
from pathlib import Path

import pytest

from hermes import paths
from hermes.config import load
from hermes.errors import BadInput, NotFound


@pytest.fixture
def work(hermes_home: Path) -> Path:
    home = hermes_home / "profiles" / "work"
    home.mkdir(parents=True)
    return home


def test_a_profile_is_a_home_of_its_own(work: Path) -> None:
    (work / "config.yaml").write_text("timezone: Asia/Tokyo\n")
    assert load().settings.timezone == ""
    paths.use_profile("work")
    assert (paths.hermes_home(), load().settings.timezone) == (work, "Asia/Tokyo")
    assert paths.state_db() == work / "state.db"


def test_programs_started_from_it_use_the_same_home(work: Path) -> None:
    paths.use_profile("work")
    assert os.environ["HERMES_HOME"] == str(work)


def test_profiles_are_neighbours_even_from_inside_one(work: Path) -> None:
    paths.use_profile("work")
    assert paths.profile_home("play") == work.parent / "play"
    assert paths.profile_names() == ["work"]
    paths.use_profile("default")
    assert paths.hermes_home() == work.parent.parent


def test_profiles_lie_in_the_usual_home_when_none_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HERMES_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.profile_home("work") == tmp_path / ".hermes" / "profiles" / "work"
    assert paths.profile_names() == []


def test_a_profile_that_is_not_there_is_not_made_by_accident(work: Path) -> None:
    with pytest.raises(NotFound, match=r"No profile 'wrok' \(there are: default, work\)"):
        paths.use_profile("wrok")
    assert not (work.parent / "wrok").exists()


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "-x", ".hidden", "a" * 65, "a b", "é"])
def test_a_name_that_could_be_a_path_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="cannot be a profile"):
        paths.profile_home(name)
