"""The routes of the API server."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes.errors import HermesError, NotFound
from hermes.gateway.adapters.api_chat import completions
from hermes.gateway.adapters.openapi import document
from hermes.store.base import ListQuery

if TYPE_CHECKING:
    from hermes.gateway.adapters.api_server import ApiServer
    from hermes.gateway.core import Gateway

_MOST = 200
Handler = Callable[[Request, str], Awaitable[Response]]
Read = Callable[[Request, Any], Any]


def refused(status: int, words: str) -> JSONResponse:
    kind = {401: "invalid_request_error", 404: "not_found_error"}.get(status, "invalid_request_error")
    return JSONResponse({"error": {"message": words, "type": kind, "code": status}}, status)


def routes(server: "ApiServer", gateway: "Gateway") -> Starlette:
    """Everything but OPEN_ROUTES asks for a key first."""

    def guarded(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            who = server.who(request.headers.get("authorization", ""))
            if who is None:
                return refused(401, "Send a key: Authorization: Bearer KEY.")
            try:
                return await handler(request, who)
            except NotFound as error:
                return refused(404, str(error))
            except HermesError as error:
                return refused(400 if error.exit_code == 2 else 503, str(error))

        return checked

    def reading(read: Read) -> Callable[[Request], Awaitable[Response]]:
        """A question to the store, as the owner of the key sees it."""

        async def answer(request: Request, who: str) -> Response:
            db = gateway.db.scoped(f"{server.name}:{who}")
            return JSONResponse(await run_in_threadpool(read, request, db))

        return guarded(answer)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "stopping" if gateway.stopping else "ok"}, 503 if gateway.stopping else 200)

    async def openapi(_: Request) -> Response:
        return JSONResponse(document())

    async def models(_: Request, who: str) -> Response:
        model = gateway.settings.model.default or "hermes"
        names = dict.fromkeys(["hermes", model])
        return JSONResponse(
            {
                "object": "list",
                "data": [{"id": name, "object": "model", "created": 0, "owned_by": "hermes"} for name in names],
            }
        )

    async def chat(request: Request, who: str) -> Response:
        return await completions(request, gateway, server.name, who)

    async def status(_: Request, who: str) -> Response:
        return JSONResponse(gateway.status())

    table = [
        Route("/health", health),
        Route("/openapi.json", openapi),
        Route("/v1/models", guarded(models)),
        Route("/v1/chat/completions", guarded(chat), methods=["POST"]),
        Route("/api/status", guarded(status)),
        Route("/api/sessions", reading(_sessions)),
        Route("/api/sessions/{id}", reading(_session), methods=["GET"]),
        Route("/api/sessions/{id}", reading(_trash), methods=["DELETE"]),
        Route("/api/sessions/{id}/messages", reading(_messages)),
        Route("/api/search", reading(_search)),
        Route("/api/recall", reading(_recall)),
    ]
    return Starlette(routes=table, exception_handlers={404: _nothing_here, 405: _nothing_here})


async def _nothing_here(_: Request, error: Exception) -> Response:
    return refused(getattr(error, "status_code", 404), "There is nothing here; /openapi.json lists what there is.")


def _number(request: Request, name: str, otherwise: int, most: int = _MOST) -> int:
    from hermes.errors import BadInput

    given = request.query_params.get(name)
    if given is None:
        return otherwise
    if not given.isascii() or not given.isdecimal() or int(given[:10]) > 10**9:
        raise BadInput(f"{name} is a number from 0 on.")
    return min(int(given), most)


def _text(request: Request) -> str:
    from hermes.errors import BadInput

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
    return {"sessions": db.list_conversations(query)}


def _session(request: Request, db: Any) -> Any:
    return _found(request, db)


def _messages(request: Request, db: Any) -> Any:
    return {"messages": db.get_messages(_found(request, db)["id"])}


def _trash(request: Request, db: Any) -> Any:
    return {"trashed": db.trash_session(_found(request, db)["id"])}


def _search(request: Request, db: Any) -> Any:
    return {"results": db.search_messages(_text(request), limit=_number(request, "limit", 20))}


def _recall(request: Request, db: Any) -> Any:
    return {"results": db.recall(_text(request), _number(request, "limit", 5))}
