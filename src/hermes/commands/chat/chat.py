"""One conversation as a front end holds it: the agent, what waits for it, and what the person chose for it."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from hermes.agent.agent import Agent
from hermes.agent.base import Caller, Notice, OnStored, SessionOptions
from hermes.agent.empty import NoPlugins
from hermes.agent.history import History
from hermes.agent.skilled import shelf_of
from hermes.agent.toolbox import Toolbox, refuse_unknown, toolbox
from hermes.commands.chat.images import with_images
from hermes.commands.chat.live import Live
from hermes.commands.extended import brought_by, plugins_here
from hermes.config import Config
from hermes.errors import BadInput, ConfigError, NoProvider
from hermes.model.owners import LOCAL
from hermes.model.sources import LOCAL_SOURCES
from hermes.providers.base import Provider
from hermes.store import SessionDB
from hermes.tools.registry import Tool

BUSY_MODES = ("interrupt", "queue", "steer")
_FASTER = {"service_tier": "priority"}


class Wishes(NamedTuple):
    """What was asked for at the start; whatever is empty follows from the settings."""

    model: str = ""
    provider: str = ""
    cwd: Path | None = None
    source: str = "cli"
    titles_by_model: bool = True  # a title is worth a model call of its own
    stays: bool = False  # a person sits in front of it, so others should know that it is open
    skills: tuple[str, ...] = ()  # that the first message begins with
    yolo: bool = False  # dangerous commands run without asking
    owner: str = LOCAL
    options: SessionOptions = SessionOptions()  # where on a platform this is
    on_stored: OnStored | None = None


class WithSkill(str):
    """A message that a skill goes with: for every screen the person's own words, until it is sent."""

    skill = ""


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
        self.queue: deque[Any] = deque()  # messages for the turns to come: text, or content in parts
        self.images: list[Path] = []  # pictures for the next message
        self.leaving = False
        self.busy_mode = self.settings.display.busy_input_mode
        self.statusbar = True
        self.footer = self.settings.display.runtime_footer.enabled
        self.redraw = False
        self.fast = False
        self.ask_person: Callable[[str, Sequence[str]], str | None] = lambda question, choices: None
        self.plugins = plugins_here(config, wishes.cwd)
        self._brought = brought_by(self.plugins, self.settings)
        refuse_unknown(config, self._brought)
        self.skills = shelf_of(config, more=self.plugins.skills, source=wishes.source)
        for name in wishes.skills:
            self.skills.library.get(name)  # NotFound before anything is sent
        self.provider = self._provider()
        self.agent = self._agent(session_id)
        self._live = Live()
        self.elsewhere = self._hold()  # whether this conversation is open elsewhere too

    # -- the agent

    def _provider(self) -> Provider:
        """Who answers; without one that is set up, the person's own history."""
        try:
            return self._main(self.wishes.model, self.wishes.provider)
        except NoProvider as error:
            return History(self.db, str(error))

    def _main(self, model: str, provider: str) -> Provider:
        from hermes.providers.choose import main_provider

        return main_provider(
            self.settings, model=model or None, provider=provider or None, variables=self.config.environment
        )

    def _agent(self, session_id: str | None = None) -> Agent:
        from hermes.providers.choose import fallbacks

        parts = {} if self.answers_from_history else self._parts()
        agent = Agent(
            self.db,
            self.settings,
            provider=self.provider,
            session_id=session_id,
            fallbacks=() if self.answers_from_history else fallbacks(self.settings, variables=self.config.environment),
            auxiliary=self._auxiliary,
            ask=lambda question, choices: self.ask_person(question, choices),
            source=self.wishes.source,
            owner=self.wishes.owner,
            options=self.wishes.options._replace(cwd=self.wishes.cwd),
            on_stored=self.wishes.on_stored,
            **parts,
        )
        if agent.created and self.wishes.model:
            agent.use(self.provider)
        return agent

    def _parts(self) -> dict[str, Any]:
        """What a model has that one's own history does not need."""
        from hermes.agent.remembering import memory_of, memory_tool
        from hermes.agent.skilled import skill_tools

        plugins = self.plugins
        memory = memory_of(self.db, self.settings, owner=self.wishes.owner, others=plugins.memory_providers)
        tools = self._toolbox([memory_tool(memory)])
        memory.can_note = lambda: "memory" in tools.offered()
        self.skills = shelf_of(self.config, tools, plugins.skills, self.wishes.source)
        tools.add_own([*skill_tools(self.skills, self.config), *self._reaching()])
        parts: dict[str, Any] = {"tools": tools, "memory": memory, "skills": self.skills, "hooks": plugins}
        if not isinstance(plugins, NoPlugins):
            from hermes.agent.extending import compressor_of

            parts["compressor"] = compressor_of(plugins, self.config)
        return parts

    def _reaching(self) -> list[Tool]:
        from hermes.commands.chat.reaching import reaching_tools  # which knows this module

        return reaching_tools(self.db, self.config, self.plugins.platforms)

    def _toolbox(self, own: Sequence[Tool]) -> Toolbox:
        wishes, brought = self.wishes, self._brought
        return toolbox(self.config, wishes.cwd, platform=wishes.source, own=own, brought=brought, yolo=wishes.yolo)

    def use(self, model: str, provider: str = "") -> None:
        """Go on with another model. Raises what is wrong with it, and then nothing changes."""
        self.provider = self._main(model, provider)
        self.wishes = self.wishes._replace(model=model, provider=provider or self.wishes.provider)
        self.fast = False
        self.agent.use(self.provider)

    def go_fast(self, fast: bool) -> None:
        """Ask for the provider's faster tier, where its format has one."""
        from hermes.providers.endpoint import Endpoint

        if not isinstance(self.provider, Endpoint) or self.provider.name == "anthropic":
            raise BadInput(f"{self.provider.name} has no faster tier to ask for.")
        body = {name: value for name, value in self.provider.extra_body.items() if name not in _FASTER}
        self.provider = replace(self.provider, extra_body={**body, **(_FASTER if fast else {})})
        self.fast = fast
        self.agent.use(self.provider)

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
        self.elsewhere = self._hold()

    def _hold(self) -> bool:
        row = self.db.get_session(self.agent.session_id) if self.wishes.stays and self.agent.created else None
        return row is not None and self._live.hold(row["lineage_id"])

    # -- a turn

    def ask(self, content: Any, caller: Caller = Caller()) -> Iterator[Any]:
        """A turn with this message: text with the pictures that wait for it, or content in parts as it is."""
        attached = ""
        if isinstance(content, str):
            attached, notices = self._references(content)
            yield from map(Notice, notices)
            images, self.images = self.images, []
            content = with_images(self._with_skills(content), images)
        for event in self.agent.run(content, attached, caller):
            if self.wishes.source in LOCAL_SOURCES:  # strangers need not know what is plugged in
                yield from map(Notice, self.plugins.news())
            yield event
        self._hold()  # from its first message on

    def _references(self, text: str) -> tuple[str, Sequence[str]]:
        """What the message refers to (`@file:…`), in at most a quarter of the window, and remarks about it. Files of
        this machine are for those who sit at it."""
        if "@" not in text or self.answers_from_history:
            return "", ()
        from hermes.agent.references import KINDS, expand

        kinds = tuple(KINDS) if self.wishes.source in LOCAL_SOURCES else ("url",)
        folder = (self.wishes.cwd or Path.cwd()).resolve()
        room = self.provider.window  # in characters, of which a token has about four
        expanded = expand(text, folder, self.settings, room=room, kinds=kinds)
        return expanded.attached, expanded.notices

    def _with_skills(self, content: str) -> str:
        """The message with its skills behind it: its own, and with the first one those asked for at the start."""
        wanted, self.wishes = self.wishes.skills, self.wishes._replace(skills=())
        if isinstance(content, WithSkill):
            wanted = (*wanted, content.skill)
        for name in wanted:
            content = self.skills.expand(name, content) or content
            self._hand_on(name)
        return content

    def _hand_on(self, name: str) -> None:
        """The skill is read now: commands may see the variables it asks for."""
        tools, skill = self.agent.tools, self.skills.library.skills.get(name)
        if skill is not None and skill.variables and isinstance(tools, Toolbox):
            from hermes.skills.writing import hands_on

            tools.place.handed.update(hands_on(skill))

    def close(self, *, ends: bool = True) -> None:
        """Leave; the session stays open when it is not to `end`."""
        self.agent.close() if ends else self.agent.release()
        self.plugins.close()
        self._live.let_go()
