"""What the system prompt is made of."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.empty import NoMemory, NoSkills
from hermes.agent.prompt import IDENTITY, MOST_OF_A_FILE, SEARCH, TOOLS_OVER_PROMISES, Place, now_in, system_prompt
from hermes.config import Settings
from hermes.config.areas import core, interface
from hermes.errors import ConfigError

DOCUMENTED = (
    "When the user references something from a past conversation or you suspect relevant prior context exists, use "
    "session_search to recall it before asking them to repeat themselves."
)


def built(home: Path, settings: Settings | None = None, *, cwd: Path | None = None, **options: Any) -> str:
    place = Place(home, cwd, datetime(2026, 11, 15, tzinfo=UTC), "telegram")
    return system_prompt(settings or Settings(), place, NoMemory(), NoSkills(), **options)


def test_the_documented_sentence_is_there_word_for_word(tmp_path: Path) -> None:
    assert SEARCH == DOCUMENTED
    assert DOCUMENTED in built(tmp_path)


def test_without_a_soul_our_own_words_and_with_one_its(tmp_path: Path) -> None:
    assert built(tmp_path).startswith(IDENTITY)
    (tmp_path / "SOUL.md").write_text("You are Iris.\n")
    assert built(tmp_path).startswith("You are Iris.\n\n")
    assert IDENTITY not in built(tmp_path)


def test_a_personality_by_name_is_a_text_or_a_section(tmp_path: Path) -> None:
    settings = Settings(
        personalities={"pirate": "Talk like a pirate.", "coach": {"system_prompt": "Coach them.", "tone": "warm"}},
        display=interface.Display(personality="pirate"),
    )
    assert "Talk like a pirate." in built(tmp_path, settings)
    coached = built(tmp_path, settings, personality="coach")
    assert "Coach them.\nTone: warm" in coached
    assert "pirate" not in coached
    assert "pirate" not in built(tmp_path, settings, personality="none")


def test_an_unknown_personality_is_the_persons_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No personality 'x' \\(there are: none yet\\)"):
        built(tmp_path, personality="x")


def test_the_folders_own_file_goes_along_and_a_long_one_is_cut(tmp_path: Path) -> None:
    assert "AGENTS.md" not in built(tmp_path, cwd=tmp_path)
    (tmp_path / "AGENTS.md").write_text("Use tabs. " + "x" * 50_000 + " The end.")
    prompt = built(tmp_path, cwd=tmp_path)
    assert f"# AGENTS.md of {tmp_path}\n\nUse tabs." in prompt
    assert "AGENTS.md is longer" in prompt
    assert prompt.count("x") < MOST_OF_A_FILE + 100
    assert "AGENTS.md" not in built(tmp_path)


def test_a_file_that_is_no_text_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"\xff\x00tabs")
    assert "\ufffdtabs" in built(tmp_path, cwd=tmp_path)
    (tmp_path / "SOUL.md").mkdir()
    assert built(tmp_path).startswith(IDENTITY)


def test_date_and_platform_are_told(tmp_path: Path) -> None:
    prompt = built(tmp_path, cwd=tmp_path)
    assert "Sunday, 15 November 2026 (UTC)" in prompt
    assert "Telegram messenger" in prompt
    assert f"The working folder is {tmp_path}." in prompt


@pytest.mark.parametrize(
    ("setting", "tools", "there"),
    [("auto", True, True), ("auto", False, False), ("on", False, True), ("off", True, False)],
)
def test_whether_it_insists_on_tools(tmp_path: Path, setting: str, tools: bool, there: bool) -> None:
    settings = Settings(agent=core.Agent(tool_use_enforcement=setting, system_prompt="Answer in French."))
    prompt = built(tmp_path, settings, tools=tools)
    assert (TOOLS_OVER_PROMISES in prompt) is there
    assert "Answer in French." in prompt


def test_the_time_zone_of_the_settings_counts() -> None:
    assert str(now_in("Asia/Tokyo").tzinfo) == "Asia/Tokyo"
    assert now_in("").tzinfo is not None
    with pytest.raises(ConfigError, match="Mars/Base"):
        now_in("Mars/Base")
