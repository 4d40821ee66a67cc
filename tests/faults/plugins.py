"""Row 30: plugins and memories that raise, hang, exit or fork, at every event of a turn. The turn is answered and
stored all the same, who it was is named, and no second Hermes is left behind."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hermes.agent.base import TurnEnded
from hermes.memory import manager as remembering
from hermes.memory.base import MemoryProvider
from hermes.memory.manager import Manager
from hermes.memory.notes import Notes
from hermes.plugins import manager as plugging
from hermes.plugins.manager import PluginManager
from hermes.plugins.manifest import read
from hermes.store import SessionDB
from tests.faults.rows import Outcome, Run, row
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import Toolbox, agent_of

TOLD = (
    "on_session_start",
    "pre_llm_call",
    "pre_api_request",
    "post_api_request",
    "pre_tool_call",
    "transform_tool_result",
    "post_tool_call",
    "post_llm_call",
    "on_session_end",
    "on_session_finalize",
)
WAYS = {
    "raises": "raise RuntimeError('a bug')",
    "exits": "import sys; sys.exit(3)",
    "hangs": "import threading; threading.Event().wait(120)",
    "forks": "import os; from pathlib import Path; Path(FORKED, str(os.fork())).touch()",
}
UNWELL = ("raises", "exits", "hangs")  # ways in which a guard gives no answer
MANIFEST = "name: {name}\nversion: 1.0.0\ndescription: unwell\nauthor: tests\n"
CODE = (
    "FORKED = {forked!r}\n\ndef unwell():\n    {way}\n\ndef register(ctx):\n    ctx.register_hook({event!r}, unwell)\n"
)
PATIENCE = 0.2  # seconds, where the program has five
LONGEST = 60.0


@contextmanager
def impatient() -> Iterator[None]:
    before = plugging._SECONDS, remembering._ASKED, remembering._TOLD
    plugging._SECONDS = remembering._ASKED = remembering._TOLD = PATIENCE
    try:
        yield
    finally:
        plugging._SECONDS, remembering._ASKED, remembering._TOLD = before


@row(30)
def plugins_never_cost_a_turn(run: Run) -> Outcome:
    folder, forked = run.fresh(), run.fresh("forked")
    events = run.rng.sample(TOLD, run.size(len(TOLD), 3))
    lost: list[str] = []
    with impatient(), SessionDB(folder / "state.db") as db:
        cases = [(event, way) for event in events for way in WAYS]
        lost += [f"{event} {way}" for event, way in cases if not _survived(db, folder, forked, event, way)]
        lost += [f"memory {way}" for way in WAYS if not _remembered(db, folder, forked, way)]
        open_ways = [way for way in UNWELL if not _stayed_closed(db, folder, way)]
    children = _left(forked)
    figure = (
        f"turns lost {len(lost)} of {len(cases) + len(WAYS)}, forked children left {children}, "
        f"guards that let a call through {len(open_ways)} of {len(UNWELL)}"
    )
    if lost or open_ways:
        figure += f" ({', '.join([*lost, *open_ways][:3])})"
    about = f"{len(events)} events, {len(WAYS)} ways each, a memory, and a guard"
    return Outcome(about, figure, not lost and not children and not open_ways)


def _survived(db: SessionDB, folder: Path, forked: Path, event: str, way: str) -> bool:
    """A turn with this plugin was answered and stored, and the plugin is named where it failed."""
    code = CODE.format(forked=str(forked), way=WAYS[way], event=event)
    hooks = _plugin(folder / f"{way}-{event}".replace("_", "-"), code)
    good = _turn(db, hooks=hooks)
    warned = [one for one in hooks.news() if way in one or event in one]
    hooks.close()
    return good and (bool(warned) or way == "forks")


def _stayed_closed(db: SessionDB, folder: Path, way: str) -> bool:
    """The turn was answered, and the call that a broken guard could not look at did not run."""
    code = f"def unwell():\n    {WAYS[way]}\n\ndef register(ctx):\n"
    hooks = _plugin(folder / f"guard-{way}", f"{code}    ctx.register_hook('pre_tool_call', unwell, guard=True)\n")
    tools = Toolbox()
    good = _turn(db, hooks=hooks, tools=tools)
    hooks.close()
    return good and not tools.started.is_set()


def _plugin(place: Path, code: str) -> PluginManager:
    place.mkdir()
    (place / "plugin.yaml").write_text(MANIFEST.format(name=place.name))
    (place / "__init__.py").write_text(code)
    plugin, problems = read(place, "user")
    assert plugin is not None, problems
    manager = PluginManager()
    assert manager.add(plugin, {}), manager.warnings
    return manager


class Unwell(MemoryProvider):
    name = "unwell"

    def __init__(self, code: str, forked: Path) -> None:
        self._code = code
        self._forked = forked

    def on_turn_start(self, session_id: str, text: str) -> str:
        exec(self._code, {"FORKED": str(self._forked)})
        return ""


def _remembered(db: SessionDB, folder: Path, forked: Path, way: str) -> bool:
    memory = Manager(Notes(folder / "memories", {}))
    memory.add(Unwell(WAYS[way], forked))
    return _turn(db, memory=memory)


def _turn(db: SessionDB, **parts: Any) -> bool:
    """One question, one tool call, one answer; in time, and in the store."""
    began = time.monotonic()
    with Scripted(Say(calls=[("echo", {"text": "x"})]), Say("Here I am.")) as server:
        agent = agent_of(db, server, **{"tools": Toolbox(), **parts})
        last = list(agent.run("hello"))[-1]
        agent.close(wait=0)
    stored = [row["role"] for row in db.get_messages(agent.session_id)]
    answered = isinstance(last, TurnEnded) and (last.reason, last.text) == ("answered", "Here I am.")
    return answered and stored == ["user", "assistant", "tool", "assistant"] and time.monotonic() - began < LONGEST


def _left(forked: Path) -> int:
    """Children that still run; those that ended are waited for."""
    children = [int(one.name) for one in forked.iterdir() if one.name != "0"]
    assert children  # otherwise nothing was forked, and nothing is shown
    return sum(map(_runs, children))


def _runs(child: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG)[0] == child:
            return False
        time.sleep(0.02)
    return True
