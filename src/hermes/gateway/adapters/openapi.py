"""The OpenAPI document of the API server."""

from typing import Any

from hermes import __version__


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hermes", "version": __version__},
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/health": {"get": _answers("Whether the gateway runs.", open=True)},
            "/openapi.json": {"get": _answers("This document.", open=True)},
            "/v1/models": {"get": _answers("What can be named as a model.")},
            "/v1/chat/completions": {"post": _answers("A turn, in the form of OpenAI's chat completions.") | _BODY},
            "/api/status": {"get": _answers("The gateway: platforms, uptime, turns under way.")},
            "/api/sessions": {"get": _answers("Your conversations, the newest first.", "limit", "offset")},
            "/api/sessions/{id}": {
                "get": _answers("One session.", path=True),
                "delete": _answers("Move a conversation to the trash.", path=True),
            },
            "/api/sessions/{id}/messages": {"get": _answers("What was said in it.", path=True)},
            "/api/search": {"get": _answers("Messages that hold every word.", "limit", words=True)},
            "/api/recall": {"get": _answers("Sessions that answer a question.", "limit", words=True)},
        },
    }


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["messages"],
                    "properties": {
                        "model": {"type": "string"},
                        "stream": {"type": "boolean"},
                        "messages": {"type": "array", "minItems": 1, "items": {"type": "object"}},
                    },
                }
            }
        },
    }
}


def _answers(about: str, *numbers: str, open: bool = False, path: bool = False, words: bool = False) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "query", "schema": {"type": "integer", "minimum": 0}} for name in numbers
    ]
    if path:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    if words:
        parameters.append({"name": "q", "in": "query", "required": True, "schema": {"type": "string", "minLength": 1}})
    statuses = ["200", *([] if open else ["400", "401", "403", "413", "421", "503"]), *(["404"] if path else [])]
    answer: dict[str, Any] = {
        "summary": about,
        "parameters": parameters,
        "responses": {status: {"description": "Done." if status == "200" else "Refused."} for status in statuses},
    }
    return answer | ({"security": []} if open else {})
