"""The 14 events a plugin can listen to. A callback gets the values by name, and only those it has parameters for.

Callbacks run one after the other, in the order of the plugins; what they return counts only where it says so here. One
that raises, or takes longer than five seconds, is logged with its plugin and left out: what it would have returned is
missing, and a text it would have changed stays as it is. After the third time the whole plugin hears of nothing more in
this process. The turn goes on either way.

A guard is the exception. `ctx.register_hook("pre_tool_call", check, guard=True)` marks a callback whose silence is no
yes: a call it could not look at does not run, and the model and the person read why. After the third failure no call
runs, until the plugin is repaired or switched off. `guard: true` in plugin.yaml says the same of a plugin whose code
cannot even be loaded. The turn goes on here too, without the tool.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def pre_tool_call(tool_name: str, args: str, call_id: str, session_id: str) -> dict[str, str] | None:
    """Before a tool runs. `{"action": "block", "message": …}` keeps it from running; the model reads the message."""


def post_tool_call(tool_name: str, args: str, call_id: str, session_id: str, result: Any, ok: bool) -> None:
    """After a tool ran, with what the model gets to read."""


def pre_llm_call(session_id: str, text: str) -> dict[str, str] | str | None:
    """A turn begins with the person's message. A text, or `{"context": text}`, goes to the model along with it, fenced
    as data, and is not stored."""


def post_llm_call(session_id: str, reason: str, text: str) -> None:
    """A turn ended: `reason` is answered, interrupted, iterations, tokens, time, cost or failed."""


def pre_api_request(session_id: str, provider: str, model: str, messages: Sequence[Mapping[str, Any]]) -> None:
    """Before each model call, with what is sent. Changing it changes nothing."""


def post_api_request(session_id: str, message: Mapping[str, Any], usage: Any) -> None:
    """After each model call, with the answer and what it used (`hermes.model.usage.Usage`)."""


def transform_terminal_output(command: str, output: str) -> str | None:
    """The output of a terminal command, before it is cut to size. A text takes its place; the last plugin's counts."""


def transform_tool_result(tool_name: str, args: str, call_id: str, session_id: str, result: Any) -> str | None:
    """The result of any tool, before the model and the store get it. A text takes its place."""


def on_session_start(session_id: str, resumed: bool) -> None:
    """The first message of this front end goes into a session, a new one or one that is resumed."""


def on_session_end(session_id: str, reason: str) -> None:
    """The conversation is left: user_exit, new_session, subagent_stop …"""


def on_session_finalize(session_id: str, next_session_id: str = "") -> None:
    """Nothing more goes into this session from here; after a compression the next one goes on with it."""


def on_session_reset(session_id: str) -> None:
    """A front end begins a new session in the place of this one."""


def subagent_stop(session_id: str, child_session_id: str, goal: str, reason: str, text: str) -> None:
    """A child agent is done."""


def on_memory_write(action: str, target: str, content: str, session_id: str) -> None:
    """The agent added, replaced or removed a note."""


GUARDED = "pre_tool_call"
HOOKS: Mapping[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        pre_tool_call,
        post_tool_call,
        pre_llm_call,
        post_llm_call,
        pre_api_request,
        post_api_request,
        transform_terminal_output,
        transform_tool_result,
        on_session_start,
        on_session_end,
        on_session_finalize,
        on_session_reset,
        subagent_stop,
        on_memory_write,
    )
}
