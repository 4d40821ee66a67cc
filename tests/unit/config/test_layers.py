"""Overrides go before the environment, that before the file, that before the defaults."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.config import load
from hermes.config.edits import at
from hermes.errors import ConfigError, NotFound

TASKS = "vision web_extract compression skills_hub approval mcp title_generation triage_specifier kanban_decomposer"
TASKS += " profile_describer curator"


def test_without_a_file_the_defaults_hold(loading) -> None:
    config = loading()
    assert config.settings.sessions.retention_days == 90
    assert (config.problems, config.warnings, str(config.origin(("sessions", "retention_days")))) == ([], [], "default")


def test_the_file_goes_before_the_defaults_key_by_key(loading) -> None:
    config = loading("sessions:\n  retention_days: 30\n")
    assert (config.settings.sessions.retention_days, config.settings.sessions.min_interval_hours) == (30, 24)
    assert str(config.origin(("sessions", "retention_days"))) == "file"
    assert str(config.origin(("sessions", "min_interval_hours"))) == "default"


def test_the_environment_goes_before_the_file(loading) -> None:
    config = loading("model:\n  default: small\n", HERMES_INFERENCE_MODEL="large")
    assert config.settings.model.default == "large"
    assert str(config.origin(("model", "default"))) == "environment: HERMES_INFERENCE_MODEL"


def test_an_override_goes_before_everything(loading) -> None:
    config = loading("model:\n  default: small\n", overrides={"model.default": "huge"}, HERMES_INFERENCE_MODEL="large")
    assert config.settings.model.default == "huge"
    assert str(config.origin(("model", "default"))) == "override"


def test_an_override_that_does_not_fit_is_the_users_mistake(loading) -> None:
    with pytest.raises(ConfigError, match=r"sessions\.retention_days has to be a whole number of 1 or more"):
        loading(overrides={"sessions.retention_days": "soon"})


def test_an_override_of_nothing_known_names_the_nearest_setting(loading) -> None:
    with pytest.raises(NotFound, match=r"did you mean sessions\.retention_days"):
        loading(overrides={"sessions.retention_day": 1})


@pytest.mark.parametrize("task", TASKS.split())
def test_a_variable_chooses_model_and_provider_of_a_task(loading, task: str) -> None:
    variables = {f"AUXILIARY_{task.upper()}_MODEL": "tiny", f"AUXILIARY_{task.upper()}_PROVIDER": "local"}
    config = loading(f"auxiliary:\n  {task}:\n    model: small\n    timeout: 7\n", **variables)
    found = getattr(config.settings.auxiliary, task)
    assert (found.model, found.provider, found.timeout) == ("tiny", "local", 7)
    assert str(config.origin(("auxiliary", task, "model"))) == f"environment: AUXILIARY_{task.upper()}_MODEL"


def test_an_empty_variable_overrides_nothing(loading) -> None:
    assert loading("model:\n  default: small\n", HERMES_INFERENCE_MODEL="").settings.model.default == "small"


def test_a_variable_that_does_not_fit_leaves_the_file_in_force(loading) -> None:
    config = loading("agent:\n  max_turns: 12\n", HERMES_MAX_ITERATIONS="many")
    assert config.settings.agent.max_turns == 12
    assert config.warnings == [
        "config.yaml line 2: agent.max_turns from HERMES_MAX_ITERATIONS is not a whole number of 1 or more; "
        "what the file says is in force."
    ]


def test_sections_with_names_of_ones_own_are_typed(loading) -> None:
    config = loading(
        "providers:\n  mine:\n    base_url: http://localhost:1234\n", overrides={"providers.mine.key_env": "K"}
    )
    assert config.settings.providers["mine"].base_url == "http://localhost:1234"
    assert config.settings.providers["mine"].key_env == "K"
    assert config.settings.providers["mine"].api_mode == "auto"


def test_free_sections_are_merged_at_every_depth(loading) -> None:
    config = loading(
        "tts:\n  openai:\n    voice: nova\nplatforms:\n  irc:\n    server: a\n    port: 1\n",
        overrides={"platforms.irc.port": 2},
    )
    assert config.settings.tts.openai == {"model": "gpt-4o-mini-tts", "voice": "nova"}
    assert config.settings.platforms == {"irc": {"server": "a", "port": 2}}


def test_a_list_is_taken_whole(loading) -> None:
    assert loading("toolsets: [web]\n").settings.toolsets == ["web"]


def test_a_list_of_sections_is_typed(loading) -> None:
    config = loading("fallback_providers:\n- {provider: openrouter, model: a}\n- {provider: local}\n")
    assert [(one.provider, one.model) for one in config.settings.fallback_providers] == [
        ("openrouter", "a"),
        ("local", ""),
    ]


def test_an_empty_key_means_the_default(loading) -> None:
    config = loading("sessions:\ndisplay:\n  skin:\n  compact: true\n")
    assert (config.settings.sessions.retention_days, config.settings.display.skin) == (90, "default")
    assert (config.settings.display.compact, config.problems) == (True, [])


@pytest.mark.parametrize(
    ("yaml", "key", "value"),
    [
        ("human_delay: {mode: off}", "human_delay.mode", "off"),
        ("display: {language: no}", "display.language", "no"),
        ("display: {compact: yes}", "display.compact", True),
        ("display: {compact: off}", "display.compact", False),
        ("sessions: {retention_days: '30'}", "sessions.retention_days", 30),
        ("sessions: {retention_days: 30.0}", "sessions.retention_days", 30),
        ("compression: {threshold: 1}", "compression.threshold", 1.0),
        ("timezone: 2024-01-01", "timezone", "2024-01-01"),
        ("gateway: {allowed_users: [12, telegram:7]}", "gateway.allowed_users", ["12", "telegram:7"]),
        ("gateway: {allowed_users: 'a:1, b:2'}", "gateway.allowed_users", ["a:1", "b:2"]),
        ("telegram: {channel_prompts: {-100123: Hi}}", "telegram.channel_prompts", {"-100123": "Hi"}),
        ("cron: {max_parallel_jobs: null}", "cron.max_parallel_jobs", None),
        ("base: &b {compact: true}\ndisplay:\n  <<: *b\n", "display.compact", True),
    ],
)
def test_what_people_write_means_what_they_mean(loading, yaml: str, key: str, value: object) -> None:
    config = loading(yaml)
    found = at(config.plain(), tuple(key.split(".")))
    assert (found, type(found)) == (value, type(value))
    assert [text for text in config.warnings if "base is not a setting" not in text] == []


# -- references to variables


def test_a_reference_is_replaced_and_named_as_the_source(loading) -> None:
    config = loading("model:\n  api_key: ${KEY}\n  base_url: http://${HOST}:${PORT}/v1\n", KEY="k", HOST="h", PORT="1")
    assert (config.settings.model.api_key, config.settings.model.base_url) == ("k", "http://h:1/v1")
    assert str(config.origin(("model", "base_url"))) == "environment: HOST, PORT"


def test_a_reference_can_stand_for_a_number_and_inside_lists(loading) -> None:
    config = loading("agent:\n  max_turns: ${N}\ntoolsets: [web, '${T}']\n", N="12", T="file")
    assert (config.settings.agent.max_turns, config.settings.toolsets) == (12, ["web", "file"])


def test_a_reference_to_nothing_stays_verbatim_and_only_check_names_it(loading) -> None:
    config = loading("model:\n  api_key: ${NOPE}\n  base_url: http://${HOST}/${NOPE}\n", HOST="h")
    assert (config.settings.model.api_key, config.settings.model.base_url) == ("${NOPE}", "http://h/${NOPE}")
    assert config.warnings == []
    assert [problem.text for problem in config.problems] == [
        "config.yaml line 2: model.api_key refers to ${NOPE}, which is not set; it stays as it is written.",
        "config.yaml line 3: model.base_url refers to ${NOPE}, which is not set; it stays as it is written.",
    ]


def test_a_number_that_refers_to_nothing_has_its_default(loading) -> None:
    config = loading("agent:\n  max_turns: ${N}\n")
    assert config.settings.agent.max_turns == 90
    assert config.warnings == [
        "config.yaml line 2: agent.max_turns is ${N}, which is not set; the default 90 is in force."
    ]


def test_what_a_variable_says_is_final(loading) -> None:
    assert loading("model: {default: '${A}'}", A="${B}", B="deep").settings.model.default == "${B}"


@pytest.mark.parametrize("text", ["$A", "${A:-x}", "${}", "${1A}", "{A}", "$${"])
def test_only_the_documented_form_is_a_reference(loading, text: str) -> None:
    assert loading(f"model: {{default: '{text}'}}", A="a").settings.model.default == text


# -- .env


def test_a_secret_in_dotenv_is_found_and_never_put_into_the_environment(loading, monkeypatch) -> None:
    monkeypatch.delenv("MY_SECRET_KEY", raising=False)
    config = loading("model: {api_key: '${MY_SECRET_KEY}'}", dotenv="MY_SECRET_KEY=abc\n")
    assert config.settings.model.api_key == "abc"
    assert str(config.origin(("model", "api_key"))) == "environment: MY_SECRET_KEY (.env)"
    assert "MY_SECRET_KEY" not in os.environ


def test_the_real_environment_goes_before_dotenv(loading) -> None:
    config = loading("model: {api_key: '${KEY}'}", dotenv="KEY=file\n", KEY="process")
    assert config.settings.model.api_key == "process"
    assert config.environment["KEY"] == "process"


def test_dotenv_can_choose_the_model_of_a_task(loading) -> None:
    assert loading(dotenv="AUXILIARY_MCP_MODEL=tiny").settings.auxiliary.mcp.model == "tiny"


# -- what loading costs


def test_yaml_is_not_imported_when_there_is_no_file(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from hermes.config import load; "
        "load(home=Path(sys.argv[1])).warnings; "
        "sys.exit(any(name in sys.modules for name in ('yaml', 'dataclasses', 'difflib', 'hermes.model.secrets')))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False, timeout=60).returncode == 0


def test_the_home_in_the_environment_is_the_one_that_is_read(hermes_home: Path) -> None:
    hermes_home.mkdir()
    (hermes_home / "config.yaml").write_text("timezone: Europe/Berlin\n")
    config = load()
    assert (config.settings.timezone, config.file) == ("Europe/Berlin", hermes_home / "config.yaml")
