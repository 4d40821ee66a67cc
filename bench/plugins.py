"""What listening plugins cost a turn. `python -m bench plugins`. Alone: the reference's cannot be run beside ours."""

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import median

from hermes.agent.empty import NoHooks
from hermes.plugins.hooks import HOOKS
from hermes.plugins.manager import PluginManager
from hermes.plugins.manifest import read

ABOUT = "the time the hooks of a turn take without a plugin, and with three that listen to everything"
FLOOR = 1.0  # milliseconds a turn, with three plugins
PLUGINS, TURNS = 3, 400

# A turn with one tool call: what the agent tells, in order.
TURN = (
    ("pre_llm_call", {"session_id": "s", "text": "hello"}),
    ("pre_api_request", {"session_id": "s", "provider": "p", "model": "m", "messages": ()}),
    ("post_api_request", {"session_id": "s", "message": {}, "usage": None}),
    ("pre_tool_call", {"session_id": "s", "tool_name": "t", "args": "{}", "call_id": "c"}),
    ("transform_terminal_output", {"command": "ls", "output": "x"}),
    ("transform_tool_result", {"session_id": "s", "tool_name": "t", "args": "{}", "call_id": "c", "result": "x"}),
    ("post_tool_call", {"session_id": "s", "tool_name": "t", "args": "{}", "call_id": "c", "result": "x", "ok": True}),
    ("pre_api_request", {"session_id": "s", "provider": "p", "model": "m", "messages": ()}),
    ("post_api_request", {"session_id": "s", "message": {}, "usage": None}),
    ("post_llm_call", {"session_id": "s", "reason": "answered", "text": "hello"}),
)
MANIFEST = "name: {name}\nversion: 1.0.0\ndescription: listens\nauthor: bench\n"
CODE = "heard = []\n\ndef register(ctx):\n" + "".join(
    f"    ctx.register_hook({name!r}, lambda session_id='': heard.append(session_id))\n" for name in HOOKS
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, default=TURNS, help=f"turns to measure (default: {TURNS})")
    parser.add_argument("--json", type=Path, help="every figure, to this file")


def run(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        listening = _listening(Path(folder))
        cases = {"no plugin": NoHooks(), "plugins that hear of nothing": PluginManager(), "three plugins": listening}
        figures = {name: _turn(hooks, options.turns) for name, hooks in cases.items()}
        listening.close()
    for name, milliseconds in figures.items():
        print(f"hooks of a turn, {name:<30} {milliseconds:8.4f} ms")
    good = figures["three plugins"] <= FLOOR and not listening.warnings
    print(f"floor: at most {FLOOR:g} ms a turn with three plugins: {'met' if good else 'MISSED'}")
    if options.json:
        options.json.write_text(json.dumps({"milliseconds": figures, "turns": options.turns}))
    return 0 if good else 1


def _listening(folder: Path) -> PluginManager:
    manager = PluginManager()
    for number in range(PLUGINS):
        place = folder / f"listener-{number}"
        place.mkdir()
        (place / "plugin.yaml").write_text(MANIFEST.format(name=place.name))
        (place / "__init__.py").write_text(CODE)
        plugin, problems = read(place, "user")
        assert plugin is not None, problems
        assert manager.add(plugin, {}), manager.warnings
    return manager


def _turn(hooks: NoHooks | PluginManager, turns: int) -> float:
    """Milliseconds of one turn, the median of them all."""
    taken = []
    for _ in range(turns):
        began = time.perf_counter()
        for event, values in TURN:
            hooks.emit(event, **values)
        taken.append(time.perf_counter() - began)
    return median(taken) * 1000
