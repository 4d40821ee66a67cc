"""The page on the gateway: every command of it runs, and prints what it says."""

import os
import re
import subprocess
from pathlib import Path
from shlex import quote

import pytest
import yaml

from tests.servers.platform import configured
from tests.servers.scripted import Say, Scripted
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import PROGRAM

PAGE = GUIDES / "gateway.md"


def in_a_shell(command: str, port: str) -> list[str]:
    typed = command.replace("8642", port)
    typed = re.sub(r"^hermes ", lambda _: f"{' '.join(map(quote, PROGRAM))} ", typed)
    done = subprocess.run(
        ["sh", "-c", typed], capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL, env={**os.environ}
    )
    return (done.stdout + done.stderr).splitlines()


def plain(lines: list[str]) -> list[str]:
    """Without numbers that differ: processes, ports, ids, dates."""
    masked = (re.sub(r"process \d+|port \d+|(?<=[Jj]ob )[0-9a-f]{6}|\d{4}-\d\d-\d\d", "#", line) for line in lines)
    return [re.sub(r"\s+", " ", line).strip() for line in masked]


def test_the_page_is_true(hermes_home: Path, free_port: str) -> None:
    with Scripted(otherwise=Say("Eight.")) as model:
        platforms = {"api-server": {"port": int(free_port)}}
        configured(hermes_home, model, platforms=platforms, platform_toolsets={"api-server": [], "cron": []})
        found = [example for example in examples(PAGE) if example.prints is not None]
        assert len(found) == 11
        for example in found:
            if "sessions list" in example.command:
                assert "How many legs" in in_a_shell(example.command, free_port)[2]
                continue
            assert plain(in_a_shell(example.command, free_port)) == plain(example.prints or []), example


def test_every_setting_of_the_page_exists(hermes_home: Path) -> None:
    from hermes.config import load

    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 6
    hermes_home.mkdir(parents=True)
    for block in blocks:
        (hermes_home / "config.yaml").write_text(block)
        (hermes_home / ".env").write_text("ALICE_KEY=a\nBOB_KEY=b\nCI_SECRET=c\n")
        assert yaml.safe_load(block) and load().warnings == []


@pytest.fixture
def free_port() -> str:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])
