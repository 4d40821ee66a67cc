"""The pages on the web and on references: every command runs and prints what it says."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shlex import split

import pytest

from hermes import paths
from hermes.agent.references import KINDS
from hermes.tools.registry import registry
from hermes.tools.web.engines import ENGINES
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes

WEB, REFERENCES = GUIDES / "web.md", GUIDES / "references.md"


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hermes:
    monkeypatch.chdir(tmp_path)
    return Hermes(capsys, monkeypatch)


def is_true(page: Path, hermes: Hermes, number: int) -> None:
    found = list(examples(page))
    assert len(found) == number
    for example in found:
        program, *arguments = split(example.command)
        registry.forget_checks()
        done = hermes(*arguments)
        assert (program, done.code) == ("hermes", 0), (example, done)
        shown = (done.out + done.err).replace(str(paths.hermes_home()), "~/.hermes")
        assert shown.splitlines() == example.prints, example


def test_the_page_on_the_web_is_true(hermes: Hermes) -> None:
    is_true(WEB, hermes, 6)


def test_the_page_names_every_engine_in_the_order_they_are_chosen() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (yes|) ?\|$", WEB.read_text(), re.MULTILINE)
    expected = [(name, engine.key, engine.read is not None) for name, engine in ENGINES.items()]
    assert [
        (name, (re.findall(r"`(\w+)`", needs) or [""])[0], reads == "yes") for name, needs, reads in rows
    ] == expected


def test_the_page_names_every_reference() -> None:
    named = re.findall(r"^\| `@(\w+)", REFERENCES.read_text(), re.MULTILINE)
    assert set(named) == set(KINDS)


def test_the_page_on_references_is_true(hermes: Hermes, tmp_path: Path, hermes_home: Path) -> None:
    source = tmp_path / "src" / "sum.py"
    source.parent.mkdir()
    source.write_text("\ndef total(a, b):\n    return a - b\n")
    (tmp_path / "my notes.md").write_text("The sum is wrong.\n")
    (tmp_path / ".env").write_text("KEY=1\n")
    for command in ("init -q", "add src", "-c user.name=A -c user.email=a@b -c commit.gpgsign=false commit -q -m x"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    with Scripted(otherwise=answer(source)) as server:
        hermes_home.mkdir(exist_ok=True)
        settings = f"model: {{provider: custom, default: scripted, base_url: '{server.url}'}}\ntoolsets: [todo]\n"
        (hermes_home / "config.yaml").write_text(settings)
        is_true(REFERENCES, hermes, 4)


def answer(source: Path) -> Callable[[Sent], Say]:
    """What the model says to what it was sent; after the first answer the person mends the file."""

    def say(sent: Sent) -> Say:
        content = str(sent.messages[-1]["content"])
        if "2|def total(a, b):\n3|    return a - b\n</attached>" in content:
            source.write_text("\ndef total(a, b):\n    return a + b\n")
            return Say("Line 3 subtracts.")
        if "The sum is wrong." in content:
            return Say("That the sum is wrong.")
        if "-    return a - b\n+    return a + b\n" in content:
            return Say("It does: line 3 adds now.")
        assert "KEY=1" not in content
        return Say("I cannot see it.")

    return say
