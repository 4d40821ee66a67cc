"""The lines of `bench store` and what is promised for each. The measuring is in store.py."""

from bench.lines import Line, Target

_NONE = Target("most", 0, 0)
GROUPS = ("append", "contention", "list", "open", "load", "size")


def append() -> dict[str, Line]:
    lines = {}
    for state, where in (("fresh", "fresh file"), ("full", "filled file")):
        rate = Target("times", 2.2, 3)
        lines |= {
            f"{state} rate": Line(f"append, one writer, {where}, index caught up", "/s", "more", rate),
            f"{state} p50": Line("  the writer waits, p50", "ms", target=Target("times", 2, 3)),
            f"{state} p99": Line("  the writer waits, p99", "ms", target=Target("times", 5, 15)),
            f"{state} max": Line("  the writer waits, longest", "ms"),
            f"{state} behind": Line("  messages not indexed after close", "", compared=False, target=_NONE),
        }
    return lines | {
        "raw rate": Line("raw limit: bare insert, commit at FULL, no index", "/s", "more"),
        "raw p50": Line("  the writer waits, p50", "ms"),
        "raw p99": Line("  the writer waits, p99", "ms"),
    }


def contention() -> dict[str, Line]:
    return {
        **_writers("8", "8 processes", rate=Target("times", 1.5, 2.5), spread=Target("most", 2, 1.3)),
        **_writers(
            "32",
            "32 processes",
            rate=Target("times", 1.5, 2.5),
            p99=Target("most", 0.3, 0.08),
            longest=Target("most", 1, 0.2),
            spread=Target("most", 2, 1.3),
        ),
        **_writers("threads", "8 threads of one process"),
    }


def _writers(
    name: str,
    who: str,
    *,
    rate: Target | None = None,
    p99: Target | None = None,
    longest: Target | None = None,
    spread: Target | None = None,
) -> dict[str, Line]:
    return {
        f"{name} rate": Line(f"append, {who}, index caught up", "/s", "more", rate),
        f"{name} p50": Line("  a writer waits, p50", "ms"),
        f"{name} p99": Line("  a writer waits, p99", "ms", target=p99),
        f"{name} max": Line("  a writer waits, longest", "ms", target=longest),
        f"{name} spread": Line("  most over least written", "", target=spread),
        f"{name} failed": Line("  appends that raised", "", compared=False, target=_NONE),
        f"{name} lost": Line("  acknowledged and not stored", "", compared=False, target=_NONE),
        f"{name} behind": Line("  messages not indexed after close", "", compared=False, target=_NONE),
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
