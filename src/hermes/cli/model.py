"""`hermes model …`"""

import argparse
from pathlib import Path

from hermes import paths
from hermes.cli.answer import add_json, without_store
from hermes.cli.parsing import Command
from hermes.commands import models
from hermes.commands.reply import Reply

_HERE = "hermes.cli.model"
ACTIONS = {
    "list": (_HERE, "who could answer, and the models they offer"),
    "choose": (_HERE, "say which model answers"),
    "test": (_HERE, "ask the model for one word"),
    "serve": (_HERE, "run a small model on this machine"),
}


def add_model(command: Command) -> None:
    command.examples(
        "hermes model list", "hermes model choose openrouter anthropic/claude-sonnet-4.6", "hermes model test"
    )
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes model list", "hermes model list openrouter")
    command.add_argument("provider", metavar="PROVIDER", nargs="?", help="the models of this provider")
    add_json(command)
    without_store(command, _list)


def _list(arguments: argparse.Namespace) -> Reply:
    home = paths.hermes_home()
    return models.list_models(home, arguments.provider) if arguments.provider else models.list_providers(home)


def add_choose(command: Command) -> None:
    command.examples(
        "hermes model choose openrouter anthropic/claude-sonnet-4.6",
        "hermes model choose ollama qwen3:8b",
        "hermes model choose custom my-model --base-url http://127.0.0.1:8000/v1",
    )
    command.add_argument("provider", metavar="PROVIDER", help="who serves it; auto goes by the keys there are")
    command.add_argument("model", metavar="MODEL", help="the model, as the provider calls it")
    command.add_argument(
        "--base-url", metavar="URL", default="", help="the endpoint, where it is not the provider's own"
    )
    add_json(command, "one JSON object")
    without_store(command, lambda a: models.choose(paths.hermes_home(), a.provider, a.model, a.base_url))


def add_test(command: Command) -> None:
    command.examples("hermes model test", "hermes model test --provider ollama --model qwen3:8b")
    command.add_argument("--provider", metavar="NAME", help="this one instead of the one in the settings")
    command.add_argument("--model", "-m", metavar="NAME", help="this one instead of the one in the settings")
    add_json(command, "one JSON object")
    without_store(command, lambda a: models.test(paths.hermes_home(), a.provider, a.model))


def add_serve(command: Command) -> None:
    command.examples("hermes model serve", "hermes model serve --file ~/models/qwen3-4b.gguf --port 9000")
    command.add_argument("--file", metavar="FILE", type=Path, help="the model, in GGUF form (default: SmolLM2)")
    command.add_argument("--port", metavar="N", type=int, default=8427, help="where it listens (default: 8427)")
    without_store(command, lambda a: models.serve(a.file, a.port))
