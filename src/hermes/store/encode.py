"""Messages on their way into the store and back.

A message arrives as plain Python values and leaves equal. In between it is a row: text stays plain
text, structures become JSON text, and three things get a word in the row's `kind` column:

    json                the content was a list or dict (multimodal), not text
    attachments         long strings of that structure went to the payload, `@payload:N` stands for them
    escaped:<column>    the text held a NUL or a lone surrogate and is escaped

Large tool outputs and attachments become a payload: compressed, stored once per distinct bytes.
Compression happens here, before any lock is taken.
"""

import json
import re
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.errors import BadInput, StoreCorrupt
from hermes.model.text import clip, escape, is_storable, storable, unescape

if TYPE_CHECKING:
    import zstandard  # it and hashlib are loaded with the first payload: most commands meet none

PAYLOAD_THRESHOLD = 16 * 1024  # characters; what is shorter stays plain in its row
PROMPT_THRESHOLD = 1024
MAX_TEXT = 256 * 1024 * 1024
MAX_DEPTH = 200  # of nested lists and dicts; what is deeper could be written, but not always read back
PREVIEW_LENGTH = 60

TEXT_COLUMNS = (
    "role",
    "content",
    "tool_call_id",
    "tool_name",
    "finish_reason",
    "reasoning",
    "reasoning_content",
)
JSON_COLUMNS = ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items")
MESSAGE_COLUMNS = (
    "id",
    "session_id",
    "role",
    "content",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "timestamp",
    "token_count",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
)
ROLES = ("system", "user", "assistant", "tool")
_PLACEHOLDER = re.compile(r"@payload:[0-9]+\Z")
_codecs = threading.local()


class Payload(NamedTuple):
    """Bytes that are stored once, whoever refers to them."""

    digest: bytes
    codec: str  # "zstd" or "plain"
    size: int
    data: bytes

    @classmethod
    def of(cls, text: str) -> "Payload":
        import hashlib

        raw = text.encode("utf-8", "surrogatepass")
        packed = _compressor().compress(raw)
        digest = hashlib.blake2b(raw, digest_size=20).digest()
        if len(packed) < len(raw):
            return cls(digest, "zstd", len(raw), packed)
        return cls(digest, "plain", len(raw), raw)


def unpack(codec: str, size: int, data: bytes) -> str:
    import zstandard

    try:
        raw = _decompressor().decompress(data, max_output_size=size) if codec == "zstd" else data
        return raw.decode("utf-8", "surrogatepass")
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise StoreCorrupt(f"A stored payload is damaged ({error}); run `hermes sessions check`.") from error


def _compressor() -> "zstandard.ZstdCompressor":
    # One object per thread: a shared one crashes the process.
    if not hasattr(_codecs, "compressor"):
        import zstandard

        _codecs.compressor = zstandard.ZstdCompressor(level=6)
    return _codecs.compressor  # type: ignore[no-any-return]


def _decompressor() -> "zstandard.ZstdDecompressor":
    if not hasattr(_codecs, "decompressor"):
        import zstandard

        _codecs.decompressor = zstandard.ZstdDecompressor()
    return _codecs.decompressor  # type: ignore[no-any-return]


class EncodedMessage:
    """One row to be inserted; `columns` are the documented ones without id and session_id."""

    __slots__ = ("carried_from", "columns", "idempotency_key", "kind", "opening", "payload", "tool_calls")

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns
        self.kind: str | None = None
        self.payload: Payload | None = None
        self.tool_calls = 0
        self.idempotency_key: str | None = None
        self.carried_from: int | None = None
        self.opening: str | None = None  # what a list would show of it, when a user said it


def encode(message: Mapping[str, Any], now: float) -> EncodedMessage:
    """A row for `message`, or BadInput that names the field and what is wrong with it."""
    if not isinstance(message, Mapping):
        raise BadInput(f"A message is a dict with a role and its content, not {type(message).__name__}.")
    role = message.get("role")
    if not isinstance(role, str) or not role or not is_storable(role) or len(role) > 100:
        raise BadInput(f"A message needs a role ({', '.join(ROLES)}).")
    row = EncodedMessage({"role": role, "timestamp": _timestamp(message.get("timestamp"), now)})
    kinds = _encode_content(row, role, message.get("content"))
    for name in TEXT_COLUMNS[2:]:
        row.columns[name], escaped = _text(name, message.get(name))
        if escaped:
            kinds.append(f"escaped:{name}")
    for name in JSON_COLUMNS:
        row.columns[name] = _json_column(name, message.get(name))
    row.columns["token_count"] = _integer("token_count", message.get("token_count"))
    row.kind = " ".join(kinds) or None
    row.tool_calls = _count_calls(message.get("tool_calls"), row.columns["tool_calls"])
    key = message.get("idempotency_key")
    if key is not None and (not isinstance(key, str) or not key or len(key) > 200 or not is_storable(key)):
        raise BadInput("An idempotency key is a text of 1 to 200 characters.")
    row.idempotency_key = key
    if role == "user":
        row.opening = preview(message.get("content"))
    return row


def encode_all(messages: Any, now: float) -> list[EncodedMessage]:
    """A row for each of several messages, or BadInput."""
    if isinstance(messages, Mapping | str) or not isinstance(messages, Iterable):
        raise BadInput("Messages come as a list of dicts.")
    return [encode(message, now) for message in messages]


def _encode_content(row: EncodedMessage, role: str, content: Any) -> list[str]:
    if content is not None and not isinstance(content, str):
        return _encode_structure(row, content)
    if content is not None and role == "tool" and len(content) >= PAYLOAD_THRESHOLD:
        _check_size("content", content)
        row.columns["content"] = None
        row.payload = Payload.of(content)
        return []
    row.columns["content"], escaped = _text("content", content)
    return ["escaped:content"] if escaped else []


def _encode_structure(row: EncodedMessage, content: Any) -> list[str]:
    if not isinstance(content, list | dict):
        raise BadInput(f"Message content must be text, a list or a dict, not {type(content).__name__}.")
    _check_structure("content", content)
    long: list[str] = []
    slim = _extract(content, long)
    row.columns["content"] = _dump("content", slim)
    if not long:
        return ["json"]
    row.payload = Payload.of(_dump("content", long))
    return ["json", "attachments"]


def _extract(value: Any, long: list[str]) -> Any:
    """`value` with every long string moved to `long`; a string that looks like a placeholder goes
    there too, so that none is ever mistaken for one."""
    if isinstance(value, str):
        if len(value) < PAYLOAD_THRESHOLD and not _PLACEHOLDER.match(value):
            return value
        long.append(value)
        return f"@payload:{len(long) - 1}"
    if isinstance(value, list | tuple):
        return [_extract(item, long) for item in value]
    if isinstance(value, dict):
        return {key: _extract(item, long) for key, item in value.items()}
    return value


def _restore(value: Any, long: list[str]) -> Any:
    if isinstance(value, str):
        return long[int(value.partition(":")[2])] if _PLACEHOLDER.match(value) else value
    if isinstance(value, list):
        return [_restore(item, long) for item in value]
    if isinstance(value, dict):
        return {key: _restore(item, long) for key, item in value.items()}
    return value


def decode_content(content: str | None, kind: str | None, payload: str | None) -> Any:
    """The content as it was given. `payload` is the unpacked text of the row's payload, if any."""
    if kind is None:
        return content if payload is None else payload
    kinds = kind.split()
    if "json" in kinds and content is not None:
        try:
            value = json.loads(content)
        except ValueError:
            return content  # a foreign hand changed it; show what is there
        return _restore(value, json.loads(payload)) if payload is not None else value
    if payload is not None:
        return payload
    return unescape(content) if content is not None and "escaped:content" in kinds else content


def decode_text(name: str, value: Any, kind: str | None) -> Any:
    return unescape(value) if kind and isinstance(value, str) and f"escaped:{name}" in kind.split() else value


def plain_text(content: Any) -> str:
    """What a person reads of a content: the text itself, or the text parts of a multimodal one."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    return " ".join(text for text in texts if isinstance(text, str))


def preview(content: Any) -> str | None:
    """What a list shows of a message; None of one without content."""
    return None if content is None else storable(clip(plain_text(content), PREVIEW_LENGTH))


def _count_calls(given: Any, stored: str | None) -> int:
    """Entries of a list of calls; anything else that is there is one call."""
    if stored is None:
        return 0
    calls = json.loads(stored) if isinstance(given, str) else given
    return len(calls) if isinstance(calls, list | tuple) else int(calls is not None)


def _text(name: str, value: Any) -> tuple[str | None, bool]:
    if value is None:
        return None, False
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text, not {type(value).__name__}.")
    _check_size(name, value)
    return (value, False) if is_storable(value) else (escape(value), True)


def _json_column(name: str, value: Any) -> str | None:
    if value is None or value == [] or value == {} or value == "":
        return None
    if isinstance(value, str):  # as get_messages() returned it
        text, value = value, _parsed(name, value)
        _check_structure(name, value)
        return text if is_storable(text) else _dump(name, value)
    _check_structure(name, value)
    return _dump(name, value)


def _parsed(name: str, text: str) -> Any:
    _check_size(name, text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name} must be a list or dict, or JSON text: {error}.") from None


def _check_structure(name: str, value: Any, depth: int = 0) -> None:
    """Refuse what JSON would change or lose: keys that are not text, endless nesting."""
    if depth > MAX_DEPTH:
        raise BadInput(f"{name} is nested more than {MAX_DEPTH} levels deep.")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise BadInput(f"{name} has a key that is not text ({type(key).__name__}).")
            _check_structure(name, item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_structure(name, item, depth + 1)


def _dump(name: str, value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
        if not is_storable(text):
            text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name} cannot be written as JSON: {error}.") from None
    _check_size(name, text)
    return text


def _check_size(name: str, text: str) -> None:
    if len(text) > MAX_TEXT:
        raise BadInput(f"{name} has {len(text):,} characters; one message holds at most {MAX_TEXT:,}.")


def _timestamp(value: Any, now: float) -> float:
    if value is None:
        return now
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise BadInput("timestamp must be seconds since 1970, as a number.")
    return float(value)


def _integer(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < 2**63:
        raise BadInput(f"{name} must be a whole number.")
    return value
