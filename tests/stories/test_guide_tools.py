"""The guides to tools and approvals: their commands work, their claims about commands are true."""

import re
from collections.abc import Iterator
from pathlib import Path
from shlex import split

import pytest

from hermes.config import Settings
from hermes.tools.approvals.judge import Surroundings, judged
from hermes.tools.base import ToolContext
from hermes.tools.registry import Registry
from hermes.tools.work import Work, Workplace
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes

CLAIMS = re.compile(r"^```sh\n# (asked|not asked)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("page", "least"), [("tools.md", 12), ("approvals.md", 7)])
def test_every_command_of_the_guide_works(page: str, least: int, hermes: Hermes) -> None:
    found = list(examples(GUIDES / page))
    assert len(found) >= least
    for example in found:
        done = hermes(*split(example.command)[1:])
        assert (done.code, done.err) == (0, ""), example
        if example.prints is not None:
            assert done.lines == example.prints


def claims() -> Iterator[tuple[str, bool]]:
    for kind, text in CLAIMS.findall((GUIDES / "approvals.md").read_text()):
        yield from ((line, kind == "asked") for line in text.splitlines())


def test_the_guide_has_many_claims() -> None:
    found = list(claims())
    assert sum(asked for _, asked in found) >= 20
    assert sum(not asked for _, asked in found) >= 8


@pytest.mark.parametrize(("command", "asked"), list(claims()))
def test_what_the_guide_says_of_a_command_is_true(tmp_path: Path, command: str, asked: bool) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "build").mkdir()
    verdict = judged(command, Surroundings(tmp_path, tmp_path, {"HOME": "/home/me"}))
    assert bool(verdict.reasons) is asked, verdict.reasons


def test_the_tool_of_the_guide_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hermes.tools import registry as module

    own = Registry({})
    monkeypatch.setattr(module, "registry", own)
    (code,) = re.findall(r"^```python\n(.*?)^```$", (GUIDES / "tools.md").read_text(), re.DOTALL | re.MULTILINE)
    exec(code, {"__name__": "mine"})  # the example as it stands on the page
    place = Workplace(Settings(), {}, tmp_path)
    context = ToolContext("s", "c", "local", "cli", lambda: False, lambda question, choices: None)
    assert own.dispatch("roll_dice", '{"sides": "2"}', Work(context, place)).content in ("1", "2")
    assert own.get_definitions(["roll_dice"], place)[0]["function"]["description"] == "Roll a die."
