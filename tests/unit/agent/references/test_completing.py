"""Completion of references."""

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from hermes.agent.references import KINDS, completions
from hermes.cli.chat.completing import SlashCompleter


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    for name in ("src/x.py", "src/xy.py", "my notes.md", ".hidden", ".env", "server.key"):
        (folder / name).touch()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("@", ["@file:", "@folder:", "@diff", "@staged", "@git:", "@url:"]),
        ("@fi", ["@file:"]),
        ("@file:", ['@file:"my notes.md"', "@file:src/"]),
        ("@file:src/x", ["@file:src/x.py", "@file:src/xy.py"]),
        ('@file:"my', ['@file:"my notes.md"']),
        ("@file:.", ["@file:.hidden"]),
        ("@folder:", ["@folder:src/"]),
        ("@file:nowhere/", []),
        ("@git:", []),
        ("@url:https://", []),
        ("@nobody", []),
        ("file", []),
    ],
)
def test_a_reference_is_completed(word: str, expected: list[str], project: Path) -> None:
    assert [text for text, _ in completions(word, project)] == expected


def test_every_kind_has_a_remark() -> None:
    assert [about for _, about in completions("@", Path("."))] == list(KINDS.values())


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("look at @sta", "look at @staged"),
        ("and @file:src/xy", "and @file:src/xy.py"),
        ('and @file:"my n', 'and @file:"my notes.md"'),
    ],
)
def test_the_prompt_completes_references_anywhere_in_a_message(typed: str, becomes: str, project: Path) -> None:
    [found] = SlashCompleter(lambda: None).get_completions(Document(typed), CompleteEvent())
    assert typed[: len(typed) + found.start_position] + found.text == becomes
