"""The shapes of what goes in and out of the API, as JSON schemas."""

from typing import Any

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_TEXT_OR_NONE: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TIME: Schema = {"type": "number"}
_FREE: Schema = {"type": "object"}

REQUESTS = {"Completion": "CompletionRequest", "Response": "ResponseRequest"}  # the answer, and what asks for it
ANSWERS = {"Completion": ("X-Hermes-Conversation", "X-Hermes-Session-Id"), "Response": ()}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _shape(required: dict[str, Schema], **more: Schema) -> Schema:
    return {"type": "object", "required": list(required), "properties": required | more}


def _all(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


_FUNCTION = _shape(
    {"name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}}, description=_TEXT, parameters=_FREE
)
_CALL = _shape(
    {"id": {"type": "string", "minLength": 1}, "function": _shape({"name": _TEXT, "arguments": _TEXT})},
    type={"const": "function"},
)
_PARTS: Schema = {"type": ["string", "array", "null"], "items": _FREE}
_MESSAGE = _shape(
    {"role": {"enum": ["user", "assistant", "system", "developer", "tool"]}, "content": _PARTS},
    tool_call_id=_TEXT,
    tool_calls=_all(_CALL),
)
_CHOICE: Schema = {"enum": ["auto", "none"]}
_ITEM = _shape(
    {"type": {"enum": ["message", "function_call"]}, "id": _TEXT, "status": _TEXT},
    role=_TEXT, content=_all(_FREE), call_id=_TEXT, name=_TEXT, arguments=_TEXT,
)  # fmt: skip
_ANSWER = _shape({"role": {"const": "assistant"}, "content": _TEXT_OR_NONE}, tool_calls=_all(_CALL))
_CHOSEN = _shape({"index": _COUNT, "message": _ANSWER, "finish_reason": {"enum": ["stop", "length", "tool_calls"]}})
_SESSION = _shape(
    {"id": _TEXT, "source": _TEXT, "owner": _TEXT, "title": _TEXT_OR_NONE, "started_at": _TIME, "message_count": _COUNT}
)
_SAID = _shape({"id": _COUNT, "session_id": _TEXT, "role": _TEXT, "content": {}, "timestamp": _TIME})

SCHEMAS: dict[str, Schema] = {
    "Refusal": _shape({"error": _shape({"message": _TEXT, "type": _TEXT})}),
    "Health": _shape({"status": {"enum": ["ok", "starting", "stopping"]}}),
    "Document": _shape({"openapi": _TEXT, "paths": _FREE}),
    "Models": _shape({"object": {"const": "list"}, "data": _all(ref("Model"))}),
    "Model": _shape({"id": _TEXT, "object": {"const": "model"}}),
    "Status": _shape(
        {"platforms": _all(_TEXT), "uptime_seconds": _TIME, "working": _COUNT, "stopping": {"type": "boolean"}}
    ),
    "Tabs": _shape(
        {
            "tabs": _all(_shape({"name": _TEXT, "label": _TEXT, "path": _TEXT}, description=_TEXT)),
            "problems": _all(_TEXT),
        }
    ),
    "Session": _SESSION,
    "Sessions": _shape({"sessions": _all(ref("Session"))}),
    "Message": _SAID,
    "Messages": _shape({"messages": _all(ref("Message"))}),
    "Results": _shape({"results": _all(_shape({"session_id": _TEXT}))}),
    "Trashed": _shape({"trashed": {"type": ["integer", "boolean"]}}),
    "Deleted": _shape({"id": _TEXT, "object": {"const": "response"}, "deleted": {"const": True}}),
    "CompletionRequest": _shape(
        {"messages": _all(_MESSAGE, minItems=1)},
        model=_TEXT,
        stream={"type": "boolean"},
        stream_options=_FREE,
        tools=_all(_shape({"type": {"const": "function"}, "function": _FUNCTION}), maxItems=128),
        tool_choice=_CHOICE,
    ),
    "Completion": _shape(
        {
            "id": _TEXT,
            "object": {"const": "chat.completion"},
            "created": _COUNT,
            "model": _TEXT,
            "choices": _all(_CHOSEN, minItems=1, maxItems=1),
            "usage": _shape({"prompt_tokens": _COUNT, "completion_tokens": _COUNT, "total_tokens": _COUNT}),
        }
    ),
    "ResponseRequest": _shape(
        {"input": {"type": ["string", "array"], "minItems": 1, "minLength": 1, "items": _FREE}},
        model=_TEXT,
        instructions=_TEXT_OR_NONE,
        stream={"type": "boolean"},
        store={"type": "boolean"},
        previous_response_id=_TEXT_OR_NONE,
        conversation={"type": ["string", "object", "null"], "properties": {"id": _TEXT}},
        metadata={"type": ["object", "null"], "maxProperties": 16, "additionalProperties": _TEXT},
        tools=_all(_shape({"type": {"const": "function"}, **_FUNCTION["properties"]}), maxItems=128),
        tool_choice=_CHOICE,
    ),
    "Response": _shape(
        {
            "id": _TEXT,
            "object": {"const": "response"},
            "created_at": _COUNT,
            "model": _TEXT,
            "status": {"enum": ["completed", "incomplete"]},
            "output": _all(_ITEM),
            "usage": _shape({"input_tokens": _COUNT, "output_tokens": _COUNT, "total_tokens": _COUNT}),
            "metadata": _FREE,
            "previous_response_id": _TEXT_OR_NONE,
            "conversation": _shape({"id": _TEXT}),
            "tools": _all(_FREE),
            "tool_choice": _CHOICE,
        }
    ),
}
