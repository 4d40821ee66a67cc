"""Tabs that plugins bring, on the API server: listed, shown to whoever has a key, and nothing but their own files."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from hermes.config import load
from hermes.gateway.adapters.api_server import ApiServer
from hermes.gateway.core import Gateway
from hermes.store import SessionDB
from tests.servers.platform import running
from tests.servers.scripted import Scripted
from tests.stories.api import KEYS, api_configured, echo, get, url
from tests.unit.cli.program import Hermes, refused
from tests.unit.plugins.making import plugin

BUNDLE = """const answer = await fetch("/api/sessions");
document.getElementById("tab").textContent = (await answer.json()).sessions.length + " sessions";
"""


@pytest.fixture
def folder(hermes_home: Path) -> Path:
    """A plugin that is a tab and nothing else: no code in Python."""
    found = plugin(hermes_home / "plugins", "how-many", "")
    (found / "__init__.py").unlink()
    (found / "dashboard" / "dist").mkdir(parents=True)
    (found / "dashboard" / "dist" / "index.js").write_text(BUNDLE)
    about = {"label": "How <many>", "entry": "dist/index.js", "description": "Counts"}
    (found / "dashboard" / "manifest.json").write_text(json.dumps(about))
    return found


@pytest.fixture
def gateway(hermes_home: Path, folder: Path) -> Iterator[Gateway]:
    with Scripted(otherwise=echo) as model, SessionDB() as db:
        api_configured(hermes_home, model, plugins={"enabled": ["how-many"]})
        with running(db, ApiServer(load())) as gateway:
            yield gateway


def test_it_is_switched_on_like_any_other(hermes: Hermes, hermes_home: Path, folder: Path) -> None:
    done = hermes("plugins", "enable", "how-many")
    assert done.out == "how-many is on, from the next chat. The API server shows it at /dashboard/plugins/how-many/.\n"
    assert "how-many               on  user        dashboard" in hermes("plugins", "list").out
    assert "Registers tabs: /dashboard/plugins/how-many/" in hermes("plugins", "show", "how-many").out


def test_a_tab_is_listed_and_its_page_loads_its_bundle(gateway: Gateway) -> None:
    [tab] = get(gateway, "/api/dashboard").json()["tabs"]
    assert tab == {
        "name": "how-many",
        "label": "How <many>",
        "description": "Counts",
        "path": "/dashboard/plugins/how-many/",
    }
    assert '<a href="/dashboard/plugins/how-many/">How &lt;many&gt;</a> Counts' in get(gateway, "/dashboard").text
    page = get(gateway, tab["path"])
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert '<script type="module" src="dist/index.js"></script>' in page.text
    bundle = get(gateway, tab["path"] + "dist/index.js")
    assert (bundle.text, bundle.headers["content-type"]) == (BUNDLE, "text/javascript; charset=utf-8")
    assert get(gateway, "/dashboard/plugins/how-many").headers["location"] == "/dashboard/plugins/how-many/"


def test_a_browser_asks_for_the_key_and_reads_with_it(gateway: Gateway) -> None:
    for path in ("/dashboard", "/dashboard/plugins/how-many/", "/dashboard/plugins/how-many/dist/index.js"):
        refused = httpx2.get(url(gateway) + path)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="Hermes"')
    assert "www-authenticate" not in httpx2.get(f"{url(gateway)}/api/sessions").headers
    known = "Basic " + base64.b64encode(f"me:{KEYS['alice']}".encode()).decode()
    assert get(gateway, "/dashboard", None, Authorization=known).status_code == 200
    assert get(gateway, "/api/sessions", None, Authorization=known).json() == {"sessions": []}
    for wrong in ("Basic", "Basic x", "Basic " + base64.b64encode(b"me:wrong").decode()):
        assert get(gateway, "/dashboard", None, Authorization=wrong).status_code == 401


def test_what_changes_something_takes_no_password_of_a_browser(gateway: Gateway) -> None:
    known = {"Authorization": "Basic " + base64.b64encode(f"me:{KEYS['alice']}".encode()).decode()}
    body = {"messages": [{"role": "user", "content": "hello"}]}
    assert httpx2.post(f"{url(gateway)}/v1/chat/completions", json=body, headers=known).status_code == 401
    assert httpx2.delete(f"{url(gateway)}/api/sessions/x", headers=known).status_code == 401


@pytest.mark.parametrize("path", ["..%2Fplugin.yaml", "%2e%2e/plugin.yaml", "dist/out.txt", "dist", "nothing.js"])
def test_nothing_but_its_own_files_is_served(gateway: Gateway, folder: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "dashboard" / "dist" / "out.txt").symlink_to(tmp_path / "secret.txt")
    assert get(gateway, f"/dashboard/plugins/how-many/{path}").status_code == 404


def test_a_plugin_that_is_off_has_no_page(gateway: Gateway, hermes_home: Path) -> None:
    assert get(gateway, "/dashboard/plugins/otel/").status_code == 404


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ("{", "is no JSON"),
        ("[]", "has to be an object with an entry"),
        ('{"entry": "../../secret.js"}', "is not a file beside it"),
        ('{"entry": "dist/index.js", "label": 7}', "label has to be text"),
    ],
)
def test_a_tab_that_cannot_be_shown_is_told(
    gateway: Gateway, hermes: Hermes, folder: Path, manifest: str, told: str
) -> None:
    (folder / "dashboard" / "manifest.json").write_text(manifest)
    assert told in get(gateway, "/api/dashboard").json()["problems"][0]
    assert told in get(gateway, "/dashboard/plugins/how-many/").json()["error"]["message"]
    assert told in refused(hermes("plugins", "enable", "how-many"), 2)
