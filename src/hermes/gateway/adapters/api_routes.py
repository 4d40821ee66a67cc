"""The routes of the API server."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hermes.errors import BadInput, HermesError, NotFound
from hermes.gateway.adapters import api_responses, dashboard
from hermes.gateway.adapters.answers import Answer
from hermes.gateway.adapters.api_chat import completions
from hermes.gateway.adapters.api_turn import Desk, Refusal
from hermes.gateway.adapters.openapi import document
from hermes.store.base import ListQuery

if TYPE_CHECKING:
    from hermes.gateway.adapters.api_server import ApiServer
    from hermes.gateway.core import Gateway

log = logging.getLogger("hermes.gateway")
_MOST = 200
Handler = Callable[[Request, Desk], Awaitable[Response]]
Read = Callable[[Request, Any], Any]


def refused(status: int, words: str, headers: Mapping[str, str] | None = None) -> Answer:
    kind = {404: "not_found_error", 429: "rate_limit_error", 500: "server_error", 503: "server_error"}.get(
        status, "invalid_request_error"
    )
    return Answer({"error": {"message": words, "type": kind, "code": status}}, status, headers)


def routes(server: "ApiServer", gateway: "Gateway") -> Starlette:
    api = Api(server, gateway)
    slashes = {"/v1/models/{id}": "/v1/models/{id:path}"}  # as they are in the names of models
    found = [Route(slashes.get(path, path), handler, methods=[method]) for path, method, handler in api.table()]
    found += dashboard.pages(api.guarded)
    return Starlette(routes=found, exception_handlers={404: _nothing_here, 405: _nothing_here})


class Api:
    """Everything but OPEN_ROUTES asks for a key first."""

    def __init__(self, server: "ApiServer", gateway: "Gateway") -> None:
        self._server, self._gateway = server, gateway

    def table(self) -> list[tuple[str, str, Any]]:
        reads = {
            "/api/sessions": _sessions,
            "/api/sessions/{id}": _session,
            "/api/sessions/{id}/messages": _messages,
            "/api/search": _search,
            "/api/recall": _recall,
        }
        return [
            ("/health", "GET", self.health),
            ("/openapi.json", "GET", self.openapi),
            ("/v1/models", "GET", self.guarded(self.models)),
            ("/v1/models/{id}", "GET", self.guarded(self.model)),
            ("/v1/chat/completions", "POST", self.guarded(completions)),
            ("/v1/responses", "POST", self.guarded(api_responses.create)),
            ("/v1/responses/{id}", "GET", self.guarded(api_responses.retrieve)),
            ("/v1/responses/{id}", "DELETE", self.guarded(api_responses.delete)),
            ("/api/status", "GET", self.guarded(self.status)),
            ("/api/dashboard", "GET", self.guarded(dashboard.listed)),
            ("/api/sessions/{id}", "DELETE", self._reading(_trash)),
            *((path, "GET", self._reading(read)) for path, read in reads.items()),
        ]

    def guarded(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            who = self._server.who(request.headers.get("authorization", ""), by_browser=request.method == "GET")
            if who is None:
                asks = (
                    {"WWW-Authenticate": 'Basic realm="Hermes"'} if request.url.path.startswith("/dashboard") else None
                )
                return refused(401, "The key is missing or wrong: Authorization: Bearer KEY.", asks)
            try:
                return await handler(request, Desk(self._gateway, self._server.name, who, self._server.known))
            except Refusal as error:
                return refused(error.status, str(error), error.headers)
            except NotFound as error:
                return refused(404, str(error))
            except HermesError as error:
                return refused(400 if error.exit_code == 2 else 503, str(error))
            except Exception:  # the edge to programs: a bug is logged, and told in their form
                log.exception("%s failed", request.url.path)
                return refused(500, "This should not have happened; the log of the gateway says more.")

        return checked

    def _reading(self, read: Read) -> Callable[[Request], Awaitable[Response]]:
        """A question to the store, as the owner of the key sees it."""

        async def answer(request: Request, desk: Desk) -> Response:
            return Answer(await run_in_threadpool(read, request, desk.db))

        return self.guarded(answer)

    async def health(self, _: Request) -> Response:
        state = self._gateway.health()
        return Answer({"status": state}, 200 if state == "ok" else 503)

    async def openapi(self, _: Request) -> Response:
        return Answer(document())

    async def models(self, _: Request, desk: Desk) -> Response:
        return Answer({"object": "list", "data": list(self._models().values())})

    async def model(self, request: Request, desk: Desk) -> Response:
        found = self._models().get(request.path_params["id"])
        return Answer(found) if found else refused(404, "No such model; /v1/models lists them.")

    def _models(self) -> dict[str, dict[str, Any]]:
        names = dict.fromkeys(["hermes", self._gateway.settings.model.default or "hermes"])
        return {name: {"id": name, "object": "model", "created": 0, "owned_by": "hermes"} for name in names}

    async def status(self, _: Request, desk: Desk) -> Response:
        return Answer(self._gateway.status())


async def _nothing_here(_: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None)
    return refused(
        getattr(error, "status_code", 404), "There is nothing here; /openapi.json lists what there is.", headers
    )


def _number(request: Request, name: str, otherwise: int, most: int = _MOST) -> int:
    given = request.query_params.get(name)
    if given is None:
        return otherwise
    if not given.isascii() or not given.isdecimal() or int(given[:10]) > 10**9:
        raise BadInput(f"{name} is a number from 0 on.")
    return min(int(given), most)


def _text(request: Request) -> str:
    text = request.query_params.get("q", "")
    if not text.strip():
        raise BadInput("Say what to look for: ?q=words.")
    return text


def _found(request: Request, db: Any) -> dict[str, Any]:
    row: dict[str, Any] | None = db.get_session(request.path_params["id"])
    if row is None or row["trashed_at"] is not None:
        raise NotFound("No such session.")
    return row


def _sessions(request: Request, db: Any) -> Any:
    query = ListQuery(order="active", limit=_number(request, "limit", 20), offset=_number(request, "offset", 0, 10**9))
    return {"sessions": [_shown(row) for row in db.list_conversations(query)]}


def _session(request: Request, db: Any) -> Any:
    return _shown(_found(request, db))


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """The prompt is the operator's: what is written there about the machine is nobody else's."""
    return {name: value for name, value in row.items() if name != "system_prompt"}


def _messages(request: Request, db: Any) -> Any:
    return {"messages": db.get_messages(_found(request, db)["id"])}


def _trash(request: Request, db: Any) -> Any:
    return {"trashed": db.trash_session(_found(request, db)["id"])}


def _search(request: Request, db: Any) -> Any:
    return {"results": db.search_messages(_text(request), limit=_number(request, "limit", 20))}


def _recall(request: Request, db: Any) -> Any:
    return {"results": db.recall(_text(request), _number(request, "limit", 5))}
