"""The OpenAPI document of the API server."""

from typing import Any

from hermes import __version__
from hermes.gateway.adapters.api_schemas import ANSWERS, REQUESTS, SCHEMAS, ref

_REFUSALS = {
    "400": "The request is not understood; the message says why.",
    "401": "The key is missing or wrong.",
    "403": "A request of another site.",
    "404": "There is no such thing, or it is somebody else's.",
    "408": "The body took too long to arrive.",
    "413": "The request is too large.",
    "421": "This server does not go by that name.",
    "429": "Too many requests in a minute.",
    "502": "The model failed; the message says how.",
    "503": "Hermes is stopping, or its store cannot be used now.",
}
_ALWAYS = ("403", "408", "413", "421")
_NUMBERS = {"limit": 10**9, "offset": 10**9}


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hermes", "version": __version__},
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}, "schemas": SCHEMAS},
        "paths": {
            "/health": {"get": _open("Whether the gateway runs.", "Health", "503")},
            "/openapi.json": {"get": _open("This document.", "Document")},
            "/v1/models": {"get": _answers("What can be named as a model.", "Models")},
            "/v1/models/{id}": {"get": _answers("One of them.", "Model", path=True)},
            "/v1/chat/completions": {"post": _turn("A turn, in the form of OpenAI's chat completions.", "Completion")},
            "/v1/responses": {"post": _turn("A turn, in the form of OpenAI's responses.", "Response")},
            "/v1/responses/{id}": {
                "get": _answers("A response, for thirty days.", "Response", path=True),
                "delete": _answers("Forget a response; what was said stays.", "Deleted", path=True),
            },
            "/api/status": {"get": _answers("The gateway: platforms, uptime, turns under way.", "Status")},
            "/api/dashboard": {"get": _answers("Tabs that plugins bring, as pages under /dashboard.", "Tabs")},
            "/api/sessions": {"get": _answers("Your conversations, the newest first.", "Sessions", "limit", "offset")},
            "/api/sessions/{id}": {
                "get": _answers("One session.", "Session", path=True),
                "delete": _answers("Move a conversation to the trash.", "Trashed", path=True),
            },
            "/api/sessions/{id}/messages": {"get": _answers("What was said in it.", "Messages", path=True)},
            "/api/search": {"get": _answers("Messages that hold every word.", "Results", "limit", words=True)},
            "/api/recall": {"get": _answers("Sessions that answer a question.", "Results", "limit", words=True)},
        },
    }


def _open(about: str, shape: str, *more: str) -> dict[str, Any]:
    answered = {"200": _content("Done.", shape)} | {status: _content(_REFUSALS[status], shape) for status in more}
    return {"summary": about, "security": [], "responses": answered | _refusals(*_ALWAYS)}


def _turn(about: str, shape: str) -> dict[str, Any]:
    asked = {"required": True, "content": {"application/json": {"schema": ref(REQUESTS[shape])}}}
    answer = _answers(about, shape) | {"requestBody": asked}
    answer["parameters"] += [_header(name) for name in ANSWERS[shape]]
    answer["responses"]["200"]["content"]["text/event-stream"] = {}  # with `stream`
    answer["responses"] |= _refusals("404", "429", "502")
    return answer


def _answers(about: str, shape: str, *numbers: str, path: bool = False, words: bool = False) -> dict[str, Any]:
    parameters = [_query(name, {"type": "integer", "minimum": 0, "maximum": _NUMBERS[name]}) for name in numbers]
    if words:
        parameters.append(_query("q", {"type": "string", "minLength": 1, "pattern": r"\S"}) | {"required": True})
    if path:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    return {
        "summary": about,
        "parameters": parameters,
        "responses": {"200": _content("Done.", shape)}
        | _refusals("400", "401", "503", *_ALWAYS, *(["404"] if path else [])),
    }


def _query(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema}


def _header(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": {"type": "string"}}


def _content(about: str, shape: str) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": ref(shape)}}}


def _refusals(*statuses: str) -> dict[str, Any]:
    return {status: _content(_REFUSALS[status], "Refusal") for status in statuses}
