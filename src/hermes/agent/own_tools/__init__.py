"""Tools that belong to the conversation itself: made for one agent and run in its loop, never by the registry.

session_search   what was said in earlier sessions · windows, summaries
todo             the list of what is to be done
clarify          a question to the person
delegate_task    child agents · children
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes.agent.conversation import Conversation
    from hermes.agent.setup import Setup
    from hermes.tools.registry import Tool

NAMES = ("todo", "session_search", "clarify", "delegate_task")


def own_tools(names: Iterable[str], setup: "Setup", conversation: "Conversation") -> "list[Tool]":
    """Those of the tools that are wanted, for this conversation. Only what is wanted is loaded."""
    return [_maker(name)(setup, conversation) for name in names if name in NAMES]


def _maker(name: str) -> "Callable[[Setup, Conversation], Tool]":
    from importlib import import_module

    made: Callable[[Setup, Conversation], Tool] = import_module(f"hermes.agent.own_tools.{name}").make
    return made
