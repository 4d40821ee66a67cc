"""The registry: every tool by its name. A tool registers itself when its module is imported.

    @tool("read_file", toolset="file", parameters={"path": text("Path to the file to read")}, required=("path",))
    def read_file(arguments: dict[str, Any], work: Work) -> str:
        "Read a text file with line numbers."

The docstring is what the model is told. A handler takes checked arguments and the work it is for, and returns a text,
a ToolResult, or anything JSON can say; it raises ToolError for what the model should read and act on. It may be
`async`. Modules are loaded when one of their tools is asked for (`MODULES`), so that a chat without tools pays nothing.
"""

import inspect
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from hermes.errors import BadInput
from hermes.tools.work import Work, Workplace

_REMEMBERED = 30.0  # seconds an availability check holds
_BOUND = 300.0  # seconds for a tool that does not say how long it may take

# Where the tools of this program are: module under hermes.tools, and the names it registers.
MODULES: dict[str, tuple[str, ...]] = {
    "files.reading": ("read_file",),
    "files.writing": ("write_file", "patch"),
    "files.searching": ("search_files",),
    "terminal.commands": ("terminal",),
    "terminal.processes": ("process",),
    "web.search": ("web_search",),
    "web.extract": ("web_extract",),
    "vision": ("vision_analyze",),
    "browser.actions": (
        "browser_navigate",
        "browser_snapshot",
        "browser_click",
        "browser_type",
        "browser_scroll",
        "browser_back",
        "browser_press",
        "browser_get_images",
        "browser_vision",
        "browser_console",
    ),
}

Handler = Callable[[dict[str, Any], Work], Any]


class Tool(NamedTuple):
    """One tool. `schema` is the function in the OpenAI form; `check` says why it cannot be used here (None: it can);
    `beside`: it may run beside others; `seconds`: how long it may take (None: it sees to that itself); `whole`: its
    answer is bounded already."""

    name: str
    toolset: str
    schema: Mapping[str, Any]
    handler: Handler
    check: Callable[[Workplace], str | None] | None = None
    requires_env: tuple[str, ...] = ()
    beside: bool = False
    seconds: float | None = _BOUND
    whole: bool = False

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.handler)


class Registry:
    """Tools by name, from any thread."""

    def __init__(self, modules: Mapping[str, Sequence[str]] = MODULES) -> None:
        self._modules = modules
        self._tools: dict[str, Tool] = {}
        self._checked: dict[tuple[str, str], tuple[float, str | None]] = {}
        self._lock = threading.RLock()

    # -- what there is

    def register(self, one: Tool) -> None:
        """Add a tool. A name that another one has is refused: nothing takes the place of a tool without a word."""
        with self._lock:
            before = self._tools.get(one.name)
            if before is not None and _origin(before) != _origin(one):
                raise BadInput(f"There is a tool '{one.name}' already (from {_origin(before)}); choose another name.")
            self._tools[one.name] = one

    def remove(self, name: str) -> None:
        """Take a tool out, as when its server is gone. Nothing happens when it is not there."""
        with self._lock:
            self._tools.pop(name, None)

    def get(self, name: str) -> Tool | None:
        """The tool of this name; its module is loaded when it has to be."""
        if name not in self._tools:
            module = next((module for module, names in self._modules.items() if name in names), None)
            if module is not None:
                import_module(f"hermes.tools.{module}")
        return self._tools.get(name)

    def names(self) -> list[str]:
        """Every name: those registered, and those whose module is not loaded yet."""
        return sorted({*self._tools, *(name for names in self._modules.values() for name in names)})

    def in_toolset(self, toolset: str) -> list[str]:
        """Names of registered tools that say they belong to this toolset: those of plugins and of MCP servers."""
        return [one.name for one in list(self._tools.values()) if one.toolset == toolset]

    # -- what can be used

    def missing(self, name: str, place: Workplace) -> str | None:
        """Why a tool cannot be used here; None: it can. A check is asked again after half a minute."""
        one = self.get(name)
        if one is None:
            return "not part of this Hermes yet"
        unset = [variable for variable in one.requires_env if not place.variables.get(variable)]
        if unset:
            return f"needs {' and '.join(unset)}: hermes config set {unset[0]} …"
        return self._check(one, place)

    def _check(self, one: Tool, place: Workplace) -> str | None:
        if one.check is None:
            return None
        key, now = (one.name, str(place.folder)), time.monotonic()
        known = self._checked.get(key)
        if known is None or known[0] < now:
            known = self._checked[key] = (now + _REMEMBERED, _reason(one.check, place))
        return known[1]

    def forget_checks(self) -> None:
        """Ask every check again, after a setting changed."""
        self._checked.clear()

    def get_definitions(self, names: Iterable[str], place: Workplace) -> list[dict[str, Any]]:
        """What the model is told of those tools that can be used here, by name."""
        usable = (one for one in sorted(set(names)) if self.missing(one, place) is None)
        return [{"type": "function", "function": dict(self._tools[one].schema)} for one in usable]

    def dispatch(self, name: str, arguments: Any, work: Work) -> Any:
        """Run a tool. Never raises for what the tool does; bounded in time and size."""
        from hermes.tools.dispatch import dispatch

        return dispatch(self, name, arguments, work)


def _reason(check: Callable[[Workplace], str | None], place: Workplace) -> str | None:
    try:
        return check(place)
    except Exception as error:  # the edge to a tool, which may be a plugin's
        return f"its check failed ({type(error).__name__}: {error})"


def _origin(one: Tool) -> str:
    return f"{one.handler.__module__}.{one.handler.__qualname__}"


registry = Registry()


def tool(
    name: str,
    *,
    toolset: str,
    parameters: Mapping[str, Any],
    required: Sequence[str] = (),
    into: Registry | None = None,
    **known: Any,
) -> Callable[[Handler], Handler]:
    """Register a function as a tool; its docstring is the description, and `known` are the other fields of Tool."""

    def add(handler: Handler) -> Handler:
        description = " ".join(inspect.getdoc(handler).split()) if handler.__doc__ else name  # type: ignore[union-attr]
        (into or registry).register(
            Tool(name, toolset, function(name, description, parameters, required), handler, **known)
        )
        return handler

    return add


def function(name: str, description: str, parameters: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """The OpenAI form of a function."""
    inside: dict[str, Any] = {"type": "object", "properties": dict(parameters)}
    if required:
        inside["required"] = list(required)
    return {"name": name, "description": description, "parameters": inside}


def text(description: str = "", **more: Any) -> dict[str, Any]:
    """A parameter that is a text."""
    return {"type": "string", **({"description": description} if description else {}), **more}


def handle_function_call(name: str, arguments: Any, work: Work) -> Any:
    """What the loop calls for every tool that is not its own."""
    return registry.dispatch(name, arguments, work)
