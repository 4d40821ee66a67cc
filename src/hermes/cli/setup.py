"""setup: three questions, each of which can be skipped; options answer them beforehand."""

import argparse
import sys
from pathlib import Path

from hermes import paths
from hermes.cli.answer import add_json, screen
from hermes.cli.parsing import Command
from hermes.cli.screen import write
from hermes.errors import BadInput


def add_setup(command: Command) -> None:
    command.description = (
        "A short guided start: where things are kept, who answers, with which key and model. Return skips a question; "
        "nothing of it is needed to look after sessions. Without a terminal nothing is asked."
    )
    command.examples(
        "hermes setup",
        "hermes setup --provider openrouter --model anthropic/claude-sonnet-4.6 --key-stdin < key.txt",
        "hermes setup --home ~/work/.hermes --no-input",
    )
    command.add_argument("--home", type=Path, metavar="FOLDER", help="the home to set up (default: the one in use)")
    command.add_argument("--provider", default="", metavar="NAME", help="who answers, such as openrouter or ollama")
    command.add_argument("--model", default="", metavar="MODEL", help="the model that answers")
    command.add_argument("--key-stdin", action="store_true", help="read the provider's key from the input")
    command.add_argument("--no-input", action="store_true", help="ask nothing")
    add_json(command, "one JSON object")
    command.set_defaults(run=_setup)


def _setup(arguments: argparse.Namespace) -> int:
    from hermes.commands.setup import set_up

    home = (arguments.home or paths.hermes_home()).expanduser().absolute()
    provider, model, key = arguments.provider, arguments.model, ""
    if arguments.key_stdin:
        key = sys.stdin.readline().strip() if sys.stdin is not None else ""
        if not key:
            raise BadInput("No key came; --key-stdin reads it from the input.")
    elif not arguments.no_input and not arguments.json and _is_answered():
        provider, key, model = _ask(home, provider, model)
    return screen(arguments).show(set_up(home, provider=provider, key=key, model=model))


def _is_answered() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(home: Path, provider: str, model: str) -> tuple[str, str, str]:
    from getpass import getpass

    from hermes.commands.extended import load_extended
    from hermes.commands.setup import key_name
    from hermes.providers.presets import PRESETS

    load_extended(home)

    write(sys.stderr, f"Everything is kept in {home}. Return skips a question.\n\n")
    if not provider:
        for name, preset in PRESETS.items():
            write(sys.stderr, f"  {name:<14} {preset.about}\n")
        provider = _answer("Who answers")
        if provider and provider not in PRESETS:
            raise BadInput(f"No provider '{provider}'; there are {', '.join(PRESETS)}. Nothing was changed.")
    key = getpass(f"{key_name(provider)} (not shown): ").strip() if key_name(provider) else ""
    usual = PRESETS[provider].model if provider in PRESETS else ""
    return provider, key, model or _answer(f"Model{f' (usually {usual})' if usual else ''}")


def _answer(question: str) -> str:
    write(sys.stderr, f"{question}: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()
