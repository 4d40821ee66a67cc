"""Running one tool: arguments checked, time and size bounded, every failure an answer the model can read."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes.errors import HermesError
from hermes.tools.arguments import checked
from hermes.tools.base import ToolResult
from hermes.tools.results import fitted
from hermes.tools.work import Work

if TYPE_CHECKING:
    from hermes.tools.registry import Registry, Tool

log = logging.getLogger(__name__)


def dispatch(registry: "Registry", name: str, arguments: Any, work: Work) -> ToolResult:
    """The tool's answer, whatever it does."""
    try:
        result = _answer(registry, name, arguments, work)
    except HermesError as error:
        return ToolResult(str(error), ok=False)
    except (Exception, SystemExit, asyncio.CancelledError) as error:  # the edge to a tool, which may be a plugin's
        log.exception("tool %s failed in a way it should not", name)
        return ToolResult(f"{name} failed: {type(error).__name__}: {error}", ok=False)
    return result


def _answer(registry: "Registry", name: str, arguments: Any, work: Work) -> ToolResult:
    found = registry.get(name)
    if found is None:
        return ToolResult(f"There is no tool '{name}'{_near(registry, name)}", ok=False)
    reason = registry.missing(name, work.place)
    if reason is not None:
        return ToolResult(f"{name} cannot be used: {reason}", ok=False)
    given = checked(found.schema["parameters"], arguments)
    result = _as_result(_bounded(found, lambda: _run(found, given, work)))
    return fitted(result, work, whole=found.whole)


def _run(found: "Tool", given: dict[str, Any], work: Work) -> Any:
    answer = found.handler(given, work)
    return asyncio.run(answer) if asyncio.iscoroutine(answer) else answer


def _bounded(found: "Tool", run: Callable[[], Any]) -> Any:
    """What `run` returns or raises, within the tool's time; after it the tool is left alone and its answer is void."""
    if found.seconds is None:
        return run()
    outcome: list[Callable[[], Any]] = []

    def attempt() -> None:
        try:
            answer = run()
        except BaseException as error:  # handed on to whoever waits
            outcome.append(partial(_raise, error))
        else:
            outcome.append(lambda: answer)

    thread = threading.Thread(target=attempt, name=f"hermes-{found.name}", daemon=True)
    thread.start()
    thread.join(found.seconds)
    if not outcome:
        return ToolResult(f"{found.name} did not answer within {found.seconds:.0f} s and was left alone.", ok=False)
    return outcome[0]()


def _raise(error: BaseException) -> Any:
    raise error


def _as_result(answer: Any) -> ToolResult:
    if isinstance(answer, ToolResult):
        return answer
    if isinstance(answer, str):
        return ToolResult(answer)
    return ToolResult(json.dumps(answer, ensure_ascii=False, default=str))


def _near(registry: "Registry", name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, registry.names(), 1)
    return f"; did you mean '{near[0]}'?" if near else "."
