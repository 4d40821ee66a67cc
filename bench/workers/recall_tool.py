"""session_search as a model calls it: the time from the call to its answer, and how long the answer is."""

import json
import time
from pathlib import Path
from typing import Any

from program import answer, at_share, job, open_store

from hermes.agent.agent import Agent
from hermes.agent.history import History
from hermes.agent.toolbox import Toolbox
from hermes.config import Settings
from hermes.tools.base import ToolContext
from hermes.tools.work import Workplace

_CALLS = 8


def main() -> None:
    work = job()
    db = open_store(work["database"])
    settings = Settings()
    box = Toolbox(("session_search",), Workplace(settings, {}, Path(work["database"]).parent))
    Agent(db, settings, provider=History(db), tools=box)
    context = ToolContext("bench", "call", "local", "cli", lambda: False, lambda question, choices: None)
    result: dict[str, Any] = {"waits": {}, "slow": {}, "characters": {}}
    for name, calls in work["calls"].items():
        waits, longest = [], 0
        for arguments in calls * _CALLS:
            begun = time.perf_counter()
            said = box.call("session_search", json.dumps(arguments), context)
            waits.append(time.perf_counter() - begun)
            assert said.ok, said
            longest = max(longest, len(said.content))
        result["waits"][name] = at_share(waits, 0.5)
        result["slow"][name] = at_share(waits, 0.95)
        result["characters"][name] = longest
    db.close()
    answer(result)


main()
