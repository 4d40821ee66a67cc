"""Tabs that plugins bring, on the API server: /dashboard lists them, /dashboard/plugins/NAME/ is one.

The same keys as everywhere: a browser asks for a name (any) and a password, which is the key. A page loads nothing from
elsewhere and sends nothing there; what it shows it reads from /api, as the owner of the key.
"""

import html
import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from hermes.commands.extended import plugins_here
from hermes.errors import BadInput, NotFound
from hermes.gateway.adapters.answers import Answer
from hermes.plugins.tabs import Tab, tab_of

if TYPE_CHECKING:
    from hermes.gateway.adapters.api_turn import Desk
    from hermes.gateway.core import Gateway

_SAFE = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>{more}
<style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}</style>
</head>
<body>
{body}
</body>
</html>
"""
Guarded = Callable[[Callable[[Request, "Desk"], Awaitable[Response]]], Any]


def tabs(gateway: "Gateway") -> tuple[dict[str, Tab], list[str]]:
    """Those of the plugins that are on, and what is wrong with the others."""
    plugins = plugins_here(gateway.config, Path(gateway.settings.terminal.cwd).expanduser().resolve())
    found, problems = {}, []
    for context in getattr(plugins, "loaded", {}).values():
        try:
            tab = tab_of(context.plugin)
        except BadInput as error:
            problems.append(str(error))
            continue
        if tab is not None:
            found[tab.plugin] = tab
    return found, problems


async def listed(_: Request, desk: "Desk") -> Response:
    """For programs: the tabs there are, and where."""
    found, problems = await run_in_threadpool(tabs, desk.gateway)
    told = [
        {"name": one.plugin, "label": one.label, "description": one.description, "path": _path(one)}
        for one in found.values()
    ]
    return Answer({"tabs": told, "problems": problems})


def pages(guarded: Guarded) -> list[Route]:
    """For browsers."""
    return [
        Route("/dashboard", guarded(_overview)),
        Route("/dashboard/plugins/{name}", guarded(_moved)),
        Route("/dashboard/plugins/{name}/", guarded(_tab)),
        Route("/dashboard/plugins/{name}/{path:path}", guarded(_file)),
    ]


async def _overview(_: Request, desk: "Desk") -> Response:
    found, problems = await run_in_threadpool(tabs, desk.gateway)
    items = [
        f'<li><a href="{html.escape(_path(one))}">{html.escape(one.label)}</a> {html.escape(one.description)}</li>'
        for one in found.values()
    ]
    items += [f"<li>{html.escape(problem)}</li>" for problem in problems]
    body = "<h1>Hermes</h1>\n" + (f"<ul>{''.join(items)}</ul>" if items else "<p>No plugin that is on has a tab.</p>")
    return _page("Hermes", body)


async def _moved(request: Request, _: "Desk") -> Response:
    return RedirectResponse(f"{request.url.path}/", 308, _SAFE)


async def _tab(request: Request, desk: "Desk") -> Response:
    tab = await _named(request, desk)
    more = f'<link rel="stylesheet" href="{html.escape(tab.css)}">' if tab.css else ""
    body = f'<p><a href="/dashboard">Hermes</a> · {html.escape(tab.label)}</p>\n<main id="tab"></main>\n'
    return _page(tab.label, f'{body}<script type="module" src="{html.escape(tab.entry)}"></script>', more)


async def _file(request: Request, desk: "Desk") -> Response:
    file = (await _named(request, desk)).file(request.path_params["path"])
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return FileResponse(file, media_type="text/javascript" if file.suffix in (".js", ".mjs") else kind, headers=_SAFE)


async def _named(request: Request, desk: "Desk") -> Tab:
    found, problems = await run_in_threadpool(tabs, desk.gateway)
    name = request.path_params["name"]
    if name not in found:
        raise NotFound(next((one for one in problems if f"/{name}/" in one), "No plugin that is on has this tab."))
    return found[name]


def _path(tab: Tab) -> str:
    return f"/dashboard/plugins/{tab.plugin}/"


def _page(title: str, body: str, more: str = "") -> Response:
    return HTMLResponse(_PAGE.format(title=html.escape(title), body=body, more=more), headers=_SAFE)
