"""Tools of whoever asks: offered to the model beside the agent's own, and run by the caller."""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.errors import BadInput
from hermes.tools.base import ToolContext, ToolResult, Tools

Definition = Mapping[str, Any]


def name_of(definition: Definition) -> str:
    return str(definition["function"]["name"])


class WithCallers:
    """The agent's tools and the caller's. Of two with one name the model sees the caller's, which asked for it."""

    def __init__(self, own: Tools, callers: Sequence[Definition]) -> None:
        self._own, self._callers = own, callers

    def definitions(self) -> Sequence[Definition]:
        names = set(map(name_of, self._callers))
        return [*(one for one in self._own.definitions() if name_of(one) not in names), *self._callers]

    def may_run_beside_others(self, name: str) -> bool:
        return self._own.may_run_beside_others(name)

    def call(self, name: str, arguments: str, context: ToolContext) -> ToolResult:
        return self._own.call(name, arguments, context)


def fitting(results: Sequence[Definition], open_calls: Sequence[tuple[int, str, str]]) -> list[dict[str, Any]]:
    """The results as they are stored. BadInput for one that nobody waits for."""
    names = {call_id: name for _, call_id, name in open_calls}
    strange = [str(one["tool_call_id"]) for one in results if one["tool_call_id"] not in names]
    if strange:
        raise BadInput(f"No call '{strange[0][:80]}' waits for a result in this conversation.")
    return [
        {"role": "tool", "tool_call_id": one["tool_call_id"], "tool_name": names[one["tool_call_id"]],
         "content": one["content"]}
        for one in results
    ]  # fmt: skip
