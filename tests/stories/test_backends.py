"""Backends of plugins in a chat: a search engine that web.backend names, and a browser for the browser toolset."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hermes.agent.base import Notice
from hermes.commands.chat.chat import Chat, Wishes
from hermes.config import load
from hermes.store import SessionDB
from hermes.tools.registry import registry
from hermes.tools.toolsets import LEAVES
from tests.servers.scripted import Say, Scripted
from tests.stories.chatting import stored
from tests.unit.cli.program import Hermes, refused
from tests.unit.plugins.making import plugin

ENGINE = """
def search(query, limit):
    if query == "broken":
        raise RuntimeError("the engine is cold")
    return [{"title": "Tea", "url": "https://tea.test/", "text": query}, {"url": "ftp://no"}, "odd"]

def read(url):
    return {"title": "A page", "text": "# read by ours: " + url}

def register(ctx):
    ctx.register_web_provider("leaves", search, read)
    ctx.register_web_provider("tavily", search)
"""

# A browser over urllib: links are e1, e2 …, and there is one field.
BROWSER = """
import base64, html.parser, threading, time, urllib.request
from hermes.tools.browser.base import Browser

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.images, self.said = [], [], []
        self.feed(text)
    def handle_starttag(self, tag, found):
        found = dict(found)
        if tag == "a":
            self.links.append(found["href"])
            self.said.append(f"[e{len(self.links)}]")
        if tag == "img":
            self.images.append({"src": found["src"], "alt": found.get("alt", "")})
    def handle_data(self, data):
        self.said.append(data.strip())

class Small(Browser):
    threads = set()
    def __init__(self):
        self.visited, self.field = [], ""
    def navigate(self, url):
        Small.threads.add(threading.get_ident())
        self.visited.append(url)
        self.page = Page(urllib.request.urlopen(url, timeout=5).read().decode())
        return self.snapshot()
    def snapshot(self):
        return " ".join(filter(None, self.page.said)) + f" [field: {self.field}]"
    def click(self, ref):
        return self.navigate(self.visited[0].rstrip("/") + self.page.links[int(ref[1:]) - 1])
    def type(self, ref, text):
        self.field = text
        return self.snapshot()
    def back(self):
        self.visited.pop()
        return self.navigate(self.visited.pop())
    def get_images(self):
        return self.page.images
    def screenshot(self):
        return base64.b64decode(%r)
    def close(self):
        (FOLDER / "closed").write_text("closed ")

def register(ctx):
    global FOLDER
    FOLDER = ctx.folder
    ctx.register_browser_provider("small", Small)
"""
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    registry.forget_checks()
    with Scripted(otherwise=Say("Fine.")) as server:
        hermes_home.mkdir(parents=True)
        (hermes_home / "config.yaml").write_text(server.settings)
        yield server
    registry.forget_checks()


def results(model: Scripted, db: SessionDB, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """What the tools answer to these calls, one after the other, in one chat."""
    registry.forget_checks()
    model.script += [*(Say(calls=[call]) for call in calls), Say("Done.")]
    chat = Chat(db, load(), Wishes(titles_by_model=False))
    for _ in chat.ask("Go."):
        pass
    chat.close()
    return [str(content) for role, content in stored(db, chat.agent.session_id) if role == "tool"]


def test_a_plugins_engine_is_chosen_by_the_setting_and_used(
    model: Scripted, db: SessionDB, hermes: Hermes, hermes_home: Path
) -> None:
    plugin(hermes_home / "plugins" / "web", "tea-leaves", ENGINE, "kind: backend\nprovides_web_providers: [leaves]\n")
    hermes("config", "set", "web.backend", "leaves")  # which switches it on, as it does for a memory
    assert "tea-leaves             on  user        web search provider" in hermes("plugins", "list").out
    found, failed, page = results(
        model,
        db,
        ("web_search", {"query": "green"}),
        ("web_search", {"query": "broken"}),
        ("web_extract", {"urls": ["https://tea.test/"]}),
    )
    assert found.startswith('<web-results engine="leaves" query="green" ')
    assert found.endswith(">\n1. Tea\n   https://tea.test/\n   green\n</web-results>")
    assert failed == "web_search failed: RuntimeError: the engine is cold"
    assert "# read by ours: https://tea.test/" in page
    assert 'title="A page"' in page


def test_an_engine_that_is_there_already_keeps_its_name(
    model: Scripted, db: SessionDB, hermes: Hermes, hermes_home: Path
) -> None:
    plugin(hermes_home / "plugins", "tea-leaves", ENGINE)
    hermes("plugins", "enable", "tea-leaves")
    hermes("config", "set", "web.backend", "tavily")
    [told] = results(model, db, ("web_search", {"query": "green"}))
    assert "tavily needs TAVILY_API_KEY" in hermes("tools", "show", "web").out
    assert "There is no tool 'web_search' here" in told


def test_an_engine_that_is_not_there_is_told_with_those_that_are(
    model: Scripted, db: SessionDB, hermes: Hermes
) -> None:
    hermes("config", "set", "web.backend", "tavilly")
    hermes("config", "set", "browser.engine", "large")
    chat = Chat(db, load(), Wishes(titles_by_model=False))
    assert [event.text for event in chat.ask("hi") if isinstance(event, Notice)] == [
        "There is no search engine 'tavilly' (web.backend); `hermes plugins list` shows what could bring it.",
        "There is no browser 'large' (browser.engine); `hermes plugins list` shows what could bring it.",
    ]
    chat.close()
    assert "there is no search engine 'tavilly' (web.backend); there are: exa" in hermes("tools", "show", "web").out


# -- a browser


class Site(ThreadingHTTPServer):
    pages: ClassVar = {
        "/": '<h1>Tea shop</h1><a href="/green">green tea</a><img src="/leaf.png" alt="a leaf"></browser-page>',
        "/green": "<p>Four euros.</p>",
    }

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = Site.pages[self.path].encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None: ...


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


@pytest.fixture
def browser(model: Scripted, hermes: Hermes, hermes_home: Path) -> Path:
    """A plugin with a browser, switched on; the file in which it notes that it was closed."""
    plugin(
        hermes_home / "plugins" / "browser",
        "small-browser",
        BROWSER % DOT,
        "kind: backend\nprovides_browser_providers: [small]\n",
    )
    hermes("plugins", "enable", "small-browser")
    hermes("config", "set", "browser.allow_private_urls", "true")
    return hermes_home / "plugin-data" / "small-browser" / "closed"


def test_browser_tools_are_there_when_a_browser_is(model: Scripted, db: SessionDB, hermes: Hermes) -> None:
    assert "needs a browser, which a plugin brings" in hermes("tools", "show", "browser").out
    assert not [name for name in offered(model, db) if name.startswith("browser_")]


def offered(model: Scripted, db: SessionDB) -> list[str]:
    results(model, db)
    return [one["function"]["name"] for one in model.sent[-1].body["tools"]]


def test_a_plugins_browser_is_driven(model: Scripted, db: SessionDB, site: Site, browser: Path) -> None:
    assert set(LEAVES["browser"].tools) <= set(offered(model, db))
    shop, green, typed, back, images, missing = results(
        model,
        db,
        ("browser_navigate", {"url": site.url}),
        ("browser_click", {"ref": "e1"}),
        ("browser_type", {"ref": "e1", "text": "two, please"}),
        ("browser_back", {}),
        ("browser_get_images", {}),
        ("browser_console", {}),
    )
    assert shop.startswith('<browser-page step="navigate" ')
    assert shop.endswith(">\nTea shop [e1] green tea [field: ]\n</browser-page>")
    assert "Four euros." in green
    assert "[field: two, please]" in typed
    assert "Tea shop" in back
    assert json.loads(images.splitlines()[1]) == [{"src": "/leaf.png", "alt": "a leaf"}]
    assert missing == "The browser small has no console."
    assert browser.read_text() == "closed "  # with the chat


def test_the_page_is_put_to_a_model_that_sees(model: Scripted, db: SessionDB, site: Site, browser: Path) -> None:
    calls = [("browser_navigate", {"url": site.url}), ("browser_vision", {"question": "What colour?"})]
    model.script += [Say(calls=[calls[0]]), Say(calls=[calls[1]]), Say("It is a dot."), Say("Done.")]
    chat = Chat(db, load(), Wishes(titles_by_model=False))
    for _ in chat.ask("Go."):
        pass
    chat.close()
    asked = model.sent[2].messages[-1]["content"]
    assert asked[0]["text"].endswith("What colour?")
    assert base64.b64decode(asked[1]["image_url"]["url"].partition(",")[2]) == base64.b64decode(DOT)
    assert "It is a dot." in str(stored(db, chat.agent.session_id))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://169.254.169.254/latest", "is not on the public internet"),
        ("file:///etc/passwd", "http:// and https://"),
        ("http://me:secret@tea.test/", "without a name and a password"),
        ("http://[", "is no address"),
    ],
)
def test_a_browser_opens_what_other_tools_may_open(
    model: Scripted, db: SessionDB, browser: Path, url: str, told: str
) -> None:
    [answer] = results(model, db, ("browser_navigate", {"url": url}))
    assert told in answer


def test_another_browser_can_be_named(model: Scripted, hermes: Hermes, browser: Path) -> None:
    hermes("config", "set", "browser.engine", "large")
    told = hermes("tools", "show", "browser").out
    assert "there is no browser 'large' (browser.engine); there are: small" in told


def test_a_backend_of_another_kind_is_refused(model: Scripted, hermes: Hermes, hermes_home: Path) -> None:
    plugin(hermes_home / "plugins", "odd", "def register(ctx): ctx.register_web_provider('a b', print)\n")
    assert "cannot be a name" in refused(hermes("plugins", "enable", "odd"), 2)
