"""Settings from the command line: the guide, and an afternoon with config.yaml."""

import json
import os
import re
import sys
from pathlib import Path
from shlex import split

import pytest

from tests.stories.pages import examples
from tests.unit.cli.program import Done, Hermes, refused, spawn

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "configuration.md"


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    for name in [name for name in os.environ if name.startswith("AUXILIARY_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    return Hermes(capsys, monkeypatch)


@pytest.fixture
def file(hermes_home: Path) -> Path:
    hermes_home.mkdir()
    return hermes_home / "config.yaml"


def write(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o600)


# -- the guide


def perform(command: str, typed: str, home: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> Done:
    words = split(command.replace("~/.hermes", str(home)))
    with monkeypatch.context() as patch:
        while "=" in words[0]:
            patch.setenv(*words.pop(0).split("=", 1))
        if words[0] == "cat":
            return Done(0, Path(words[1]).read_text(), "")
        assert words[0] == "hermes", command
        return hermes(*words[1:], answer=typed)


def test_the_guide_is_true(file: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(examples(GUIDE.read_text()))
    assert len(found) > 20
    for example in found:
        if example.yaml:
            write(file, example.yaml)
            continue
        done = perform(example.command, example.typed, file.parent, hermes, monkeypatch)
        told = (done.out + done.err).replace(str(file.parent), "~/.hermes")
        assert re.sub(r"\d{8}-\d{6}", "STAMP", told).splitlines() == list(example.prints), example.command


# -- an afternoon


def test_settings_last_from_one_run_to_the_next(hermes_home: Path) -> None:
    assert spawn("config", "get", "display.resume_display").out == "full\n"
    assert spawn("config", "set", "display.resume_display", "minimal").code == 0
    assert spawn("config", "get", "display.resume_display").out == "minimal\n"
    assert (hermes_home / "config.yaml").stat().st_mode & 0o777 == 0o600


def test_show_is_yaml_that_says_the_same_when_it_is_the_file(file: Path, hermes: Hermes) -> None:
    hermes("config", "set", "providers.mine.base_url", "http://localhost:8080/v1")
    hermes("config", "set", "session_reset.by_platform.telegram.mode", "none")
    before = hermes("config", "show").out
    write(file, before)
    assert hermes("config", "show") == Done(0, before, "")


def test_show_for_programs_has_every_setting_and_its_source(file: Path, hermes: Hermes) -> None:
    write(file, "sessions:\n  trash_days: 7\n")
    tree = json.loads(hermes("config", "show", "--json").out)
    assert (tree["sessions"]["trash_days"], tree["group_sessions_per_user"], len(tree) >= 40) == (7, True, True)
    flat = json.loads(hermes("config", "show", "--json", "--sources").out)
    assert flat["sessions.trash_days"] == {"value": 7, "source": "file"}
    assert flat["sessions.retention_days"] == {"value": 90, "source": "default"}


def test_a_list_of_sections_is_set_whole(file: Path, hermes: Hermes) -> None:
    assert hermes("config", "set", "fallback_providers", "[{provider: a, model: b}, {provider: c}]").code == 0
    assert file.read_text() == "fallback_providers: [{provider: a, model: b}, {provider: c}]\n"
    found = json.loads(hermes("config", "get", "fallback_providers", "--json").out)
    assert [(one["provider"], one["model"]) for one in found] == [("a", "b"), ("c", "")]


def test_a_home_without_settings_has_nothing_changed(hermes: Hermes, hermes_home: Path) -> None:
    assert hermes("config", "show", "--changed").out == "Everything is as it is by default.\n"
    assert not hermes_home.exists()


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("toolsets", ["web,file"], ["web", "file"]),
        ("toolsets", ["[web, file]"], ["web", "file"]),
        ("timezone", ["Europe/Berlin"], "Europe/Berlin"),
        ("display.personality", ["two", "words"], "two words"),
        ("display.personality", ["12"], "12"),
        ("display.compact", ["yes"], True),
        ("compression.threshold", ["0.8"], 0.8),
        ("cron.max_parallel_jobs", ["null"], None),
        ("gateway.identities", ["{me: [telegram:7, local]}"], {"me": ["telegram:7", "local"]}),
        ("gateway.identities.me", ["telegram:7, local"], ["telegram:7", "local"]),
        ("providers.mine.models", ["a, b"], ["a", "b"]),
        ("quick_commands.hi.command", ["echo hi"], "echo hi"),
        ("auxiliary.vision.extra_body", ['{"top_p": 0.5}'], {"top_p": 0.5}),
    ],
)
def test_what_is_typed_becomes_what_the_setting_wants(
    key: str, typed: list[str], value: object, hermes: Hermes
) -> None:
    assert hermes("config", "set", key, *typed).code == 0
    assert json.loads(hermes("config", "get", key, "--json").out) == value


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["get", "sesions"], 1, "sesions is not a setting; did you mean sessions?"),
        (["get", ".."], 1, "'..' is not a setting; keys look like sessions.retention_days."),
        (["get", "providers.mine"], 1, "providers.mine is not set."),
        (
            ["get", "NO_SUCH_VARIABLE_HERE"],
            1,
            "NO_SUCH_VARIABLE_HERE is not set, neither in the environment nor in .env.",
        ),
        (["unset", "sesions"], 1, "sesions is not a setting; did you mean sessions?"),
        (["set", "sessions", "5"], 2, "sessions is a section; set one of its keys, such as sessions.database."),
        (["set", "sessions.trash_days", "soon"], 2, "sessions.trash_days has to be a whole number of 0 or more."),
        (["set", "fallback_providers", "[{modl: a}]"], 2, "fallback_providers.0.modl is not a setting."),
        (
            ["set", "model.base_url", "not a url"],
            2,
            "model.base_url has to be an address, such as https://example.com/v1.",
        ),
        (
            ["set", "platforms.telegram.base_url", "api.telegram.org"],
            2,
            "platforms.telegram.base_url has to be an address, such as https://example.com/v1.",
        ),
        (
            ["set", "fallback_providers", "[{base_url: localhost}]"],
            2,
            'fallback_providers.0.base_url is "localhost" (text), expected an address, such as '
            "https://example.com/v1; it stays as it is written.",
        ),
        (
            ["set", "sessions.trash_days", "9" * 23],
            2,
            "sessions.trash_days has to be a whole number below 1,000,000,000.",
        ),
        (["set", "toolsets", "[a"], 2, "toolsets has to be a list of texts."),
        (["set", "timezone"], 2, "timezone needs a value; `hermes config unset timezone` takes it out."),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    arguments: list[str], code: int, told: str, hermes: Hermes, hermes_home: Path
) -> None:
    assert refused(hermes("config", *arguments), code) == f"hermes: {told}"
    assert not hermes_home.exists()


def test_unset_takes_out_what_is_no_setting_too(file: Path, hermes: Hermes) -> None:
    write(file, "xyzzy: 1\ntimezone: UTC # mine\n")
    assert hermes("config", "unset", "xyzzy").code == 0
    assert file.read_text() == "timezone: UTC # mine\n"
    assert hermes("config", "unset", "display.skin").out == f"display.skin is not in {file}.\n"


def test_a_broken_file_is_never_overwritten(file: Path, hermes: Hermes) -> None:
    write(file, "sessions: {\n")
    told = refused(hermes("config", "set", "timezone", "UTC"), 2)
    assert told.startswith(f"hermes: {file}:2:1: ")
    assert told.endswith("; nothing was changed.")
    assert file.read_text() == "sessions: {\n"


def test_a_variable_that_goes_before_a_new_value_is_named(hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_INFERENCE_MODEL", "large")
    done = hermes("config", "set", "model.default", "small")
    assert done.err == "hermes: HERMES_INFERENCE_MODEL is set and goes before it.\n"
    monkeypatch.setenv("SOME_API_KEY", "x")
    assert hermes("config", "set", "platforms.webhook.routes", '{ci: {secret: "${SOME_API_KEY}"}}').err == ""
    assert hermes("config", "set", "SOME_API_KEY", "y").err == (
        "hermes: SOME_API_KEY is set in the environment too, and that goes before .env.\n"
    )


def test_no_command_shows_a_secret(file: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "hunter2hunter2")
    write(
        file,
        "model: {api_key: hunter2hunter2, base_url: 'https://me:hunter2hunter2@host/v1'}\n"
        "providers: {mine: {extra_headers: {Authorization: Bearer hunter2hunter2}}}\n"
        "platforms: {irc: {password: '${DB_PASSWORD}'}}\nmemory: {memory_char_limit: '${DB_PASSWORD}'}\n",
    )
    hermes("config", "set", "MY_API_KEY", "hunter2hunter2")
    shown = [
        hermes("config", *words)
        for words in (
            ["show"], ["show", "--sources"], ["show", "--json"], ["show", "--json", "--sources"], ["show", "--changed"],
            ["get", "model"], ["get", "model.api_key"], ["get", "model.api_key", "--json"], ["get", "MY_API_KEY"],
            ["get", "providers.mine.extra_headers"], ["get", "platforms"], ["check"], ["check", "--json"],
            ["set", "model.api_key", "hunter2hunter2"], ["unset", "model.api_key"],
        )
    ]  # fmt: skip
    assert "hunter2" not in "".join(done.out + done.err for done in shown)
    assert all(done.out for done in shown)


def test_check_says_when_others_can_read_the_files(file: Path, hermes: Hermes) -> None:
    write(file, "timezone: UTC\n")
    assert hermes("config", "check").code == 0
    file.chmod(0o644)
    done = hermes("config", "check")
    assert (done.code, done.out) == (2, f"✗ {file} can be read by others; chmod 600 '{file}'\n")


def test_edit_opens_the_editor_and_checks_afterwards(
    file: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys\nopen(sys.argv[1], 'a').write('timezon: UTC\\n')\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    done = hermes("config", "edit")
    assert (done.code, done.out) == (2, "✗ config.yaml line 2: timezon is not a setting; did you mean timezone?\n")
    assert file.read_text().startswith("# Settings of Hermes.")
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    assert "set EDITOR to the editor you use" in refused(hermes("config", "edit"), 2)
    monkeypatch.setenv("EDITOR", "false")
    assert "false ended with code 1" in refused(hermes("config", "edit"), 2)


def test_a_profile_has_settings_of_its_own(hermes_home: Path) -> None:
    (hermes_home / "profiles" / "work").mkdir(parents=True)
    assert spawn("--profile", "work", "config", "set", "timezone", "Asia/Tokyo").code == 0
    assert spawn("--profile", "work", "config", "get", "timezone").out == "Asia/Tokyo\n"
    assert spawn("config", "get", "timezone").out == "\n"
    assert spawn("config", "path").out == f"{hermes_home / 'config.yaml'}\n"
    assert spawn("--profile", "work", "config", "path", "--env").out == f"{hermes_home / 'profiles/work/.env'}\n"
    assert "No profile 'wrok'" in refused(spawn("--profile", "wrok", "config", "show"), 1)
