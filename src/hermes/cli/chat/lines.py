"""What happens in a turn, a line each."""

import json
from typing import Any

from hermes.cli.width import cut


def tool_line(ended: Any, columns: int = 100, *, most: int = 0) -> str:
    """`┊ terminal ls -la  0.3s`: which tool, with what, for how long, and whether it failed."""
    seconds = f"{ended.seconds:.1f}s"
    failed = "" if ended.result.ok else " ✗"
    is_list = ended.name == "todo" and ended.result.ok  # how far it is says more than what was written into it
    shown = str(ended.result.content).rpartition("\n")[2] if is_list else arguments(ended.arguments)
    room = max(10, columns - len(ended.name) - len(seconds) - 8)
    return f"┊ {ended.name} {cut(shown, min(most or room, room))}  {seconds}{failed}".replace("   ", "  ")


def arguments(text: str) -> str:
    """The arguments of a call in one line: the value alone where there is one, `name=value` of several."""
    try:
        values = json.loads(text) if text.strip() else {}
    except ValueError:
        return " ".join(text.split())
    if not isinstance(values, dict):
        return " ".join(text.split())
    if len(values) == 1:
        return _value(next(iter(values.values())))
    return " ".join(f"{name}={_value(value)}" for name, value in values.items())


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())
