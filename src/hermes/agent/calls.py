"""Tool calls, each in a thread of its own, with the hooks around them."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from hermes.agent.base import Hooks
from hermes.agent.turn import Answered, Call
from hermes.tools.base import ToolContext, ToolResult, Tools

log = logging.getLogger(__name__)


def start_calls(
    tools: Tools, hooks: Hooks, calls: Sequence[Call], context: ToolContext, put: Callable[[Any], None]
) -> None:
    """Run the calls beside each other; `put` hears of each when it is done."""
    for call in calls:
        own = context._replace(call_id=call.call_id)
        name = f"hermes-tool-{call.name}"
        threading.Thread(target=_run, args=(tools, hooks, call, own, put), name=name, daemon=True).start()


def _run(tools: Tools, hooks: Hooks, call: Call, context: ToolContext, put: Callable[[Any], None]) -> None:
    began = time.monotonic()
    try:
        result = _with_hooks(tools, hooks, call, context)
    except Exception as error:  # the edge to a tool, which may be a plugin's
        log.exception("tool %s failed in a way it should not", call.name)
        result = ToolResult(f"{call.name} failed: {type(error).__name__}: {error}", ok=False)
    put(Answered(call.call_id, result, time.monotonic() - began))


def _with_hooks(tools: Tools, hooks: Hooks, call: Call, context: ToolContext) -> ToolResult:
    facts = {"tool_name": call.name, "args": call.arguments, "call_id": call.call_id, "session_id": context.session_id}
    for answer in hooks.emit("pre_tool_call", **facts):
        if isinstance(answer, dict) and answer.get("action") == "block":
            return ToolResult(str(answer.get("message") or f"{call.name} was blocked by a plugin."), ok=False)
    result = tools.call(call.name, call.arguments, context)
    for answer in hooks.emit("transform_tool_result", result=result.content, **facts):
        if isinstance(answer, str):
            result = result._replace(content=answer)
    hooks.emit("post_tool_call", result=result.content, ok=result.ok, **facts)
    return result
