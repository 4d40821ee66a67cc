"""What is loaded before the first prompt, and before an answer."""

import subprocess
import sys

HEAVY = {
    "prompt_toolkit",
    "rich",
    "textual",
    "apsw",
    "httpx2",
    "yaml",
    "asyncio",
    "hermes.agent.agent",
    "hermes.store.db",
}


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(done.stdout.splitlines())


def test_nothing_heavy_is_loaded_before_the_first_prompt() -> None:
    loaded = loaded_by("import hermes.cli.main, hermes.cli.chat, hermes.cli.chat.asking, hermes.cli.chat.talking")
    assert "hermes.cli.chat.early" in loaded
    assert not HEAVY & loaded


def test_one_question_loads_neither_the_prompt_nor_what_draws_markdown() -> None:
    loaded = loaded_by("from hermes.cli.main import run\nrun(['-z', 'hello there'])")
    assert "hermes.agent.agent" in loaded
    assert not {"prompt_toolkit", "rich", "textual", "asyncio", "hermes.cli.chat.repl"} & loaded
