"""How far a conversation is and what it took: /usage, /status, /insights, /debug."""

import platform
import time
from typing import Any

from hermes import __version__, paths
from hermes.commands import insights as habits
from hermes.commands.chat.chat import Chat
from hermes.commands.chat.moving import whole
from hermes.commands.chat.resuming import duration
from hermes.commands.reply import Facts, Kind, Reply
from hermes.model.usage import Usage
from hermes.store import SessionDB


def usage(chat: Chat, rest: str) -> Reply:
    standing = chat.agent.usage()
    used = standing.usage
    share = 100 * standing.tokens // max(1, standing.window)
    return _facts(
        ("Window", f"{standing.tokens:,} of {standing.window:,} tokens ({share}%)"),
        ("Input", f"{used.input_tokens:,} tokens"),
        ("Cached", f"{used.cache_read_tokens:,} read, {used.cache_write_tokens:,} written"),
        ("Output", f"{used.output_tokens:,} tokens, {used.reasoning_tokens:,} of them reasoning"),
        ("Model calls", f"{used.api_call_count:,}"),
        ("Cost", cost(used)),
    )


def cost(used: Usage) -> str:
    """In dollars; `unknown` where it is, never a made-up zero."""
    spent = used.estimated_cost_usd if used.actual_cost_usd is None else used.actual_cost_usd
    if used.cost_status == "unknown":
        return "unknown" if not spent else f"${spent:.4f} and an unknown rest"
    return "$0.0000" if spent is None and not used.api_call_count else "unknown" if spent is None else f"${spent:.4f}"


def status(chat: Chat, rest: str) -> Reply:
    agent = chat.agent
    answers = "your own history" if chat.answers_from_history else f"{agent.provider.model} at {agent.provider.name}"
    return _facts(
        ("Session", agent.session_id if agent.created else "none yet"),
        ("Title", agent.title or "none yet"),
        ("Messages", f"{len(agent.messages):,}"),
        ("Answers", answers),
        ("Working", "yes" if agent.busy else "no"),
        ("Queued", f"{len(chat.queue):,}"),
        ("Open for", duration(time.monotonic() - chat.began)),
        *_store(chat),
    )


def _store(chat: Chat) -> list[tuple[str, str]]:
    """Where the store is and how large: for its operator alone."""
    db = chat.db
    if not isinstance(db, SessionDB):
        return []
    return [("Store", f"{db.db_path} ({db.database_size():,} bytes, {db.index_lag():,} messages behind)")]


def insights(chat: Chat, rest: str) -> Reply:
    return habits.insights(chat.db, days=whole(rest, 30))


def debug(chat: Chat, rest: str) -> Reply:
    """Nothing secret, and nothing that was said."""
    return _facts(
        ("Hermes", __version__),
        ("Python", platform.python_version()),
        ("System", platform.platform()),
        ("Home", str(paths.hermes_home())),
        ("Log", str(paths.logs_dir())),
        ("Session", chat.agent.session_id),
        ("Provider", f"{chat.provider.name} · {chat.provider.model}"),
        ("Tokens", f"{chat.agent.usage().tokens:,}"),
        *_store(chat),
    )


def _facts(*facts: tuple[str, str]) -> Reply:
    shown: tuple[tuple[str, Any, Kind], ...] = tuple((name, value, "text") for name, value in facts)
    return Reply((Facts(shown),), data=dict(facts))
