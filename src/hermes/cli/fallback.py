"""`hermes fallback …`"""

from hermes import paths
from hermes.cli.answer import add_json, add_yes, without_store
from hermes.cli.parsing import Command
from hermes.commands import fallbacks

_HERE = "hermes.cli.fallback"
ACTIONS = {
    "list": (_HERE, "the models to go on with, in order"),
    "add": (_HERE, "add a model behind the others"),
    "remove": (_HERE, "take one out"),
    "clear": (_HERE, "take all of them out"),
}


def add_fallback(command: Command) -> None:
    command.examples(
        "hermes fallback list", "hermes fallback add anthropic claude-haiku-4-5", "hermes fallback remove 1"
    )
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes fallback list")
    add_json(command)
    without_store(command, lambda _: fallbacks.list_fallbacks(paths.hermes_home()))


def add_add(command: Command) -> None:
    command.examples(
        "hermes fallback add anthropic claude-haiku-4-5",
        "hermes fallback add custom my-model --base-url http://127.0.0.1:8000/v1 --key-env MY_KEY",
    )
    command.add_argument("provider", metavar="PROVIDER", help="who serves it")
    command.add_argument("model", metavar="MODEL", help="the model, as the provider calls it")
    command.add_argument(
        "--base-url", metavar="URL", default="", help="the endpoint, where it is not the provider's own"
    )
    command.add_argument("--key-env", metavar="NAME", default="", help="the variable that holds the key")
    add_json(command, "one JSON object")
    without_store(
        command,
        lambda a: fallbacks.add(paths.hermes_home(), a.provider, a.model, base_url=a.base_url, key_env=a.key_env),
    )


def add_remove(command: Command) -> None:
    command.examples("hermes fallback remove 1", "hermes fallback remove claude-haiku-4-5")
    command.add_argument("which", metavar="FALLBACK", help="its number, or the name of its model")
    add_json(command, "one JSON object")
    without_store(command, lambda a: fallbacks.remove(paths.hermes_home(), a.which))


def add_clear(command: Command) -> None:
    command.examples("hermes fallback clear", "hermes fallback clear --yes")
    add_yes(command)
    add_json(command, "one JSON object")
    without_store(command, lambda a: fallbacks.clear(paths.hermes_home(), yes=a.yes))
