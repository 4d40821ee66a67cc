"""The page on MCP servers: every command runs and prints what it says, with the server of the page."""

import re
import sys
from pathlib import Path
from shlex import split

import pytest

from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes

PAGE = GUIDES / "mcp.md"


def plain(text: str) -> list[str]:
    return re.sub(r"in \d+\.\d s", "in 0.9 s", text.replace(sys.executable, "python3")).splitlines()


def test_the_page_is_true(hermes: Hermes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [server] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    (tmp_path / "shop.py").write_text(server)
    found = list(examples(PAGE))
    assert len(found) == 7
    for example in found:
        program, *arguments = split(example.command.replace("python3", sys.executable))
        done = hermes(*arguments)
        assert (program, done.code, done.err) == ("hermes", 0, ""), example
        assert example.prints is not None
        shown = [re.sub(r"\s+", " ", line) for line in plain(done.out)]
        assert shown == [re.sub(r"\s+", " ", line) for line in example.prints], example
