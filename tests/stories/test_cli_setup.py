"""`hermes setup`, and what `hermes doctor` says about settings and keys."""

import json
import os
import pty
import select
import stat
import subprocess
import time
from pathlib import Path
from shlex import split

import pytest

from hermes.providers.presets import PRESETS
from tests.stories.test_cli_terminal import on_terminal
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import PROGRAM, Hermes, refused, spawn


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    for preset in PRESETS.values():
        for name in preset.key_names:
            monkeypatch.delenv(name, raising=False)
    return Hermes(capsys, monkeypatch)


def answering(answers: dict[str, str], *arguments: str) -> str:
    """What a person sees who answers each question when it is asked."""
    outside, inside = pty.openpty()
    program = subprocess.Popen(
        [*PROGRAM, *arguments], stdin=inside, stdout=inside, stderr=inside, start_new_session=True
    )
    os.close(inside)
    seen, waiting = "", list(answers.items())
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if select.select([outside], [], [], 0.2)[0]:
            try:
                seen += os.read(outside, 65536).decode()
            except OSError:  # the other end is closed
                break
        if waiting and seen.endswith(waiting[0][0]):
            os.write(outside, waiting.pop(0)[1].encode() + b"\n")
    os.close(outside)
    assert program.wait(30) == 0, seen
    return seen


def findings(hermes: Hermes, subject: str) -> list[dict[str, str]]:
    found = [json.loads(line) for line in hermes("doctor", "--json").lines]
    return [one for one in found if one["subject"] == subject]


def test_options_answer_everything(hermes: Hermes, hermes_home: Path) -> None:
    done = hermes(
        "setup", "--provider", "openrouter", "--model", "z-ai/glm-4.7", "--key-stdin", "--json", answer="sk-or-1\n"
    )
    assert json.loads(done.out) == {
        "home": str(hermes_home),
        "provider": "openrouter",
        "model": "z-ai/glm-4.7",
        "keys": ["OPENROUTER_API_KEY"],
    }
    assert hermes("config", "get", "model.default").out == "z-ai/glm-4.7\n"
    assert (hermes_home / ".env").read_text() == "OPENROUTER_API_KEY=sk-or-1\n"
    assert {stat.S_IMODE((hermes_home / name).stat().st_mode) for name in (".env", "config.yaml")} == {0o600}
    assert "sk-or-1" not in done.out + done.err


def test_a_second_run_changes_only_what_is_given(hermes: Hermes, hermes_home: Path) -> None:
    hermes("setup", "--provider", "openai", "--key-stdin", answer="sk-1\n")
    hermes("setup", "--model", "gpt-5.2")
    assert hermes("config", "get", "model.provider").out == "openai\n"
    assert hermes("config", "get", "model.default").out == "gpt-5.2\n"
    assert "sk-1" in (hermes_home / ".env").read_text()


def test_without_a_terminal_nothing_is_asked_and_nothing_is_needed(hermes: Hermes, hermes_home: Path) -> None:
    done = spawn("setup")
    assert (done.code, done.err) == (0, "")
    assert "Keys: none yet" in done.out
    assert hermes_home.is_dir()
    assert not (hermes_home / "config.yaml").exists()


def test_on_a_terminal_three_questions_are_asked(hermes: Hermes, hermes_home: Path) -> None:
    answers = {"Who answers: ": "openrouter", "(not shown): ": "sk-or-typed", "sonnet-4.6): ": "z-ai/glm-4.7"}
    seen = answering(answers, "setup")
    assert "OPENROUTER_API_KEY (not shown): \n" in seen.replace("\r", "")
    assert "sk-or-typed" not in seen
    assert "Model: z-ai/glm-4.7" in seen
    assert "sk-or-typed" in (hermes_home / ".env").read_text()


def test_every_question_can_be_skipped(hermes: Hermes, hermes_home: Path) -> None:
    assert "Keys: none yet" in on_terminal("setup", typed="\n\n\n")
    assert not (hermes_home / "config.yaml").exists()


def test_another_home_can_be_chosen(hermes: Hermes, hermes_home: Path, tmp_path: Path) -> None:
    done = hermes("setup", "--home", str(tmp_path / "other"), "--provider", "ollama", "--no-input")
    assert f"  export HERMES_HOME='{tmp_path / 'other'}'" in done.lines
    assert (tmp_path / "other" / "config.yaml").exists()
    assert not hermes_home.exists()


@pytest.mark.parametrize(
    ("arguments", "answer", "told"),
    [
        (["--provider", "nobody"], "", "No provider 'nobody'; there are openrouter"),
        (["--key-stdin"], "sk-1\n", "whose it is"),
        (["--provider", "ollama", "--key-stdin"], "sk-1\n", "takes none"),
        (["--provider", "openai", "--key-stdin"], "", "No key came"),
        (["--provider", "openai", "--key-stdin"], "two words\n", "not a key"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(
    hermes: Hermes, hermes_home: Path, arguments: list[str], answer: str, told: str
) -> None:
    assert told in refused(hermes("setup", *arguments, answer=answer), 2)
    assert not hermes_home.exists()


def test_the_doctor_says_what_is_wrong_with_the_settings(hermes: Hermes, hermes_home: Path) -> None:
    assert findings(hermes, "Settings")[0]["state"] == "ok"
    hermes_home.mkdir(mode=0o700, exist_ok=True)
    (hermes_home / "config.yaml").write_text("sessions:\n  retention_dayz: 3\n")
    (hermes_home / "config.yaml").chmod(0o600)
    (found,) = findings(hermes, "Settings")
    assert (found["state"], found["fix"]) == ("problem", "hermes config edit")
    assert "retention_days" in found["what"]
    assert hermes("doctor").code == 3


def test_the_doctor_says_which_keys_are_there(hermes: Hermes, hermes_home: Path) -> None:
    (found,) = findings(hermes, "Keys")
    assert (found["state"], found["fix"]) == ("advice", "hermes setup")
    hermes("setup", "--provider", "anthropic", "--no-input")
    (found,) = findings(hermes, "Keys")
    assert (found["state"], found["fix"]) == ("advice", "hermes config set ANTHROPIC_API_KEY")
    hermes("config", "set", "ANTHROPIC_API_KEY", "sk-ant-1")
    (found,) = findings(hermes, "Keys")
    assert (found["state"], found["what"]) == ("ok", "ANTHROPIC_API_KEY")
    assert hermes("doctor").code == 0


def test_a_key_that_auth_keeps_is_a_key(hermes: Hermes, hermes_home: Path) -> None:
    done = hermes("setup", "--provider", "openrouter", "--no-input")
    assert "Next:\n  hermes auth add openrouter\n" in done.out
    hermes("auth", "add", "openrouter", answer="sk-or-v1-1111111111111111\n")
    (found,) = findings(hermes, "Keys")
    assert (found["state"], found["what"]) == ("ok", "key 1 of openrouter")
    done = hermes("setup", "--no-input")
    assert "Keys: key 1 of openrouter\n" in done.out and "hermes auth add" not in done.out


def test_without_a_key_the_answer_says_which(hermes: Hermes, hermes_home: Path) -> None:
    hermes("setup", "--provider", "openrouter", "--model", "maker/large", "--no-input")
    missing = "openrouter has no key: `hermes auth add openrouter` takes one, or set OPENROUTER_API_KEY"
    assert (
        hermes("-z", "hi").lines[0].startswith(f"No model is set up yet ({missing}), so this is from your own history")
    )


def test_the_doctor_says_what_a_platform_still_needs(hermes: Hermes, hermes_home: Path) -> None:
    assert findings(hermes, "Platforms") == []
    hermes("config", "set", "MATRIX_HOMESERVER", "https://matrix.example.org")
    (found,) = findings(hermes, "Platforms")
    assert (found["state"], found["fix"]) == ("problem", "hermes config set MATRIX_ACCESS_TOKEN")
    assert "matrix" in found["what"]
    hermes("config", "set", "MATRIX_USER_ID", "@hermes:example.org")
    hermes("config", "set", "MATRIX_PASSWORD", "a password")
    hermes("config", "set", "TELEGRAM_BOT_TOKEN", "4242:abc")
    (found,) = findings(hermes, "Platforms")
    assert (found["state"], found["what"]) == ("ok", "telegram, matrix")
    (hermes_home / "config.yaml").write_text("platforms: {telegram: {enabled: false}, api-server: {}}\n")
    (hermes_home / "config.yaml").chmod(0o600)
    (found,) = findings(hermes, "Platforms")
    assert found["what"] == "matrix, api-server"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("webhook: {}", "No webhook is set up"),
        ('webhook: {routes: {ci: {secret: "${CI_SECRET}"}}}', "hermes config set CI_SECRET"),
        ("webhook: {routes: [ci]}", "has to be a section"),
        ("api-server: {port: http}", "has to be a whole number"),
        ("api-server: {port: 70000}", "has to be a port"),
        ("api-server: 8642", "has to be a section"),
        ("api-server: {host: 0.0.0.0}", "API_SERVER_KEY"),
        ("telegram: on-please", "cannot be served yet"),
        ("api_server: {}", "is 'api-server' meant?"),
    ],
)
def test_the_doctor_says_what_is_wrong_with_a_platform(
    hermes: Hermes, hermes_home: Path, written: str, told: str
) -> None:
    hermes_home.mkdir(mode=0o700, exist_ok=True)
    (hermes_home / "config.yaml").write_text(f"platforms:\n  {written}\n")
    (found,) = findings(hermes, "Platforms")
    assert found["state"] == "problem"
    assert told in found["what"]


def test_keys_that_others_can_read_are_a_problem(hermes: Hermes, hermes_home: Path) -> None:
    hermes("setup", "--provider", "openai", "--key-stdin", answer="sk-1\n")
    (hermes_home / ".env").chmod(0o644)
    assert {"problem"} == {one["state"] for one in findings(hermes, "Permissions")}


def test_every_command_of_the_guide_works(
    hermes: Hermes, hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(examples(GUIDES / "homes.md"))
    assert len(found) == 8
    for example in found:
        monkeypatch.setenv("HERMES_HOME", str(hermes_home))  # --profile changes it, for its own process
        assert hermes(*split(example.command)[1:]).code == 0, example
