"""The status bar: model, tokens of the window, cost, title."""

import time
from typing import TYPE_CHECKING

from hermes.cli.screen import safe
from hermes.cli.width import cut

if TYPE_CHECKING:
    from hermes.commands.chat.chat import Chat

_TITLE = 40


class Bar:
    """Figures are read when something happened, not when the line is drawn."""

    def __init__(self) -> None:
        self._text = ""
        self._began: float | None = None

    def working(self, began: float | None) -> None:
        self._began = began

    def refresh(self, chat: "Chat") -> None:
        standing = chat.agent.usage()
        parts = ["no model" if chat.answers_from_history else chat.agent.provider.model]
        if not chat.answers_from_history:
            share = 100 * standing.tokens // max(1, standing.window)
            parts.append(f"{short(standing.tokens)}/{short(standing.window)} {share}%")
        if chat.settings.display.show_cost:
            parts.append(cost(standing.usage))
        parts.append(cut(safe(chat.agent.title or "new session"), _TITLE))
        self._text = " · ".join(parts)

    def footer(self, chat: "Chat") -> str:
        """The line after an answer, of the fields the settings name."""
        standing = chat.agent.usage()
        known = {
            "model": chat.agent.provider.model,
            "context_pct": f"{100 * standing.tokens // max(1, standing.window)}%",
            "tokens": short(standing.tokens),
            "cost": cost(standing.usage),
            "title": chat.agent.title or "",
            "cwd": str(chat.wishes.cwd or ""),
        }
        fields = chat.settings.display.runtime_footer.fields
        return " · ".join(safe(known[name]) for name in fields if known.get(name))

    def line(self, waiting: int = 0) -> str:
        parts = [self._text] if self._text else ["loading"]
        if self._began is not None:
            parts.append(f"working {time.monotonic() - self._began:.0f}s")
        if waiting:
            parts.append(f"{waiting} queued")
        return " " + " · ".join(parts)


def short(number: int) -> str:
    """`950`, `12.3K`, `200K`, `1M`."""
    for unit, factor in (("M", 1_000_000), ("K", 1_000)):
        if number >= factor:
            return f"{number / factor:.1f}".removesuffix(".0") + unit
    return str(number)


def cost(usage: object) -> str:
    spent = getattr(usage, "actual_cost_usd", None) or getattr(usage, "estimated_cost_usd", None)
    if getattr(usage, "cost_status", None) == "unknown":
        return f"${spent:.4f} and more" if spent else "cost unknown"
    return f"${spent or 0:.4f}"
