"""One conversation as a front end holds it: the agent, what waits for it, and what the person chose for it."""

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hermes.agent.agent import Agent
from hermes.agent.base import SessionOptions
from hermes.agent.history import History
from hermes.commands.chat.images import with_images
from hermes.config import Config
from hermes.errors import ConfigError, NoProvider
from hermes.providers.base import Provider
from hermes.store import SessionDB


class Wishes(NamedTuple):
    """What was asked for at the start; whatever is empty follows from the settings."""

    model: str = ""
    provider: str = ""
    cwd: Path | None = None
    source: str = "cli"
    titles_by_model: bool = True  # a title is worth a model call of its own


class Chat:
    """`agent` changes with /new, /resume and /branch; everything else stays while the front end runs."""

    def __init__(
        self, db: SessionDB, config: Config, wishes: Wishes = Wishes(), *, session_id: str | None = None
    ) -> None:
        self.db = db
        self.config = config
        self.settings = config.settings
        self.wishes = wishes
        self.began = time.monotonic()
        self.queue: deque[str] = deque()  # messages for the turns to come
        self.images: list[Path] = []  # pictures for the next message
        self.leaving = False
        self.busy_mode = self.settings.display.busy_input_mode
        self.statusbar = True
        self.footer = self.settings.display.runtime_footer.enabled
        self.effort: str | None = None
        self.provider = self._provider()
        self.agent = self._agent(session_id)

    # -- the agent

    def _provider(self, model: str = "", provider: str = "") -> Provider:
        from hermes.providers.choose import main_provider

        wishes = self.wishes
        try:
            return main_provider(
                self.settings,
                model=model or wishes.model or None,
                provider=provider or wishes.provider or None,
                variables=self.config.environment,
            )
        except NoProvider:
            return History(self.db)

    def _agent(self, session_id: str | None = None) -> Agent:
        from hermes.providers.choose import fallbacks

        agent = Agent(
            self.db,
            self.settings,
            provider=self.provider,
            session_id=session_id,
            fallbacks=() if self.answers_from_history else fallbacks(self.settings, variables=self.config.environment),
            auxiliary=self._auxiliary,
            source=self.wishes.source,
            options=SessionOptions(cwd=self.wishes.cwd, effort=self.effort),
        )
        agent.use(self.provider) if agent.created and self.wishes.model else None
        return agent

    def _auxiliary(self, task: str) -> Provider | None:
        from hermes.providers.choose import auxiliary_provider

        if task == "title_generation" and not self.wishes.titles_by_model:
            return None
        try:
            return auxiliary_provider(self.settings, task, variables=self.config.environment)
        except ConfigError as error:
            raise NoProvider(str(error)) from error

    @property
    def answers_from_history(self) -> bool:
        return isinstance(self.provider, History)

    def open(self, session_id: str | None) -> None:
        """Leave this conversation for another one, or for a new one."""
        self.agent.close("user_exit" if session_id else "new_session", wait=0.5)
        self.agent = self._agent(session_id)

    # -- a turn

    def ask(self, text: str) -> Iterator[Any]:
        """A turn with this message and the pictures that wait for it."""
        images, self.images = self.images, []
        return self.agent.run(with_images(text, images))

    def close(self) -> None:
        self.agent.close()
