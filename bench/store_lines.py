"""The lines of `bench store` and what is promised for each. The measuring is in store.py."""

from bench.lines import Line, Target

_NONE = Target("most", 0, 0)
NAMES = ("append", "contention", "list", "open", "load", "size")


def append(where: str) -> dict[str, Line]:
    return {
        "rate": Line(f"append, one writer, {where}, index caught up", "/s", "more", Target("times", 2.2, 3)),
        "p50": Line("  the writer waits, p50", "ms", target=Target("times", 2, 3)),
        "p99": Line("  the writer waits, p99", "ms", target=Target("times", 5, 15)),
        "max": Line("  the writer waits, longest", "ms"),
        "processor": Line("  processor time a message, index included", "ms"),
        "behind": Line("  messages not indexed after close", "", compared=False, target=_NONE),
    }


def raw() -> dict[str, Line]:
    return {
        "rate": Line("raw limit: bare insert, commit at FULL, no index", "/s", "more"),
        "p50": Line("  the writer waits, p50", "ms"),
        "p99": Line("  the writer waits, p99", "ms"),
    }


def processes(count: int) -> dict[str, Line]:
    lines = _writers(f"{count} processes")
    lines["rate"].target = Target("times", 1.5, 2.5)
    lines["spread"].target = Target("most", 2, 1.3)
    if count == 32:
        lines["p99"].target = Target("most", 0.3, 0.08)
        lines["max"].target = Target("most", 1, 0.2)
    return lines


def threads(count: int) -> dict[str, Line]:
    return _writers(f"{count} threads of one process")


def _writers(who: str) -> dict[str, Line]:
    return {
        "rate": Line(f"append, {who}, index caught up", "/s", "more"),
        "p50": Line("  a writer waits, p50", "ms"),
        "p99": Line("  a writer waits, p99", "ms"),
        "max": Line("  a writer waits, longest", "ms"),
        "spread": Line("  most over least written", ""),
        "failed": Line("  appends that raised", "", compared=False, target=_NONE),
        "lost": Line("  acknowledged and not stored", "", compared=False, target=_NONE),
        "behind": Line("  messages not indexed after close", "", compared=False, target=_NONE),
    }


def lists(sessions: int) -> dict[str, Line]:
    names = {
        "started": "by start",
        "active": "by last activity",
        "common": "of a common source",
        "common_active": "of a common source, by activity",
        "rare": "of a rare source",
        "rare_active": "of a rare source, by activity",
        "excluded": "two sources left out",
        "excluded_active": "two sources left out, by activity",
    }
    bound = Target("most", 0.005, 0.0003)
    return {name: Line(f"list 20 of {sessions:,} {what}", "ms", target=bound) for name, what in names.items()}


def opening() -> dict[str, Line]:
    return {
        "open": Line("open and close an existing file", "ms", target=Target("times", 1, 2)),
        "read": Line("open an existing file and read a session", "ms", target=Target("times", 1, 2)),
    }


def loading(messages: int) -> dict[str, Line]:
    return {
        "rows": Line(f"load a session of {messages:,} messages, rows", "ms", target=Target("times", 1, 2)),
        "conversation": Line(f"load a session of {messages:,}, conversation", "ms", target=Target("times", 1, 2)),
    }


def sizes() -> dict[str, Line]:
    return {
        "closed": Line("size on disk after close", "MB"),
        "merged": Line("size on disk, index merged", "MB", target=Target("times", 3.8, 5)),
    }
