"""`hermes batch`: many prompts, each in a session of its own, some at once. What is done is done for good.

prompts   a file → prompts          results   what is known so far, safe on disk
running   the prompts that are left, each asked once
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hermes.agent.toolbox import refuse_unknown
from hermes.commands.batch.prompts import read_prompts
from hermes.commands.batch.results import Results
from hermes.commands.batch.running import Running
from hermes.commands.chat.chat import Wishes
from hermes.commands.extended import brought_by, plugins_here
from hermes.commands.reply import Reply, count, said
from hermes.config import Config
from hermes.errors import BadInput
from hermes.store import SessionDB

Draw = Callable[[int, int], None]
SOURCE = "batch"


class Plan(NamedTuple):
    """What is to be done: `out` is where the results go, `workers` how many prompts are under way at once."""

    file: Path
    out: Path | None = None
    workers: int = 4
    limit: int | None = None


def batch(
    db: SessionDB, config: Config, plan: Plan, wishes: Wishes = Wishes(), *, progress: Draw | None = None
) -> Reply:
    """Ask what was not answered yet, and write the results. Ctrl-C keeps what is done; the same command goes on."""
    if plan.workers < 1 or (plan.limit is not None and plan.limit < 0):
        raise BadInput("--workers is 1 or more, --limit 0 or more.")
    refuse_unknown(config, brought_by(plugins_here(config, wishes.cwd), config.settings))
    prompts = read_prompts(plan.file)
    with Results(plan.out or default_out(plan.file)) as results:
        left = [one for one in prompts if one.key not in results.answered][: plan.limit]
        known = sum(one.key in results.answered for one in prompts)
        running = Running(db, config, wishes._replace(source=SOURCE, titles_by_model=False), results)
        stopped = False
        try:
            running.run(left, plan.workers, progress)
        except KeyboardInterrupt:
            stopped = True
        finally:
            results.finish(prompts)
        return _reply(len(prompts), known, running, results, stopped=stopped)


def default_out(file: Path) -> Path:
    """`prompts.txt` → `prompts.results.jsonl`, beside it."""
    return file.with_name(f"{file.stem}.results.jsonl")


def _reply(total: int, known: int, running: Running, results: Results, *, stopped: bool) -> Reply:
    answered, failed = running.answered, len(running.failed)
    data = {"prompts": total, "answered": answered, "before": known, "failed": failed, "out": str(results.out)}
    before = f", {known:,} before" if known else ""
    lines = [f"{answered:,} of {count(total, 'prompt')} answered{before}; the results are in {results.out}."]
    if failed:
        lines.append(f"{failed:,} failed; the same command tries them again. The first: {running.failed[0]}")
    elif answered + known < total:
        lines.append("The same command goes on with the rest.")
    return said(*lines, data=data, exit_code=130 if stopped else 1 if failed else 0)
