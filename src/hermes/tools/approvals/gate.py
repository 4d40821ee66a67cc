"""The gate: every command, every write and every look at a secret passes here. What is refused is a ToolError that the
model reads; what is allowed, and by whom, goes on record."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hermes.errors import ToolError
from hermes.model.owners import LOCAL, main_account
from hermes.tools.approvals import record
from hermes.tools.approvals.opinion import opinion
from hermes.tools.approvals.places import read_reasons, write_reasons
from hermes.tools.approvals.record import Action, Decision
from hermes.tools.work import Work

CHOICES = ("once", "session", "always", "deny")


def allow_command(command: str, work: Work, folder: Path, variables: Mapping[str, str]) -> None:
    """Let a command run, or raise ToolError. It is judged on what a shell would make of it."""
    from hermes.tools.approvals.judge import Surroundings, judged

    made = made_here(work)
    verdict = judged(command, Surroundings(folder, work.place.folder, variables, frozenset(made)))
    _pass(Action("command", command, str(folder)), verdict.reasons, work)
    made |= {path for path in verdict.written if not path.exists()}


def allow_write(path: Path, work: Work) -> None:
    """Let a file be written: freely in the workspace, elsewhere when somebody says yes."""
    _pass(Action("write", str(path), ""), write_reasons(path, work.place.folder), work)


def made_here(work: Work) -> set[Path]:
    """Files that this conversation made, which it may replace without asking."""
    return work.place.keep("made", set)


def allow_read(path: Path, work: Work) -> None:
    """Let a file be read: freely, unless it holds secrets."""
    _pass(Action("read", str(path), ""), read_reasons(path), work)


class _Memory:
    """What was decided in this conversation. One question at a time."""

    def __init__(self) -> None:
        self.answers: dict[str, bool] = {}
        self.lock = threading.Lock()


def _pass(action: Action, reasons: Sequence[str], work: Work) -> None:
    smart = work.place.settings.approvals.mode == "smart" and action.kind == "command"
    advice = opinion(action, work) if smart and not work.place.yolo else ""
    reasons = (*reasons, *((advice,) if advice else ()))
    if not reasons:
        return
    memory = work.place.keep("approvals", _Memory)
    with memory.lock:
        decision = _decision(action, reasons, work, memory)
    record.note(action, decision, reasons, work.context.session_id)
    if not decision.allowed:
        raise ToolError(_refusal(action, decision, reasons))


def _decision(action: Action, reasons: tuple[str, ...], work: Work, memory: _Memory) -> Decision:
    settings = work.place.settings
    if work.place.yolo or settings.approvals.mode == "off":
        return Decision(True, "yolo")
    if action.key in memory.answers:
        return Decision(memory.answers[action.key], "remembered")
    if action.kind == "command" and action.subject in settings.command_allowlist:
        return Decision(True, "listed")
    if record.is_always(action):
        return Decision(True, "always")
    if work.context.platform == "cron":
        return Decision(settings.approvals.cron_mode == "approve", "cron")
    return _asked(action, reasons, work, memory)


def _asked(action: Action, reasons: tuple[str, ...], work: Work, memory: _Memory) -> Decision:
    answer = _answer(_question(action, reasons), work)
    if answer in ("session", "always"):
        memory.answers[action.key] = True
    if answer == "always":
        record.allow_always(action, work.context.session_id)
    if answer in ("once", "session", "always"):
        return Decision(True, answer)
    if answer in (None, "time"):
        return Decision(False, "time" if answer else "nobody")
    memory.answers[action.key] = False  # the same is not asked again in this conversation
    return Decision(False, "denied")


def _answer(question: str, work: Work) -> str | None:
    """What the person chose; None: nobody is there; `time`: nobody answered in time. An answer that is none of the
    choices, an empty one above all, is a no."""
    choices = [choice for choice in CHOICES if choice != "always" or _is_operator(work)]
    outcome: list[str | None] = []
    asking = threading.Thread(
        target=lambda: outcome.append(work.context.ask(question, choices)), name="hermes-approval", daemon=True
    )
    asking.start()
    deadline = time.monotonic() + work.place.settings.approvals.timeout
    while asking.is_alive() and time.monotonic() < deadline and not work.context.stopped():
        asking.join(0.05)
    if asking.is_alive():
        return "time"  # whatever is answered later is void
    answer = outcome[0] if outcome else None
    return answer if answer is None or answer in choices else "deny"


def _is_operator(work: Work) -> bool:
    """Only who this machine belongs to decides for good, and for everybody who talks to it."""
    return main_account(work.place.settings.gateway.identities, work.context.owner) == LOCAL


def _question(action: Action, reasons: Sequence[str]) -> str:
    verbs = {"command": "Run this command", "write": "Write this file", "read": "Show this file to the model"}
    place = f" (in {action.folder})" if action.folder else ""
    return f"{verbs[action.kind]}?{place}\n\n    {action.subject}\n\nBecause: {'; '.join(reasons)}."


def _refusal(action: Action, decision: Decision, reasons: Sequence[str]) -> str:
    what = {"command": "This command", "write": f"Writing {action.subject}", "read": f"Reading {action.subject}"}
    why = {
        "nobody": "needs a yes, and nobody is there to ask",
        "time": "needs a yes, and nobody answered in time",
        "cron": "needs a yes, which a scheduled job does not get (approvals.cron_mode)",
        "denied": "was refused by the person",
        "remembered": "was refused by the person before",
    }
    told = f"{what[action.kind]} {why[decision.how]} ({'; '.join(reasons)})."
    return f"{told} Do not try it in another way; say what it was for."
