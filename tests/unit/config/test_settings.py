"""The settings themselves: what the documents name is there, typed, described, with the documented default."""

import re
from pathlib import Path

import pytest

from hermes.config import Settings, kinds
from hermes.config.area import MASK, Area, setting
from hermes.config.areas.auxiliary import AuxiliaryTask
from hermes.config.edits import at
from hermes.config.keys import all_keys
from hermes.config.resolve import plain
from hermes.config.settings import GROUPS

SOURCE = Path(__file__).parents[3] / "src" / "hermes"
DOCUMENTED = """
model providers fallback_providers toolsets agent delegation terminal browser compression auxiliary display tts stt
voice human_delay memory skills checkpoints privacy security discord whatsapp approvals cron gateway sessions
session_reset group_sessions_per_user thread_sessions_per_user plugins web streaming quick_commands
"""
TIMEOUTS = {
    "vision": 120,
    "web_extract": 360,
    "compression": 120,
    "skills_hub": 30,
    "approval": 30,
    "mcp": 30,
    "title_generation": 30,
    "triage_specifier": 120,
    "kanban_decomposer": 180,
    "profile_describer": 60,
    "curator": 600,
}


def test_every_documented_top_level_key_is_there() -> None:
    assert set(DOCUMENTED.split()) - set(Settings.settings) == set()


def test_there_are_forty_top_level_keys_or_more() -> None:
    assert len(Settings.settings) >= 40


def test_the_five_documented_groups_are_in_order() -> None:
    keys = list(Settings.settings)
    assert list(GROUPS.values()) == ["Core", "Execution", "Interface", "State", "Platform"]
    assert [keys.index(key) for key in GROUPS] == sorted(keys.index(key) for key in GROUPS)
    assert keys[0] in GROUPS


def test_the_eleven_auxiliary_tasks_have_the_documented_time_outs() -> None:
    tasks = Settings().auxiliary
    assert {name: getattr(tasks, name).timeout for name in type(tasks).settings} == TIMEOUTS


def test_every_auxiliary_task_has_the_documented_schema() -> None:
    assert set(AuxiliaryTask.settings) == {"provider", "model", "base_url", "api_key", "timeout", "extra_body"}
    assert all(isinstance(getattr(Settings().auxiliary, name), AuxiliaryTask) for name in TIMEOUTS)


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("sessions.auto_prune", False),
        ("sessions.retention_days", 90),
        ("sessions.vacuum_after_prune", True),
        ("sessions.min_interval_hours", 24),
        ("sessions.trash_days", 30),
        ("sessions.database", ""),
        ("group_sessions_per_user", True),
        ("thread_sessions_per_user", False),
        ("display.resume_display", "full"),
        ("compression.protect_last_n", 20),
        ("session_reset.mode", "both"),
        ("session_reset.at_hour", 4),
        ("session_reset.idle_minutes", 1440),
        ("session_reset.notify", True),
        ("session_reset.notify_exclude_platforms", ["api-server", "webhook"]),
    ],
)
def test_a_documented_default_holds(key: str, default: object) -> None:
    assert at(plain(Settings()), tuple(key.split("."))) == default


@pytest.mark.parametrize("key", [".".join(key) for key in all_keys()])
def test_a_setting_has_a_one_line_description_and_a_default_that_fits(key: str) -> None:
    known = all_keys()[tuple(key.split("."))]
    assert re.fullmatch(r"[A-Z][^\n]{3,}\.", known.description)
    if not isinstance(known.default, Area) and known.default not in ([], {}):
        fitted = kinds.fit(known, known.default)
        assert (fitted, type(fitted)) == (known.default, type(known.default))


def test_a_setting_without_an_effect_says_so() -> None:
    class Both(Area, works=True):
        read: int = setting(1, "Something reads it.")
        unread: int = setting(1, "Nothing reads it.", works=False)

    assert [known.description for known in Both.settings.values()] == [
        "Something reads it.",
        "Nothing reads it. No effect yet.",
    ]


def test_no_setting_that_the_program_reads_claims_to_have_no_effect() -> None:
    sources = "\n".join(path.read_text() for path in SOURCE.rglob("*.py") if "config" not in path.parts)
    read = {tuple(match) for match in re.findall(r"\bsettings\.(\w+)\.(\w+)", sources)}
    assert [".".join(key) for key in read if key in all_keys() and not all_keys()[key].works] == []


def test_settings_do_not_change_while_the_program_runs() -> None:
    with pytest.raises(AttributeError, match="retention_days"):
        Settings().sessions.retention_days = 1


def test_one_list_of_defaults_is_not_shared_by_all() -> None:
    Settings().toolsets.append("mine")
    assert Settings().toolsets == ["hermes-cli"]


def test_an_area_does_not_take_a_setting_it_does_not_have() -> None:
    with pytest.raises(TypeError, match="colour"):
        AuxiliaryTask(colour="red")


def test_settings_in_a_traceback_or_a_log_show_no_secret() -> None:
    shown = repr(AuxiliaryTask(api_key="hunter2", model="small"))
    assert "hunter2" not in shown
    assert f"api_key={MASK}" in shown
    assert "model='small'" in shown
