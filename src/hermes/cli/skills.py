"""`hermes skills …`"""

import argparse

from hermes import paths
from hermes.cli.answer import add_json, add_yes, without_store
from hermes.cli.parsing import Command
from hermes.commands.reply import Reply

_HERE = "hermes.cli.skills"
ACTIONS = {
    "list": (_HERE, "every skill: what it is for, and where it comes from"),
    "show": (_HERE, "one skill, with its text and what it lacks"),
    "new": (_HERE, "begin a skill of your own"),
    "check": (_HERE, "what is wrong with skills, by file and line"),
    "install": (_HERE, "take a skill from a folder, an archive or a git URL"),
    "remove": (_HERE, "take a skill of yours out"),
}


def add_skills(command: Command) -> None:
    command.examples("hermes skills list", "hermes skills show weekly-review", "hermes skills install ./my-skill")
    command.add_commands(ACTIONS, "ACTION")


def add_list(command: Command) -> None:
    command.examples("hermes skills list", "hermes skills list pull request", "hermes skills list --category research")
    command.add_argument("words", metavar="WORD", nargs="*", help="only those that have all of these words")
    command.add_argument("--category", metavar="NAME", default="", help="only those of one category")
    add_json(command)
    without_store(command, _list)


def _list(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import listed

    return listed(paths.hermes_home(), " ".join(arguments.words), arguments.category)


def add_show(command: Command) -> None:
    command.examples("hermes skills show weekly-review", "hermes skills show weekly-review --json")
    command.add_argument("name", metavar="NAME", help="the name of a skill")
    add_json(command, "one JSON object")
    without_store(command, _show)


def _show(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import show

    return show(paths.hermes_home(), arguments.name)


def add_new(command: Command) -> None:
    command.examples("hermes skills new water-the-plants", "hermes skills new release-notes --category productivity")
    command.add_argument("name", metavar="NAME", help="small letters, digits and dashes")
    command.add_argument("--category", metavar="NAME", default="", help="the folder it goes to (default: general)")
    command.add_argument("--description", metavar="TEXT", default="", help="when to use it")
    command.add_argument("--author", metavar="NAME", default="me", help="who wrote it (default: me)")
    add_json(command, "the path of the new file")
    without_store(command, _new)


def _new(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import new

    home = paths.hermes_home()
    return new(home, arguments.name, arguments.category, arguments.description, arguments.author)


def add_check(command: Command) -> None:
    command.examples(
        "hermes skills check", "hermes skills check weekly-review", "hermes skills check ./my-skill --json"
    )
    command.add_argument("target", metavar="SKILL", nargs="?", default="", help="a skill or a folder; all without one")
    add_json(command)
    without_store(command, _check)


def _check(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import check

    return check(paths.hermes_home(), arguments.target)


def add_install(command: Command) -> None:
    command.examples(
        "hermes skills install ./my-skill",
        "hermes skills install skills.tar.gz --only weekly-review",
        "hermes skills install https://example.com/skills.git --category research",
    )
    command.add_argument("source", metavar="SOURCE", help="a folder, an archive (zip, tar) or a git URL")
    command.add_argument("--only", metavar="NAME", action="append", default=[], help="this skill of several")
    command.add_argument("--category", metavar="NAME", default="", help="the folder it goes to (default: general)")
    add_yes(command)
    add_json(command, "the path of each new folder")
    without_store(command, _install)


def _install(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import add

    home = paths.hermes_home()
    return add(home, arguments.source, only=arguments.only, category=arguments.category, yes=arguments.yes)


def add_remove(command: Command) -> None:
    command.examples("hermes skills remove water-the-plants", "hermes skills remove water-the-plants --yes")
    command.add_argument("name", metavar="NAME", help="the name of a skill")
    add_yes(command)
    add_json(command, "where it is until the next one of this name goes")
    without_store(command, _remove)


def _remove(arguments: argparse.Namespace) -> Reply:
    from hermes.commands.skills import remove

    return remove(paths.hermes_home(), arguments.name, yes=arguments.yes)
