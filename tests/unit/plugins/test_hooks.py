"""The hooks are the documented ones, and the guide says exactly what each is told."""

import inspect
import re
from pathlib import Path

from hermes.plugins.hooks import GUARDED, HOOKS

# As the data model page of version 0.14 lists them.
DOCUMENTED = [
    "pre_tool_call",
    "post_tool_call",
    "pre_llm_call",
    "post_llm_call",
    "pre_api_request",
    "post_api_request",
    "transform_terminal_output",
    "transform_tool_result",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "subagent_stop",
    "on_memory_write",
]
GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "plugins.md"


def test_there_are_the_documented_14_in_their_order() -> None:
    assert list(HOOKS) == DOCUMENTED
    assert GUARDED in HOOKS


def test_the_guide_has_the_signature_of_each() -> None:
    rows = re.findall(r"^\| `(\w+)\((.*?)\)` \|", GUIDE.read_text(), re.MULTILINE)
    assert rows == [(name, ", ".join(inspect.signature(one).parameters)) for name, one in HOOKS.items()]


def test_each_says_when_and_what_an_answer_does() -> None:
    answering = {name for name, one in HOOKS.items() if inspect.signature(one).return_annotation is not None}
    assert answering == {"pre_tool_call", "pre_llm_call", "transform_terminal_output", "transform_tool_result"}
    assert all(len(inspect.getdoc(one) or "") > 20 for one in HOOKS.values())
