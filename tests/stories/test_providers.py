"""Providers from the command line: the guide, and what goes wrong."""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import split

import pytest

from hermes import paths
from hermes.providers.pool import Pool
from tests.servers.scripted import Fail, Say, Scripted
from tests.stories.pages import examples
from tests.unit.cli.program import Hermes, refused

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "providers.md"
ADDRESS = "http://127.0.0.1:8000/v1"
KEY = "sk-or-v1-1234567890abcdef1234"


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hermes:
    for name in [name for name in os.environ if name.startswith("HERMES_INF") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "130")
    return Hermes(capsys, monkeypatch)


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted(otherwise=Say("OK")) as server:
        yield server


def custom(hermes: Hermes, server: Scripted) -> None:
    assert hermes("model", "choose", "custom", "scripted", "--base-url", server.url).code == 0


# -- the guide


def without_times(lines: list[str]) -> list[str]:
    return [re.sub(r"\d+\.\d\d s", "0.00 s", line).rstrip() for line in lines]


def test_the_guide_is_true(hermes: Hermes, server: Scripted, hermes_home: Path) -> None:
    found = list(examples(GUIDE.read_text().replace(ADDRESS, server.url)))
    assert len(found) > 15
    for example in found:
        if example.yaml:
            hermes_home.mkdir(exist_ok=True)
            paths.config_file().write_text(example.yaml)
            paths.config_file().chmod(0o600)
            assert hermes("config", "check").code == 0, example
            continue
        program, *arguments = split(example.command)
        assert program == "hermes"
        done = hermes(*arguments, answer=example.typed)
        told = [line for line in example.prints if line.startswith("hermes: ")]
        shown = [line for line in example.prints if line not in told]
        assert done.code == 0, (example, done)
        assert without_times(done.lines) == without_times(shown), example
        assert done.err.splitlines() == told, example


# -- keys


def test_no_key_is_ever_shown_whole(hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY[::-1])
    said = [hermes("auth", "add", "openrouter", answer=KEY + "\n"), hermes("auth", "add", "openrouter", answer=KEY)]
    said += [
        hermes("auth", "list"),
        hermes("auth", "list", "--json"),
        hermes("auth", "remove", "openrouter", "1", "-y"),
    ]
    assert [done.code for done in said] == [0, 2, 0, 0, 0]
    for done in said:
        assert KEY not in done.out + done.err
        assert KEY[::-1] not in done.out + done.err


def test_a_key_that_rests_says_how_long_and_wakes_by_a_reset(hermes: Hermes) -> None:
    Pool().add("openrouter", KEY)
    Pool().rest(KEY, 600, "429")
    assert "rests for 10 min (429)" in hermes("auth", "list").out
    (row,) = map(json.loads, hermes("auth", "list", "--json").lines)
    assert row["rests_until"] > time.time()
    assert hermes("auth", "reset").out == "1 key rested; none does now.\n"
    assert "ready" in hermes("auth", "list").out


def test_removing_a_key_asks_first(hermes: Hermes) -> None:
    Pool().add("openrouter", KEY, "work")
    assert hermes("auth", "remove", "openrouter", "work", answer="n\n").code != 0 or Pool().entries()
    assert len(Pool().entries()) == 1
    hermes("auth", "remove", "openrouter", "work", answer="y\n")
    assert Pool().entries() == []


@pytest.mark.parametrize(
    ("arguments", "typed", "code", "told"),
    [
        (["auth", "add", "openruter"], "k\n", 1, "did you mean 'openrouter'"),
        (["auth", "add", "openrouter"], "", 2, "not a key"),
        (["auth", "add", "openrouter"], "two words\n", 2, "not a key"),
        (["auth", "remove", "openrouter", "7", "--yes"], "", 1, "no key '7'"),
        (["model", "choose", "nowhere", "m"], "", 1, "No provider 'nowhere'"),
        (["model", "choose", "ollama", " "], "", 2, "Which model"),
        (["model", "list", "openai"], "", 3, "OPENAI_API_KEY"),
        (["model", "test"], "", 3, "No model is set up"),
        (["model", "choose", "custom", "m", "--base-url", "not a url"], "", 2, "--base-url has to be an address"),
        (["fallback", "add", "custom", "m", "--base-url", "localhost:1"], "", 2, "--base-url has to be an address"),
        (["fallback", "add", "nowhere", "m"], "", 1, "No provider 'nowhere'"),
        (["fallback", "remove", "1"], "", 1, "No fallback '1'"),
    ],
)
def test_a_mistake_gets_one_line(hermes: Hermes, arguments: list[str], typed: str, code: int, told: str) -> None:
    assert told in refused(hermes(*arguments, answer=typed), code)


def test_a_damaged_pool_is_told_in_one_line_and_left_alone(hermes: Hermes, hermes_home: Path) -> None:
    hermes_home.mkdir()
    paths.credentials_file().write_text("{broken")
    assert "is damaged" in refused(hermes("auth", "list"), 2)
    assert "is damaged" in refused(hermes("auth", "add", "openrouter", answer=KEY), 2)
    assert paths.credentials_file().read_text() == "{broken"


# -- models


def test_a_key_in_the_file_is_not_sent_to_another_provider(hermes: Hermes, server: Scripted) -> None:
    custom(hermes, server)
    hermes("config", "set", "model.api_key", KEY)
    line = refused(hermes("model", "choose", "ollama", "qwen3"), 2)
    assert "hermes config unset model.api_key" in line
    assert KEY not in line


def test_what_belongs_to_the_provider_before_goes_and_is_told(hermes: Hermes, server: Scripted) -> None:
    custom(hermes, server)
    done = hermes("model", "choose", "ollama", "qwen3")
    assert "model.base_url was for custom" in done.err
    assert "127.0.0.1:11434" in hermes("model", "test").err


def test_a_test_that_fails_says_why(hermes: Hermes, server: Scripted) -> None:
    custom(hermes, server)
    Pool().add("custom", KEY)
    server.add(Fail(401, f"bad key {KEY}"), Fail(404, "no such model"))
    line = refused(hermes("model", "test"), 3)
    assert "custom refuses the key (401" in line
    assert KEY not in line
    assert "no such model" in refused(hermes("model", "test"), 3)


def test_a_server_that_is_not_there_is_named_with_what_to_do(hermes: Hermes) -> None:
    with Scripted() as server:
        address = server.url
    hermes("model", "choose", "custom", "m", "--base-url", address.replace("://", "://me:secret@") + "?key=secret")
    line = refused(hermes("model", "test"), 3)
    assert f"custom cannot be reached at {address} (Connection refused); is the server running" in line
    assert line.endswith("`hermes model test` tries it.")
    assert "secret" not in line


def test_a_second_try_that_comes_at_once_is_not_announced_in_0_seconds(hermes: Hermes, server: Scripted) -> None:
    custom(hermes, server)
    server.add(Fail(503, "busy"))
    done = hermes("-z", "hi")
    assert (done.code, done.out) == (0, "OK\n")
    assert done.err == "hermes: custom has trouble (503: busy). Trying again.\n"


def test_a_fallback_is_there_once(hermes: Hermes) -> None:
    assert hermes("fallback", "add", "ollama", "qwen3").code == 0
    assert "already" in refused(hermes("fallback", "add", "ollama", "qwen3"), 2)
    assert hermes("fallback", "clear", answer="n\n").code in (0, 1)
    assert [json.loads(line)["model"] for line in hermes("fallback", "list", "--json").lines] == ["qwen3"]
