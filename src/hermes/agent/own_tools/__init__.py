"""Tools that belong to the conversation itself: made for one agent and run in its loop, never by the registry.

told             what the model is told of them
session_search   what was said in earlier sessions · windows, summaries
todo             the list of what is to be done
clarify          a question to the person
delegate_task    child agents · children
"""

import threading
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hermes.agent.own_tools.told import ABOUT, REQUIRED, parameters
from hermes.tools.registry import Handler, Tool, function

if TYPE_CHECKING:
    from hermes.agent.conversation import Conversation
    from hermes.agent.setup import Setup
    from hermes.tools.work import Work, Workplace

NAMES = tuple(ABOUT)
_KNOWN: dict[str, dict[str, Any]] = {
    "session_search": {"toolset": "session_search", "beside": True, "seconds": 60.0, "whole": True},
    "todo": {"toolset": "todo", "whole": True},
    "clarify": {"toolset": "clarify", "seconds": None},
    "delegate_task": {"toolset": "delegation", "beside": True, "seconds": None},
}


def own_tools(names: Iterable[str], setup: "Setup", conversation: "Conversation") -> list[Tool]:
    """Those of the tools that are wanted, for this conversation."""
    return [_made(name, setup, conversation) for name in names if name in NAMES]


def _made(name: str, setup: "Setup", conversation: "Conversation") -> Tool:
    schema = function(name, ABOUT[name], parameters(name, setup.settings), REQUIRED.get(name, ()))
    check = _too_deep(setup) if name == "delegate_task" else None
    return Tool(name, schema=schema, handler=_when_called(name, setup, conversation), check=check, **_KNOWN[name])


def _when_called(name: str, setup: "Setup", conversation: "Conversation") -> Handler:
    """What the tool does is loaded, and made, with its first call."""
    lock, made = threading.Lock(), list[Handler]()

    def handle(arguments: dict[str, Any], work: "Work") -> Any:
        with lock:
            if not made:
                made.append(import_module(f"{__name__}.{name}").make(setup, conversation))
        return made[0](arguments, work)

    return handle


def _too_deep(setup: "Setup") -> "Callable[[Workplace], str | None]":
    too_deep = setup.depth >= setup.settings.delegation.max_spawn_depth
    told = "a child this deep has no children of its own (delegation.max_spawn_depth)" if too_deep else None
    return lambda place: told
