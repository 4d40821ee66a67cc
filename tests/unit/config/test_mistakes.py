"""Mistakes in the files: each is told once, with its place; the defaults hold, and no file is touched."""

from pathlib import Path

import pytest

from hermes.config import Settings
from hermes.config.foreign import KEYS
from hermes.config.keys import all_keys
from hermes.config.resolve import plain

BROKEN = [
    ("model: a: b\n", ":1:9: "),
    ("sessions:\n  auto_prune: true\n bad: 1\n", ":3:2: "),
    ("a: [1, 2\n", ":2:1: "),
    ("a: 'unfinished\n", ":2:1: "),
    ("\tsessions: 1\n", ":1:1: "),
    ("sessions: *nobody\n", ":1:11: "),
    ("- a\n- b\n", ":1:1: "),
    ("just words\n", ":1:1: "),
    ("a: !!python/object/apply:os.system [echo]\n", ":1:4: "),
    ("a: 1\n---\nb: 2\n", ":2:1: "),
    ("a: {[1]: 2}\n", ":1:5: "),
    (b"model:\n  default: \xff\xfe\n", ":2:12: "),
    ("a: &a [*a]\n", ": "),
    ("a: \x00\n", ": "),
    (
        "a: &a [x, x]\nb: &b [*a, *a]\n"
        + "".join(f"{n}: &{n} [*{m}, *{m}]\n" for m, n in zip("bcdefghijklmnopq", "cdefghijklmnopqr", strict=True)),
        ": ",
    ),
    ("a: " + "9" * 5000 + "\n", ": "),
    ("#" * 1_000_001, ": "),
]


@pytest.mark.parametrize(("yaml", "where"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_gives_one_warning_and_the_defaults(
    loading, tmp_path: Path, yaml: str | bytes, where: str
) -> None:
    config = loading(yaml)
    (warning,) = config.warnings
    assert warning.startswith(f"{tmp_path / 'config.yaml'}{where}")
    assert warning.endswith("The defaults are in force and the file is untouched; `hermes config edit` opens it.")
    assert "\n" not in warning
    assert config.plain() == plain(Settings())
    assert (tmp_path / "config.yaml").read_bytes() == (yaml if isinstance(yaml, bytes) else yaml.encode())


def test_a_folder_in_the_files_place_is_told(loading, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()
    (tmp_path / ".env").mkdir()
    config = loading()
    assert [": it cannot be read: Is a directory." in config.warnings[0], len(config.warnings)] == [True, 2]
    assert config.warnings[1] == ".env cannot be read (Is a directory)."


def test_a_link_to_nowhere_is_no_file(loading, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").symlink_to(tmp_path / "nowhere")
    assert loading().problems == []


@pytest.mark.parametrize(
    "yaml",
    ["", "\n", "# only a comment\n", "---\n", "{}\n", "null\n", "\ufeffsessions:\n", "a:\r\n".replace("a", "web")],
)
def test_a_file_that_says_nothing_is_fine(loading, yaml: str) -> None:
    config = loading(yaml)
    assert (config.problems, config.plain()) == ([], plain(Settings()))


@pytest.mark.parametrize(
    ("yaml", "told"),
    [
        ("sesions: {}\n", "config.yaml line 1: sesions is not a setting; did you mean sessions?"),
        (
            "sessions:\n  retentoin_days: 3\n",
            "config.yaml line 2: sessions.retentoin_days is not a setting; did you mean sessions.retention_days?",
        ),
        ("auto_tts: true\n", "config.yaml line 1: auto_tts is not a setting; did you mean voice.auto_tts?"),
        (
            "auxiliary:\n  vison: {}\n",
            "config.yaml line 2: auxiliary.vison is not a setting; did you mean auxiliary.vision?",
        ),
        (
            "fallback_providers:\n- modl: x\n",
            "config.yaml line 1: fallback_providers.0.modl is not a setting; did you mean fallback_providers.0.model?",
        ),
        ("xyzzy: 1\n", "config.yaml line 1: xyzzy is not a setting; `hermes config show` lists all there are."),
        (
            "providers:\n  mine:\n    base_ulr: x\n",
            "config.yaml line 3: providers.mine.base_ulr is not a setting; did you mean providers.mine.base_url?",
        ),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_known_one(loading, yaml: str, told: str) -> None:
    assert loading(yaml).warnings == [told]


@pytest.mark.parametrize(
    ("key", "value", "told", "default"),
    [
        ("sessions.retention_days", "many", '"many" (text), expected a whole number of 1 or more', "90"),
        ("sessions.auto_prune", "7", "7 (a number), expected true or false", "false"),
        ("toolsets", "{a: 1}", "a section, expected a list of texts", '["hermes-cli"]'),
        ("timezone", "[a]", "a list, expected text", '""'),
        ("timezone", "true", "true, expected text", '""'),
        ("display.resume_display", "short", '"short" (text), expected one of full, minimal', "full"),
        ("session_reset.at_hour", "24", "24 (a number), expected a whole number from 0 to 23", "4"),
        ("compression.threshold", ".nan", '".nan" (text), expected a number from 0.05 to 1', "0.5"),
        ("fallback_providers", "[a]", "a list, expected a list of sections", "[]"),
        ("approvals.mode", "[off]", "a list, expected one of manual, smart, off", "manual"),
        ("cron.max_parallel_jobs", "0", "0 (a number), expected a whole number of 1 or more or nothing", "null"),
        ("auxiliary.vision.timeout", "soon", '"soon" (text), expected a whole number of 1 or more', "120"),
        ("gateway.identities", "{me: 5}", "a section, expected a section of lists of texts", "{}"),
        ("slack.channel_prompts", "{a: [b]}", "a section, expected a section of texts", "{}"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_and_the_default_holds(
    loading, key: str, value: str, told: str, default: str
) -> None:
    config = loading(f"{key.replace('.', ': {')}: {value}{'}' * key.count('.')}")
    assert config.warnings == [f"config.yaml line 1: {key} is {told}; the default {default} is in force."]
    assert config.plain() == plain(Settings())


def test_what_is_no_address_is_told_and_not_replaced_by_another_one(loading) -> None:
    servers = "mcp_servers:\n  a:\n    url: http://${HOST}/v1\n"
    config = loading("model:\n  base_url: localhost:8000/v1\n" + servers, HOST="h")
    assert config.warnings == [
        'config.yaml line 2: model.base_url is "localhost:8000/v1" (text), expected an address, such as '
        "https://example.com/v1; it stays as it is written."
    ]
    assert config.settings.model.base_url == "localhost:8000/v1"


def test_a_value_in_a_sections_place_is_told(loading) -> None:
    config = loading("sessions: 5\n")
    assert config.warnings == [
        "config.yaml line 1: sessions is 5 (a number), expected a section; the defaults are in force."
    ]
    assert config.plain() == plain(Settings())


def test_one_wrong_value_does_not_cost_its_neighbours(loading) -> None:
    config = loading("sessions:\n  retention_days: many\n  trash_days: 7\nsesions: 1\n")
    assert config.settings.sessions.trash_days == 7
    assert len(config.warnings) == 2


def test_a_key_that_stands_twice_is_told(loading) -> None:
    config = loading("timezone: a\nsessions:\n  trash_days: 1\n  trash_days: 2\ntimezone: b\n")
    assert (config.settings.timezone, config.settings.sessions.trash_days) == ("b", 2)
    assert config.warnings == [
        "config.yaml line 4: trash_days stands there twice; the last one is in force.",
        "config.yaml line 5: timezone stands there twice; the last one is in force.",
    ]


def test_a_line_of_dotenv_that_makes_no_sense_is_told_without_its_content(loading) -> None:
    config = loading(dotenv="GOOD=1\nhunter2\n")
    assert config.warnings == [".env line 2: not of the form NAME=value; ignored."]
    assert config.environment["GOOD"] == "1"


def test_no_warning_repeats_a_secret(loading) -> None:
    key = "sk-ant-" + "api03-" + "a1B2c3D4e5" * 9
    config = loading(
        f"model:\n  context_length: {key}\n  api_key: [hunter2]\nagent:\n  max_turns: ${{K}}\n", K="hunter2"
    )
    told = "\n".join(problem.text for problem in config.problems)
    assert len(config.warnings) == 3
    assert "hunter2" not in told
    assert key not in told


# -- files that come from Hermes Agent


def test_a_file_written_by_hermes_agent_gives_no_warning(loading) -> None:
    config = loading((Path(__file__).parent / "hermes-agent-0.14.yaml").read_text())
    assert config.warnings == []
    assert config.settings.display.resume_display == "full"
    assert config.settings.agent.max_turns == 90


def test_its_keys_without_a_counterpart_are_named_once_by_check(loading) -> None:
    config = loading("kanban:\n  failure_limit: 2\nterminal:\n  modal_mode: auto\n")
    assert config.warnings == []
    assert [problem.text for problem in config.problems] == [
        "2 keys are known to Hermes Agent and without effect here: terminal.modal_mode, kanban."
    ]


def test_no_setting_of_ours_is_taken_for_a_foreign_one() -> None:
    assert KEYS & {".".join(key) for key in all_keys()} == set()
