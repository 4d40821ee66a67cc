"""Times as people say them."""

from datetime import datetime


def relative(then: float, now: float) -> str:
    """just now, 5m ago, 2h ago, yesterday, 3d ago, then the date."""
    elapsed = max(0.0, now - then)
    if elapsed < 60:
        return "just now"
    if elapsed < 3600:
        return f"{int(elapsed // 60)}m ago"
    if elapsed < 86400:
        return f"{int(elapsed // 3600)}h ago"
    day = datetime.fromtimestamp(then).date()
    days = (datetime.fromtimestamp(now).date() - day).days
    if days == 1:
        return "yesterday"
    return f"{days}d ago" if days < 7 else day.isoformat()
