"""The agent: a conversation, a model that answers, and everything it may use.

agent = Agent(db, settings, provider=provider)
for event in agent.run("hello"):
    …                                   # TextDelta …, the last one is TurnEnded
agent.close()
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hermes import paths
from hermes.agent.base import Caller, Compressed, Notice, Standing, TurnEnded
from hermes.agent.callers import fitting
from hermes.agent.compression import tokens_in
from hermes.agent.conversation import Conversation, open_calls
from hermes.agent.driver import Driver
from hermes.agent.own_tools import own_tools
from hermes.agent.prompt import Place, now_in, system_prompt
from hermes.agent.setup import Setup
from hermes.agent.shrinking import Shrinking
from hermes.agent.side import SideTasks
from hermes.agent.titles import Titles
from hermes.agent.toolbox import Toolbox
from hermes.agent.turn import text_of
from hermes.config import Settings
from hermes.errors import BadInput
from hermes.memory.base import About
from hermes.model.titles import sanitize_title
from hermes.model.tokens import tokens_of, tokens_of_request
from hermes.model.usage import COST_COLUMNS, COUNT_COLUMNS, Usage
from hermes.providers.base import Provider
from hermes.store.db import OpenStore
from hermes.tools.base import Tools

_CONTEXTS = {"cron": "cron", "subagent": "subagent"}  # sources where no person sits


class Agent:
    """One conversation. A turn runs in the thread that iterates over it; `stop` and `steer` come from any other.

    Without a `session_id` a session is created with the first message, not before; with one, the conversation goes on
    where its newest part ends. `parts` are those of Setup: fallbacks, tools, memory, skills, compressor, hooks,
    auxiliary (who serves a side task), ask, source, owner, options, on_stored.
    """

    def __init__(
        self, db: OpenStore, settings: Settings, *, provider: Provider, session_id: str | None = None, **parts: Any
    ) -> None:
        self._setup = Setup(db, settings, provider, **parts)
        self._conversation = Conversation(db, self._setup.source, self._setup.owner, self._setup.options)
        self._conversation.on_stored = self._setup.on_stored
        self._resumed = session_id is not None
        if session_id is not None:
            self._conversation.resume(session_id)
        self._setup.summarise = SideTasks(settings, self._auxiliary, self._record)
        self._equip()
        self._shrinking = Shrinking(self._setup, self._conversation)
        self._titles = Titles(self._setup)
        self._driver: Driver | None = None
        self._introduced = False  # whether on_session_start was told
        self._remembers = False  # whether the memory knows which conversation this is

    def _equip(self) -> None:
        """Tools may ask an auxiliary model, and plugins may listen to them."""
        tools = self._setup.tools
        if isinstance(tools, Toolbox):
            tools.place.summarise, tools.place.emit = self._setup.summarise, self._setup.hooks.emit
            tools.add_own(own_tools(tools.names, self._setup, self._conversation))

    def _auxiliary(self, task: str) -> Provider | None:
        return self._setup.auxiliary(task) if self._setup.auxiliary else self._setup.provider

    def _record(self, usage: Usage) -> None:
        if self.created and not usage.is_empty():
            self._conversation.db.record_usage(self.session_id, usage)

    # -- a turn

    def run(self, content: str | list[dict[str, Any]], attached: str = "", caller: Caller = Caller()) -> Iterator[Any]:
        """One turn: events as they happen, the last one TurnEnded. The message is stored before anything is sent.

        A list is content in parts, with images. What is `attached` goes to the model with the message as long as this
        agent lives, and is not stored. A caller that brings results of its tools need not say anything. Errors of
        providers are told in TurnEnded; what the store cannot do is raised.
        """
        if self.busy:
            raise BadInput("A turn is under way; wait for it, steer it, or stop it.")
        empty = not content or (isinstance(content, str) and not content.strip())
        if empty and not caller.results:
            raise BadInput("There is nothing to answer: the message is empty.")
        self._driver = Driver(self._setup, self._conversation, self._shrinking, caller)
        return self._turn(self._driver, "" if empty else content, attached, caller)

    @property
    def busy(self) -> bool:
        return self._driver is not None and self._driver.running

    def stop(self) -> None:
        """End the turn that is under way soon; what was said is kept. From any thread; without a turn, nothing."""
        driver = self._driver
        if driver is not None:
            driver.stop()

    def steer(self, text: str) -> bool:
        """Say something while the agent works: the model reads it before it goes on. False: there is no turn."""
        driver = self._driver
        return driver is not None and bool(text.strip()) and driver.steer(text)

    def _turn(
        self, driver: Driver, content: str | list[dict[str, Any]], attached: str, caller: Caller
    ) -> Iterator[Any]:
        results: list[dict[str, Any]] = []
        yield from self._ready(caller, results)
        beside = self._beside(text_of(content)) if content else ""
        yield from map(Notice, self._setup.memory.news())
        said = {"role": "user", "content": content} if content else None
        with closing(driver.run(said, beside, attached, results)) as events:
            for event in events:
                if isinstance(event, TurnEnded):
                    self._after(event)
                yield event

    def _ready(self, caller: Caller, results: list[dict[str, Any]]) -> Iterator[Any]:
        """The conversation as it is by now, with its prompt, and with what a crash left open put in order. What the
        caller brings for calls that wait for it is put into `results`."""
        conversation = self._conversation
        conversation.refresh()
        results += fitting(caller.results, self.open_calls())
        conversation.reopen()
        self._begin_memory()
        if conversation.system_prompt is None:
            self._freeze_prompt()
        conversation.model = self._setup.provider.model
        lost = conversation.repair(besides={one["tool_call_id"] for one in results})
        if lost:
            yield Notice(f"{lost} tool call{'s' * (lost > 1)} did not finish last time; the model is told so.")
        if isinstance(self._setup.tools, Toolbox):
            told, self._setup.tools.notices = self._setup.tools.notices, []
            yield from map(Notice, told)
        yield from self._titles.news()

    def _begin_memory(self) -> None:
        if self._remembers:
            return
        self._remembers = True
        conversation, options = self._conversation, self._setup.options
        about = About(
            conversation.session_id,
            hermes_home=str(paths.hermes_home()),
            platform=conversation.source,
            user_id=options.user_id or "",
            agent_context=_CONTEXTS.get(conversation.source, "primary"),
            agent_identity=paths.profile_name(),
            agent_workspace=str(options.cwd or ""),
            parent_session_id=options.parent_session_id or "",
        )
        self._setup.memory.begin(about)

    def _freeze_prompt(self) -> None:
        conversation, options = self._conversation, self._setup.options
        prompt = options.system_prompt
        if prompt is None:
            setup = self._setup
            place = Place(paths.hermes_home(), options.cwd, now_in(setup.settings.timezone), conversation.source)
            tools = bool(setup.tools.definitions())
            prompt = system_prompt(
                setup.settings, place, setup.memory, setup.skills, personality=options.personality, tools=tools
            )
            prompt = "\n\n".join(filter(None, (prompt, options.added_prompt.strip())))
        conversation.system_prompt = prompt
        if conversation.created:
            conversation.db.update_system_prompt(conversation.session_id, prompt)

    def _beside(self, text: str) -> str:
        """What goes to the model with the message and is not stored: memories, and what plugins add."""
        setup, session_id = self._setup, self._conversation.session_id
        if not self._introduced:
            setup.hooks.emit("on_session_start", session_id=session_id, resumed=self._resumed)
            self._introduced = True
        answers = setup.hooks.emit("pre_llm_call", session_id=session_id, text=text)
        added = [str(answer["context"]) for answer in answers if isinstance(answer, dict) and answer.get("context")]
        added += [answer for answer in answers if isinstance(answer, str)]
        return "\n\n".join(filter(None, [setup.memory.on_turn_start(session_id, text), *added]))

    def _after(self, ended: TurnEnded) -> None:
        facts = {"session_id": self._conversation.session_id, "reason": ended.reason, "text": ended.text}
        self._setup.hooks.emit("post_llm_call", **facts)
        if ended.reason == "answered":
            self._titles.begin(self._conversation)

    # -- the conversation

    @property
    def session_id(self) -> str:
        """Changes when the conversation is compressed."""
        return self._conversation.session_id

    @property
    def created(self) -> bool:
        """Whether the session is in the store already."""
        return self._conversation.created

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, in the chat shape."""
        return self._conversation.messages()

    def open_calls(self) -> list[tuple[int, str, str]]:
        """Calls that wait for a result: those of a caller's tools, or what a crash left."""
        return open_calls([entry.message for entry in self._conversation.entries])

    @property
    def provider(self) -> Provider:
        return self._setup.provider

    @property
    def tools(self) -> Tools:
        return self._setup.tools

    def use(self, provider: Provider, fallbacks: Any = None) -> None:
        """Go on with another model, from the next turn."""
        self._setup.provider = provider
        if fallbacks is not None:
            self._setup.fallbacks = tuple(fallbacks)
        if self.created:
            self._conversation.db.update_model(self.session_id, provider.model)

    def set_effort(self, effort: str | None) -> None:
        """How long the model may think, from the next turn; None: as in the settings."""
        self._setup.options = self._setup.options._replace(effort=effort)

    def reload(self) -> None:
        """Read the conversation anew, after something else changed it: an undo, a rewind."""
        if self.created:
            self._conversation.load()

    def compress(self, focus: str | None = None) -> Compressed | None:
        """Compress now, keeping above all what is about the focus. None: it is too short."""
        if self.busy:
            raise BadInput("A turn is under way; compress when it is done.")
        if not self.created:
            return None
        self._conversation.refresh()
        self._conversation.repair()
        return self._shrinking.compress(focus)

    @property
    def title(self) -> str | None:
        return self._conversation.title

    def set_title(self, title: str | None) -> None:
        """Name the session; before its first message, the name waits for it. TitleInUse when another has it."""
        if self.created:
            self._conversation.db.set_session_title(self.session_id, title)
        else:
            self._conversation.queued_title = sanitize_title(title)

    def usage(self) -> Standing:
        """How full the window is, and what the conversation used."""
        conversation = self._conversation
        tokens = tokens_in(conversation.entries) + tokens_of(conversation.system_prompt or "")
        tokens += tokens_of_request((), self._setup.tools.definitions())
        parts = conversation.db.get_lineage(conversation.session_id) if conversation.created else []
        return Standing(self._setup.gauge.corrected(tokens), self._setup.provider.window, _summed(parts))

    def release(self) -> None:
        """Let go of what the tools and the memory hold, and of this object; the session stays open, to go on
        elsewhere."""
        self.stop()
        self._titles.wait(2.0)
        if isinstance(self._setup.tools, Toolbox):
            self._setup.tools.close()
        self._setup.memory.close()

    def close(self, reason: str = "user_exit", *, wait: float = 2.0) -> None:
        """End the session, if there is one; `new_session` when another one takes its place. Waits briefly for a title
        that is being made."""
        self.stop()
        self._titles.wait(wait)
        if isinstance(self._setup.tools, Toolbox):
            self._setup.tools.close()
        if self.created:
            self._end(reason)
        self._setup.memory.close()

    def _end(self, reason: str) -> None:
        self._conversation.end(reason)
        self._setup.memory.on_session_end(self.session_id)
        self._setup.hooks.emit("on_session_end", session_id=self.session_id, reason=reason)
        if reason == "new_session":
            self._setup.hooks.emit("on_session_reset", session_id=self.session_id)
        self._setup.hooks.emit("on_session_finalize", session_id=self.session_id)


def _summed(parts: list[dict[str, Any]]) -> Usage:
    """The usage of all parts; a cost that is not known of one is not known of the whole."""
    counts: dict[str, Any] = {name: sum(part[name] or 0 for part in parts) for name in COUNT_COLUMNS}
    costs: dict[str, Any] = {
        name: sum(part[name] or 0.0 for part in parts) if any(part[name] is not None for part in parts) else None
        for name in COST_COLUMNS
    }
    unknown = any(part["cost_status"] == "unknown" for part in parts)
    return Usage(**counts, **costs, cost_status="unknown" if unknown else None)
