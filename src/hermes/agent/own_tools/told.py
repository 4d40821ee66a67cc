"""What the model is told of the conversation's own tools. Apart from what they do, so that a question which calls none
of them loads none of them."""

from typing import TYPE_CHECKING, Any

from hermes.tools.registry import text

if TYPE_CHECKING:
    from hermes.config import Settings

STATUSES = ("pending", "in_progress", "completed", "cancelled")
LARGEST = 100_000  # characters of one session
_NAMES = {"type": "array", "items": {"type": "string"}}
_TASK = {"goal": text(), "context": text(), "toolsets": {**_NAMES, "description": "default: yours"}}
_ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "content": {"type": "string"},
        "status": {"type": "string", "enum": list(STATUSES)},
    },
    "required": ["id"],
}
_SUMMARY = {"summary": {"type": "boolean", "description": "add summaries, up to 10 s"}}

ABOUT = {
    "session_search": "Recall earlier conversations, in their exact words. query: the sessions that hold all of these "
    'words (OR, NOT, "phrase", prefix*), with the text around them. No query: recent sessions. session_id alone: read '
    "that session; with around: near that message.",
    "todo": "The list of what is to be done here, for work of several steps; the person sees it. todos replaces the "
    "list, with merge it changes items by id and adds new ones. Without arguments: the list. One item in_progress at a "
    "time.",
    "clarify": "Ask the person, when only they can decide and a wrong guess would cost them. Up to nine choices; they "
    "may also answer in their own words.",
    "delegate_task": "Have a child agent do a task on its own and get its answer: for work that is long, or that can "
    "go on side by side (tasks). A child knows nothing of this conversation: say all it needs in goal and context.",
}
PARAMETERS: dict[str, dict[str, Any]] = {
    "session_search": {
        "query": text(),
        "session_id": text("id or title"),
        "around": {"type": "integer", "description": "message id"},
        "role_filter": text("user,assistant,tool"),
        "limit": {"type": "integer", "minimum": 1, "maximum": 10, "description": "sessions, default 3"},
        "after": text("2026-03-01, 7d"),
        "before": text(),
        "source": text("cli, telegram, …"),
        "exclude_sessions": _NAMES,
        "characters": {
            "type": "integer",
            "minimum": 200,
            "maximum": LARGEST,
            "description": "per session, default 4000",
        },
    },
    "todo": {"todos": {"type": "array", "items": _ITEM}, "merge": {"type": "boolean"}},
    "clarify": {"question": text(), "choices": _NAMES},
    "delegate_task": {
        **_TASK,
        "tasks": {"type": "array", "items": {"type": "object", "properties": {name: {} for name in _TASK}}},
    },
}
REQUIRED = {"clarify": ("question",)}


def parameters(name: str, settings: "Settings") -> dict[str, Any]:
    summary = _SUMMARY if name == "session_search" and sums_up(settings) else {}
    return {**PARAMETERS[name], **summary}


def sums_up(settings: "Settings") -> bool:
    """Whether a model of its own is named for summaries (auxiliary.compression)."""
    wish = settings.auxiliary.compression
    return bool(wish.model or wish.base_url or wish.provider not in ("", "auto", "main"))
