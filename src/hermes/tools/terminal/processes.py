"""process: look after what `terminal` left running."""

from typing import Any

from hermes.errors import ToolError
from hermes.tools.registry import text, tool
from hermes.tools.terminal.background import Process, processes_of
from hermes.tools.terminal.commands import needs_bash
from hermes.tools.work import Work


@tool(
    "process",
    toolset="terminal",
    parameters={
        "action": {"type": "string", "enum": ["list", "poll", "log", "wait", "kill"]},
        "id": text(),
        "timeout": {"type": "integer", "default": 30, "minimum": 1, "maximum": 600},
    },
    required=("action",),
    check=needs_bash,
    seconds=None,
)
def process(arguments: dict[str, Any], work: Work) -> str:
    """Background processes: list; poll (state and new output), log (all of it), wait (for its end), kill."""
    known, action = processes_of(work.place), arguments["action"]
    if action == "list":
        lines = [f"{one.name}: {one.state}: {one.command[:200]}" for one in known.all()]
        return "\n".join(lines) or "No background processes."
    if not arguments.get("id"):
        raise ToolError(f"{action} needs an id; action=list shows them.")
    one = known.get(arguments["id"])
    return _done(action, one, arguments["timeout"], work)


def _done(action: str, one: Process, seconds: int, work: Work) -> str:
    if action == "wait":
        one.wait(seconds, work)
    elif action == "kill":
        one.kill()
    said = one.output.text() if action == "log" else one.news()
    return f"{one.name}: {one.state}\n{said}".rstrip()
