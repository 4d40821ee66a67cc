"""clarify: a question to the person, with choices where that helps. Where nobody is there, it says so at once."""

import queue
import threading
import time
from typing import Any

from hermes.agent.conversation import Conversation
from hermes.agent.setup import Setup
from hermes.errors import ToolError
from hermes.tools.base import ToolResult
from hermes.tools.registry import Handler
from hermes.tools.work import Work

_MOST_CHOICES = 9
_LOOKS = 0.1  # seconds between two looks at whether the turn was stopped
_GO_ON = "Go on with what is most likely meant, do nothing that cannot be undone, and say what you assumed."


def make(setup: Setup, conversation: Conversation) -> Handler:
    return clarify


def clarify(arguments: dict[str, Any], work: Work) -> ToolResult:
    question = str(arguments["question"]).strip()
    choices = list(dict.fromkeys(" ".join(str(one).split()) for one in arguments.get("choices") or ()))
    if not question or len(choices) > _MOST_CHOICES:
        raise ToolError(f"A question is a text, with up to {_MOST_CHOICES} choices.")
    seconds = work.place.settings.agent.clarify_timeout
    began = time.monotonic()
    answer = _answer(question, [one for one in choices if one], work, seconds)
    if answer:
        return ToolResult(answer)
    if work.context.stopped():
        return ToolResult("The person stopped the turn instead of answering.", ok=False)
    if time.monotonic() - began >= seconds:
        return ToolResult(f"The person did not answer within {seconds} s. {_GO_ON}", ok=False)
    return ToolResult(f"No answer: nobody is there to be asked, or they left the question open. {_GO_ON}", ok=False)


def _answer(question: str, choices: list[str], work: Work, seconds: float) -> str | None:
    """What the person says; None without an answer, after the time, or when the turn is stopped."""
    answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def ask() -> None:
        answers.put(work.context.ask(question, choices))

    threading.Thread(target=ask, name="hermes-clarify", daemon=True).start()
    ends = time.monotonic() + seconds
    while not work.context.stopped() and (left := ends - time.monotonic()) > 0:
        try:
            return answers.get(timeout=min(left, _LOOKS))
        except queue.Empty:
            continue
    return None
