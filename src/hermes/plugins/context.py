"""What a plugin is given: `def register(ctx)` in its `__init__.py` is called once, and says what it brings.

def register(ctx):
    ctx.register_hook("post_tool_call", heard)
    ctx.register_tool("dice", handler=roll, description="Roll dice.", parameters={"sides": {"type": "integer"}})
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes import paths
from hermes.errors import BadInput
from hermes.plugins.base import Plugin
from hermes.plugins.hooks import GUARDED, HOOKS


class PluginTool(NamedTuple):
    """A tool; `handler(arguments)` returns text or anything JSON can say. It may have parameters session_id, call_id,
    owner, platform and folder too."""

    name: str
    handler: Callable[..., Any]
    description: str
    parameters: Mapping[str, Any]
    required: tuple[str, ...] = ()
    requires_env: tuple[str, ...] = ()


class PluginCommand(NamedTuple):
    """A slash command: `handler(rest)` returns what is shown."""

    name: str
    handler: Callable[[str], Any]
    description: str


class ModelProvider(NamedTuple):
    """An endpoint that speaks one of the known formats (chat_completions, responses, anthropic_messages)."""

    name: str
    base_url: str
    key_env: str = ""
    api_mode: str = "chat_completions"
    model: str = ""  # the one that answers when none was chosen
    aux_model: str = ""  # the one for side tasks (titles, summaries); empty: the same
    window: int = 128_000
    description: str = ""


class PluginContext:
    """Everything one plugin registered."""

    def __init__(self, plugin: Plugin, variables: Mapping[str, str]) -> None:
        self.plugin = plugin
        self.variables = {one.name: variables.get(one.name, "") for one in plugin.requires_env}  # those it asked for
        self.hooks: list[tuple[str, Callable[..., Any]]] = []
        self.guards: list[Callable[..., Any]] = []  # those of the hooks whose failure keeps a tool from running
        self.tools: list[PluginTool] = []
        self.commands: list[PluginCommand] = []
        self.skills: list[Path] = []
        self.memory_providers: dict[str, Callable[[], Any]] = {}
        self.context_engine: Any = None
        self.model_providers: list[ModelProvider] = []
        self.web_providers: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None]] = {}
        self.browser_providers: dict[str, Callable[[], Any]] = {}
        self.platforms: dict[str, Callable[..., Any]] = {}

    @property
    def name(self) -> str:
        return self.plugin.name

    @property
    def folder(self) -> Path:
        """Where it may keep what it needs from one start to the next."""
        folder = paths.plugin_data(self.name)
        paths.make_private_folder(folder)
        return folder

    def register_hook(self, event: str, callback: Callable[..., Any], *, guard: bool = False) -> None:
        """Hear of one of the events in hermes.plugins.hooks. `guard`: a call that this callback could not look at, as
        it failed, does not run."""
        if event not in HOOKS:
            raise BadInput(f"There is no hook '{event}'; there are: {', '.join(HOOKS)}.")
        if guard and event != GUARDED:
            raise BadInput(f"Only {GUARDED} can be a guard; {event} keeps nothing from running.")
        heard = taking(callback)
        self.hooks.append((event, heard))
        if guard or (self.plugin.guard and event == GUARDED):
            self.guards.append(heard)

    def register_tool(
        self,
        name: str,
        handler: Callable[..., Any],
        description: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        required: Sequence[str] = (),
        requires_env: Sequence[str] = (),
    ) -> None:
        """Give the agent a tool. One that is there already keeps its name."""
        _check_name(name)
        tool = PluginTool(name, taking(handler), description, parameters or {}, tuple(required), tuple(requires_env))
        self.tools.append(tool)

    def register_command(self, name: str, handler: Callable[[str], Any], description: str) -> None:
        """Give chats a slash command."""
        _check_name(name)
        self.commands.append(PluginCommand(name.lower(), handler, description))

    def register_skill(self, folder: str | Path) -> None:
        """Bring a folder of skills (`<category>/<name>/SKILL.md`), beside the plugin's code or anywhere."""
        path = Path(folder)
        self.skills.append(path if path.is_absolute() or self.plugin.folder is None else self.plugin.folder / path)

    def register_memory_provider(self, provider: Any) -> None:
        """A class (or a function that makes one) on hermes.memory.base.MemoryProvider; the settings choose it by the
        plugin's name (memory.provider)."""
        self.memory_providers[self.name] = provider if callable(provider) else lambda: provider

    def register_context_engine(self, engine: Any) -> None:
        """Something with `compress(messages, *, focus_topic=None)`, which returns the text, or the messages, that stand
        for those; the settings choose it by the plugin's name (context.engine)."""
        if not callable(getattr(engine, "compress", None)):
            raise BadInput("A context engine needs compress(messages, *, focus_topic=None).")
        self.context_engine = engine

    def register_model_provider(self, name: str, base_url: str, **known: Any) -> None:
        """An endpoint; the others are the fields of ModelProvider."""
        self.model_providers.append(ModelProvider(name, base_url, **known))

    def register_web_provider(
        self, name: str, search: Callable[[str, int], Any], read: Callable[[str], Any] | None = None
    ) -> None:
        """A search engine that web.backend can name. `search(query, limit)` returns a list of entries with `title`,
        `url` and `text`; `read(url)` the text of a page, or an entry with `title` and `text`."""
        _check_name(name)
        self.web_providers[name] = (search, read)

    def register_browser_provider(self, name: str, make: Callable[[], Any]) -> None:
        """A browser for the browser toolset: a class on hermes.tools.browser.base.Browser, or a function that makes
        one. With several, browser.engine names the one that is driven."""
        _check_name(name)
        self.browser_providers[name] = make

    def register_platform(self, name: str, make: Callable[[Mapping[str, Any]], Any]) -> None:
        """A messaging platform for `hermes gateway`: a class on hermes.gateway.base.Adapter, or a function that makes
        one, called with the section `platforms.NAME` of the settings. Keys come from `requires_env`, by
        ctx.variables."""
        _check_name(name)
        self.platforms[name] = make


def taking(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The callback, called with no more than it has parameters for, so that one written for fewer values goes on
    working when there are more."""
    try:
        parameters = inspect.signature(callback).parameters.values()
    except (TypeError, ValueError):
        return callback
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return callback
    names = {one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY}

    def called(*args: Any, **values: Any) -> Any:
        return callback(*args, **{name: value for name, value in values.items() if name in names})

    return called


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum() or len(name) > 64:
        raise BadInput(f"{name!r} cannot be a name: letters, digits, - and _, up to 64 of them.")
