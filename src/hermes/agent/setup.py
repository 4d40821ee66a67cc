"""Everything an agent is made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hermes.agent.base import Compressor, Hooks, Memory, OnStored, SessionOptions, Skills, Summarise
from hermes.agent.empty import NoHooks, NoMemory, NoSkills, NoTools, no_summaries
from hermes.config import Settings
from hermes.model.tokens import Gauge
from hermes.providers.base import Provider
from hermes.store.db import OpenStore
from hermes.tools.base import Tools


def _nobody_there(question: str, choices: Sequence[str]) -> str | None:
    return None


@dataclass(slots=True)
class Setup:
    db: OpenStore
    settings: Settings
    provider: Provider
    fallbacks: Sequence[Provider] = ()
    tools: Tools = field(default_factory=NoTools)
    memory: Memory = field(default_factory=NoMemory)
    skills: Skills = field(default_factory=NoSkills)
    compressor: Compressor | None = None  # None: our own
    hooks: Hooks = field(default_factory=NoHooks)
    auxiliary: Callable[[str], Provider | None] | None = None  # who serves a side task; None: the main provider
    summarise: Summarise = no_summaries  # the agent's own side tasks, once it is there
    ask: Callable[[str, Sequence[str]], str | None] = _nobody_there
    source: str = "cli"
    owner: str = "local"
    options: SessionOptions = field(default_factory=SessionOptions)
    depth: int = 0  # 0: the person's own agent; its children are 1 deep
    on_stored: OnStored | None = None
    gauge: Gauge = field(default_factory=Gauge)

    @property
    def providers(self) -> Sequence[Provider]:
        """The main one, then the ones to fall back to."""
        return (self.provider, *self.fallbacks)
