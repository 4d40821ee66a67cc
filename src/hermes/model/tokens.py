"""About how many tokens a text is, without a tokenizer.

The rule: four characters of plain ASCII are a token; a character of a script without spaces (Chinese, Japanese, Korean,
Thai …) or an emoji is one; of any other script two characters are. Four more for the frame of a message, and a flat
number for an image. It is a rule of thumb, meant to be high rather than low; where a provider says how many tokens it
counted, `Gauge` corrects the rule by it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

FRAME = 4
IMAGE = 1200
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff00-\uffef\U0001f000-\U0003ffff]"
)
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_SENT = ("tool_calls", "tool_call_id", "reasoning_details", "codex_reasoning_items", "codex_message_items")


def tokens_of(text: str) -> int:
    if text.isascii():
        return -(-len(text) // 4)
    dense = len(_DENSE.findall(text))
    others = len(_NOT_ASCII.findall(text)) - dense
    return dense + -(-others // 2) + -(-(len(text) - dense - others) // 4)


def tokens_of_message(message: Mapping[str, Any]) -> int:
    """A message in the chat shape, with everything of it that is sent."""
    extra = [message[name] for name in _SENT if message.get(name)]
    return FRAME + _of_content(message.get("content")) + sum(tokens_of(json.dumps(one)) for one in extra)


def tokens_of_request(messages: Iterable[Mapping[str, Any]], tools: Iterable[Mapping[str, Any]] = ()) -> int:
    return sum(map(tokens_of_message, messages)) + sum(tokens_of(json.dumps(tool)) for tool in tools)


def _of_content(content: Any) -> int:
    if isinstance(content, str):
        return tokens_of(content)
    if not isinstance(content, list):
        return 0 if content is None else tokens_of(json.dumps(content))
    return sum(_of_part(part) for part in content)


def _of_part(part: Any) -> int:
    if not isinstance(part, Mapping):
        return tokens_of(str(part))
    if isinstance(part.get("text"), str):
        return tokens_of(part["text"])
    return IMAGE


class Gauge:
    """The rule, corrected by what a provider counted in the calls before."""

    def __init__(self) -> None:
        self.factor = 1.0

    def learn(self, estimated: int, counted: int) -> None:
        """A small call says little: its frame weighs more than its text."""
        if estimated >= 500 and counted > 0:
            self.factor = min(3.0, max(0.4, counted / estimated))

    def corrected(self, estimated: int) -> int:
        return round(estimated * self.factor)
