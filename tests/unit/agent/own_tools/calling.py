"""An agent whose own tools are called as the loop calls them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hermes.agent.agent import Agent
from hermes.agent.history import History
from hermes.agent.toolbox import Toolbox
from hermes.config import Settings
from hermes.store.db import OpenStore
from hermes.tools.base import ToolContext, ToolResult
from hermes.tools.work import Workplace

Ask = Callable[[str, Sequence[str]], str | None]


class Caller:
    """`call("todo", todos=[…])` calls a tool of the agent and returns what it answered."""

    def __init__(
        self, db: OpenStore, folder: Path, *names: str, settings: Settings | None = None, **parts: Any
    ) -> None:
        settings = settings or Settings()
        self.box = Toolbox(names, Workplace(settings, {}, folder))
        parts = {"provider": History(db), **parts}
        self.agent = Agent(db, settings, tools=self.box, **parts)

    def call(
        self, name: str, *, ask: Ask = lambda question, choices: None, stopped: Callable[[], bool] = lambda: False,
        **arguments: Any,
    ) -> ToolResult:  # fmt: skip
        context = ToolContext(self.agent.session_id, "call_1", "local", "cli", stopped, ask)
        return self.box.call(name, json.dumps(arguments), context)

    def said(self, name: str, **arguments: Any) -> str:
        result = self.call(name, **arguments)
        assert result.ok, result
        assert isinstance(result.content, str)
        return result.content
