"""`hermes` and `hermes chat`: the terminal.

options   what can be given on the command line       asking    one question, then leave: -q, -z, a pipe
opening   from the command line to an open chat        talking   a conversation: the recap, then one of these two
repl      the prompt, and everything around it         plain     line by line, for a terminal that can do little
early     the prompt before anything is loaded         keys, keyboard, completing, typed, bar, asked    parts of it
drawing   a turn as it is seen                         blocks, markdown, lines                 parts of it
"""

import argparse

from hermes.cli.chat.options import add_options
from hermes.cli.parsing import Command


def add_chat(command: Command) -> None:
    command.examples(
        "hermes chat",
        'hermes chat -q "What did we decide about the database?"',
        "hermes chat -c",
        'hermes chat -c "my project"',
    )
    add_options(command, again=True)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """One question, or a conversation."""
    import sys

    from hermes.cli.chat import asking

    typed = asking.question(arguments)
    if typed is not None:
        return asking.ask(arguments, typed)
    if not (sys.stdout and sys.stdout.isatty()):
        from hermes.errors import BadInput

        raise BadInput("A conversation needs a terminal; `hermes -q TEXT` asks one question without.")
    from hermes.cli.chat import talking

    return talking.talk(arguments)
