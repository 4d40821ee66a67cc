"""Who can search the web, and who can read pages for us: a table with one entry each.

An engine is used when its key is there. Its address can be another one than the public (`EXA_API_URL`, …): a proxy of
a company, a server of one's own.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from hermes.config import Settings
from hermes.errors import ToolError
from hermes.tools.web.addresses import Access, access
from hermes.tools.web.fetch import Limits, Question, fetch
from hermes.tools.work import Workplace

_SNIPPET = 600  # characters of one result


class Found(NamedTuple):
    title: str
    url: str
    text: str = ""


class Api:
    """An engine's server, and our key for it."""

    def __init__(self, name: str, url: str, key: str, allowed: Access) -> None:
        self.name, self.key = name, key
        self._url = url.rstrip("/")
        self._access = allowed.with_host(urlsplit(url).hostname or "")  # the person chose it, wherever it is

    def get(self, path: str, query: Mapping[str, Any], headers: Mapping[str, str] = {}) -> Any:
        return self._json(self._send(f"{path}?{urlencode(query)}", Question("GET", headers)))

    def page(self, path: str, query: Mapping[str, Any]) -> str:
        return self._send(f"{path}?{urlencode(query)}", Question()).decode("utf-8", "replace")

    def post(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        sent = {"Content-Type": "application/json", **(self.bearer if headers is None else headers)}
        return self._json(self._send(path, Question("POST", sent, json.dumps(body).encode())))

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def _send(self, path: str, question: Question) -> bytes:
        page = fetch(self._url + path, self._access, question, limits=Limits(seconds=60, redirects=0))
        if page.status != 200:
            told = page.body[:300].decode("utf-8", "replace").replace(self.key or "\0", "***")
            raise ToolError(
                f"{self.name} answered with status {page.status}{_advice(page.status)}: {' '.join(told.split())}"
            )
        return page.body

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise ToolError(f"{self.name} did not answer in JSON.") from None


def _advice(status: int) -> str:
    known = {202: " (it takes us for a robot; choose another web.backend)", 429: " (too many searches; wait)"}
    return known.get(status, " (is the key right?)" if status in (401, 403) else "")


# -- searching, one function an engine


def _brave(api: Api, query: str, limit: int) -> list[Found]:
    answer = api.get("/res/v1/web/search", {"q": query, "count": limit}, {"X-Subscription-Token": api.key})
    return _listed(_part(answer, "web", "results"), text="description")


def _ddgs(api: Api, query: str, limit: int) -> list[Found]:
    from selectolax.lexbor import LexborHTMLParser

    found = []
    for result in LexborHTMLParser(api.page("/html/", {"q": query})).css(".result"):
        link, said = result.css_first("a.result__a"), result.css_first(".result__snippet")
        url = _unwrapped((link.attributes.get("href") or "") if link else "")
        if link is not None and url:
            found.append(Found(_said(link.text()), url, _said(said.text() if said else "")))
    return found


def _unwrapped(href: str) -> str:
    """The page itself, where the link goes through the engine's counter; empty for an advertisement."""
    parts = urlsplit(href)
    if parts.path == "/l/":
        return parse_qs(parts.query).get("uddg", [""])[0]
    return href if parts.scheme in ("http", "https") and parts.path != "/y.js" else ""


def _exa(api: Api, query: str, limit: int) -> list[Found]:
    body = {"query": query, "numResults": limit, "contents": {"highlights": True}}
    return _listed(_part(api.post("/search", body, {"x-api-key": api.key}), "results"), text="highlights")


def _firecrawl(api: Api, query: str, limit: int) -> list[Found]:
    data = _part(api.post("/v2/search", {"query": query, "limit": limit}), "data")
    return _listed(data if isinstance(data, list) else _part(data, "web"), text="description")


def _parallel(api: Api, query: str, limit: int) -> list[Found]:
    body = {"search_queries": [query], "mode": "basic", "advanced_settings": {"max_results": limit}}
    return _listed(_part(api.post("/v1/search", body, {"x-api-key": api.key}), "results"), text="excerpts")


def _searxng(api: Api, query: str, limit: int) -> list[Found]:
    return _listed(_part(api.get("/search", {"q": query, "format": "json"}), "results"), text="content")


def _tavily(api: Api, query: str, limit: int) -> list[Found]:
    return _listed(_part(api.post("/search", {"query": query, "max_results": limit}), "results"), text="content")


def _xai(api: Api, query: str, limit: int) -> list[Found]:
    """A model searches and answers; its sources are the results, and what it says stands at the first."""
    wish = f"Search the web for: {query}\nAnswer in a few sentences, with your sources."
    body = {"model": "grok-4-fast", "input": wish, "tools": [{"type": "web_search"}], "store": False}
    parts = [part for item in _part(api.post("/v1/responses", body), "output") for part in item.get("content") or ()]
    told = " ".join(str(part.get("text", "")) for part in parts)
    cited = {
        note["url"]: note.get("title") or ""
        for part in parts
        for note in part.get("annotations") or ()
        if "url" in note
    }
    return [Found(title, url, told * (place == 0)) for place, (url, title) in enumerate(cited.items())]


# -- reading


def _read_exa(api: Api, url: str) -> Found:
    [one] = _part(api.post("/contents", {"urls": [url], "text": True}, {"x-api-key": api.key}), "results")[:1] or [{}]
    return Found(str(one.get("title") or ""), url, str(one.get("text") or ""))


def _read_firecrawl(api: Api, url: str) -> Found:
    data = _part(api.post("/v2/scrape", {"url": url, "formats": ["markdown"]}), "data")
    return Found(str((data.get("metadata") or {}).get("title") or ""), url, str(data.get("markdown") or ""))


def _read_parallel(api: Api, url: str) -> Found:
    body = {"urls": [url], "advanced_settings": {"full_content": True}}
    [one] = _part(api.post("/v1/extract", body, {"x-api-key": api.key}), "results")[:1] or [{}]
    return Found(str(one.get("title") or ""), url, str(one.get("full_content") or ""))


def _read_tavily(api: Api, url: str) -> Found:
    [one] = _part(api.post("/extract", {"urls": [url], "format": "markdown"}), "results")[:1] or [{}]
    return Found("", url, str(one.get("raw_content") or ""))


class Engine(NamedTuple):
    key: str  # the variable that makes it usable; empty: it needs none
    url: str  # empty: the variable is the address
    search: Callable[[Api, str, int], list[Found]]
    read: Callable[[Api, str], Found] | None = None


# In this order when several keys are there; what needs none comes last.
ENGINES = {
    "exa": Engine("EXA_API_KEY", "https://api.exa.ai", _exa, _read_exa),
    "parallel": Engine("PARALLEL_API_KEY", "https://api.parallel.ai", _parallel, _read_parallel),
    "tavily": Engine("TAVILY_API_KEY", "https://api.tavily.com", _tavily, _read_tavily),
    "firecrawl": Engine("FIRECRAWL_API_KEY", "https://api.firecrawl.dev", _firecrawl, _read_firecrawl),
    "brave_free": Engine("BRAVE_SEARCH_API_KEY", "https://api.search.brave.com", _brave),
    "searxng": Engine("SEARXNG_URL", "", _searxng),
    "xai": Engine("XAI_API_KEY", "https://api.x.ai", _xai),
    "ddgs": Engine("", "https://html.duckduckgo.com", _ddgs),
}


class Plugged(NamedTuple):
    """An engine of a plugin. `search(query, limit)` returns entries with `title`, `url` and `text`; `read(url)` returns
    a text, or an entry with `title` and `text`. What either raises is told to the model."""

    search: Callable[[str, int], Any]
    read: Callable[[str], Any] | None = None


Others = Mapping[str, Plugged]
_NONE: Others = {}


def searcher(settings: Settings, variables: Mapping[str, str]) -> str:
    """The engine that searches: the one in the settings, or the first there is a key for."""
    chosen = settings.web.search_backend or settings.web.backend
    return chosen or next(name for name, engine in ENGINES.items() if not engine.key or variables.get(engine.key))


def reader(settings: Settings, others: Others = _NONE) -> str:
    """The engine that reads pages for us; empty: we read them ourselves."""
    if settings.web.extract_backend:
        return settings.web.extract_backend
    known = ENGINES.get(settings.web.backend) or others.get(settings.web.backend)
    return settings.web.backend if known is not None and known.read else ""


def missing(name: str, variables: Mapping[str, str], others: Others = _NONE) -> str | None:
    """Why an engine cannot be used."""
    if name not in ENGINES:
        there = ", ".join([*ENGINES, *others])
        return None if name in others else f"there is no search engine '{name}' (web.backend); there are: {there}"
    key = ENGINES[name].key
    return None if not key or variables.get(key) else f"{name} needs {key}: hermes config set {key} …"


def api(name: str, place: Workplace) -> Api:
    engine, variables = ENGINES[name], place.variables
    lacking = missing(name, variables)
    if lacking:
        raise ToolError(lacking)
    key = variables.get(engine.key, "").strip()
    default = engine.url or key
    url = variables.get(f"{name.upper().removesuffix('_FREE')}_API_URL") or default
    return Api(name, url, "" if not engine.url else key, access(place.settings))


def search(name: str, place: Workplace, query: str, limit: int) -> list[Found]:
    """The first results, each with an address that can be opened."""
    if name in ENGINES:
        found = ENGINES[name].search(api(name, place), query, limit)
    else:
        found = _listed(_plugged(name, place).search(query, limit), text="text")
    return [one for one in found if one.url.startswith(("http://", "https://"))][:limit]


def _plugged(name: str, place: Workplace) -> Plugged:
    lacking = missing(name, place.variables, place.engines)
    if lacking:
        raise ToolError(lacking)
    found: Plugged = place.engines[name]
    return found


def read(name: str, place: Workplace, url: str) -> Found:
    """A page, read by an engine."""
    address = quote(url, safe=":/?#[]@!$&'()*+,;=%-._~")
    if name in ENGINES:
        reads = ENGINES[name].read
        page = reads(api(name, place), address) if reads else None
    else:
        plugged = _plugged(name, place)
        page = _page(plugged.read(address), url) if plugged.read else None
    if page is None:
        raise ToolError(f"{name} does not read pages; set web.extract_backend to another one, or leave it empty.")
    if not page.text.strip():
        raise ToolError(f"{name} found nothing at {url}.")
    return page


def _page(answer: Any, url: str) -> Found:
    if isinstance(answer, Mapping):
        return Found(str(answer.get("title") or ""), url, str(answer.get("text") or ""))
    return Found("", url, answer if isinstance(answer, str) else "")


def _part(answer: Any, *names: str) -> Any:
    """What is under these names; an empty list where it is not."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, Mapping) else None
    return [] if answer is None else answer


def _listed(entries: Any, *, text: str) -> list[Found]:
    entries = [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list | tuple) else []
    return [
        Found(str(entry.get("title") or ""), str(entry.get("url") or ""), _said(entry.get(text))) for entry in entries
    ]


def _said(value: Any) -> str:
    text = " … ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return " ".join(text.split())[:_SNIPPET]
