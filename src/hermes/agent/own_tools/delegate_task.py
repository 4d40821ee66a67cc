"""delegate_task: work that is done by child agents, one or several at once; their answers come back."""

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from hermes.agent.conversation import Conversation
from hermes.agent.own_tools.children import Children, Outcome, Task
from hermes.agent.setup import Setup
from hermes.errors import HermesError, ToolError
from hermes.tools.base import ToolResult
from hermes.tools.registry import Handler
from hermes.tools.toolsets import resolve
from hermes.tools.work import Work

_MOST = 20


def make(setup: Setup, conversation: Conversation) -> Handler:
    return partial(delegate, Children(setup, conversation))


def delegate(children: Children, arguments: dict[str, Any], work: Work) -> ToolResult:
    tasks = _tasks(arguments)
    outcomes: list[Outcome] = [Outcome("", "failed", "", 0.0)] * len(tasks)

    def do(number: int, task: Task) -> None:
        try:
            outcomes[number] = children.work_on(task, work)
        except HermesError as error:
            outcomes[number] = Outcome("", "failed", str(error), 0.0)

    threads = [threading.Thread(target=do, args=one, name="hermes-delegation", daemon=True) for one in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()  # bounded: a child has its time, and an interrupt reaches it
    return ToolResult(_told(tasks, outcomes), ok=any(outcome.ok for outcome in outcomes))


def _tasks(arguments: dict[str, Any]) -> list[Task]:
    given = arguments.get("tasks") or [arguments]
    if len(given) > _MOST:
        raise ToolError(f"At most {_MOST} tasks at a time; join some of them.")
    return [_task(one, arguments) for one in given]


def _task(one: Any, common: dict[str, Any]) -> Task:
    """What is said for all tasks holds for each that says nothing else."""
    if not isinstance(one, dict) or not str(one.get("goal") or "").strip():
        raise ToolError("A task needs a goal: what is to be done, and what the answer should hold.")
    toolsets = one.get("toolsets") or common.get("toolsets") or ()
    if not isinstance(toolsets, list | tuple):
        raise ToolError("toolsets is a list of names.")
    resolve(map(str, toolsets))  # an unknown name is told before anything begins
    context = str(one.get("context") or common.get("context") or "").strip()
    return Task(str(one["goal"]).strip(), context, [str(name) for name in toolsets])


def _told(tasks: Sequence[Task], outcomes: Sequence[Outcome]) -> str:
    if len(tasks) == 1:
        return _one(outcomes[0])
    parts = (
        f"## {number}. {task.goal[:100]}\n{_one(outcome)}"
        for number, (task, outcome) in enumerate(zip(tasks, outcomes, strict=True), 1)
    )
    return "\n\n".join(parts)


def _one(outcome: Outcome) -> str:
    """The answer, and under it what became of the child."""
    cost = f", ${outcome.cost:.4f}" if outcome.cost else ""
    how = "" if outcome.ok else f", not finished ({outcome.reason})"
    about = f"[session {outcome.session_id or 'none'}, {outcome.seconds:.0f} s, {outcome.tokens:,} tokens{cost}{how}]"
    return f"{outcome.text or '(no answer)'}\n{about}"
