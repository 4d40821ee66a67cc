"""web_search: the first results of whoever searches for us."""

from typing import Any

from hermes.model.fences import fenced
from hermes.tools.registry import text, tool
from hermes.tools.web import engines
from hermes.tools.work import Work, Workplace

_MOST = 20


def _check(place: Workplace) -> str | None:
    return engines.missing(engines.searcher(place.settings, place.variables), place.variables, place.engines)


@tool(
    "web_search",
    toolset="web",
    parameters={
        "query": text("What to search for"),
        "limit": {"type": "integer", "minimum": 1, "maximum": _MOST, "default": 5},
    },
    required=("query",),
    check=_check,
    beside=True,
    seconds=90,
)
def web_search(arguments: dict[str, Any], work: Work) -> str:
    """Search the web: titles, addresses and excerpts. web_extract reads a page."""
    place, query = work.place, arguments["query"].strip()
    name = engines.searcher(place.settings, place.variables)
    found = engines.search(name, place, query, arguments["limit"])
    if not found:
        return f"{name} found nothing for: {query}"
    return fenced("web-results", "\n".join(map(_entry, range(1, len(found) + 1), found)), engine=name, query=query)


def _entry(number: int, found: engines.Found) -> str:
    title = " ".join(found.title.split()) or found.url
    return "\n".join(filter(None, [f"{number}. {title}", f"   {found.url}", f"   {found.text}" * bool(found.text)]))
