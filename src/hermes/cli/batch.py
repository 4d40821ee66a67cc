"""batch."""

import argparse
from pathlib import Path

from hermes.cli.answer import add_json, screen
from hermes.cli.parsing import Command


def add_batch(command: Command) -> None:
    command.description = (
        "Ask many prompts, each in a session of its own (source: batch), and write the answers to a file as JSON, one "
        "object a line. The prompts are lines of a file, or JSON objects with `prompt` and, if wanted, `id`. Stop it "
        "whenever you like: the same command goes on, and asks nothing twice."
    )
    command.examples(
        "hermes batch prompts.txt",
        "hermes batch questions.jsonl --out answers.jsonl --workers 8",
        "hermes batch prompts.txt --model openai/gpt-5 --toolsets web,file --limit 10",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="the prompts")
    command.add_argument("--out", type=Path, metavar="FILE", help="the results (default: FILE.results.jsonl)")
    command.add_argument("--workers", type=int, default=4, metavar="N", help="prompts under way at once (default: 4)")
    command.add_argument("--limit", type=int, metavar="N", help="ask no more than this many, this time")
    kept = argparse.SUPPRESS  # what was given before the command's name stays
    command.add_argument("-m", "--model", default=kept, metavar="MODEL", help="the model to answer")
    command.add_argument("--provider", default=kept, metavar="NAME", help="who serves it")
    command.add_argument("-t", "--toolsets", default=kept, metavar="NAMES", help="the toolsets, separated by commas")
    command.add_argument("--yolo", default=kept, action="store_true", help="run dangerous commands without asking")
    add_json(command, "one JSON object")
    command.set_defaults(run=_batch)


def _batch(arguments: argparse.Namespace) -> int:
    from hermes.cli.chat.opening import configured, opened
    from hermes.cli.progress import progress
    from hermes.commands.batch import Plan, batch
    from hermes.commands.chat.chat import Wishes

    config = configured(arguments)
    plan = Plan(arguments.file, arguments.out, arguments.workers, arguments.limit)
    wishes = Wishes(arguments.model or "", arguments.provider or "", Path.cwd(), yolo=bool(arguments.yolo))
    with opened(config) as db, progress("asking") as draw:
        reply = batch(db, config, plan, wishes, progress=draw)
    return screen(arguments).show(reply)
