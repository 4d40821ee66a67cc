"""What a provider answered instead of an answer, as the error that says what can be done about it."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from hermes.errors import (
    KeyRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)

_TOO_LONG = re.compile(
    r"context[_ ]length|context[_ ]window|maximum context|prompt is too long|too many (input )?tokens|"
    r"request_too_large|input is too long|exceeds? the (maximum|model).{0,40}(token|context)|exceed_context_size",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|insufficient (credit|balance|fund)|credit balance is too low|billing_hard|"
    r"exceeded your current quota",
    re.IGNORECASE,
)
_TELLING = 300


def failure(name: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error for a response with this status. The body is looked at for what a status alone does not tell."""
    return _error(name, status, told(body), retry_after(headers))


def failure_inside(name: str, error: Any) -> ProviderError:
    """The error for one that came inside a stream that had begun well: `{"code": 502, "message": …}` and the like."""
    error = error if isinstance(error, dict) else {"message": str(error)}
    kind = " ".join(str(error.get(key) or "") for key in ("type", "code"))
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else _status_of(kind)
    return _error(name, status, one_line(f"{error.get('message') or kind}"), None, kind)


def _status_of(kind: str) -> int:
    """What the names of errors mean that come without a status; anything else is the provider's trouble."""
    for pattern, status in (
        ("overloaded|server_error|api_error|timeout", 503),
        ("rate_limit", 429),
        ("authentication|permission|invalid_api_key", 401),
        ("billing|quota", 402),
        ("invalid_request|invalid_prompt|not_found|context_length", 400),
    ):
        if re.search(pattern, kind):
            return status
    return 503


def _error(name: str, status: int, said: str, seconds: float | None, kind: str = "") -> ProviderError:
    detail = f": {said}" if said else ""
    if status < 400:
        return RequestRefused(f"{name} answered {status}{detail}; is the base_url right?")
    if status in (400, 413, 422) and _TOO_LONG.search(f"{kind} {said}"):
        return PromptTooLong(f"The conversation is too long for the model ({name}{detail}).")
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(f"{kind} {said}")):
        return QuotaSpent(f"{name}: no credit is left{detail}.")
    if status in (401, 403):
        return KeyRefused(f"{name} refuses the key ({status}{detail}); `hermes auth` shows the keys there are.")
    if status == 429:
        wait = f" Try again in {seconds:.0f} s." if seconds else ""
        return RateLimited(f"{name}: too many requests{detail}.{wait}", seconds)
    if status >= 500 or status in (408, 409, 425):
        return ProviderDown(f"{name} has trouble ({status}{detail}).", seconds)
    return RequestRefused(f"{name} refuses the request ({status}{detail}).")


def told(body: bytes) -> str:
    """What the body says went wrong, in one line: the message of a JSON error, or the beginning of a text."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except ValueError:
        return "" if text.lstrip().startswith("<") else one_line(text)
    return one_line(" ".join(_messages(parsed)) or text)


def _messages(parsed: Any) -> list[str]:
    """`{"error": {"message", "code"}}`, `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`, or a list of such."""
    if isinstance(parsed, list):
        return _messages(parsed[0]) if parsed else []
    if not isinstance(parsed, dict):
        return []
    error = parsed.get("error") or parsed
    if not isinstance(error, dict):
        return [str(error)]
    found = [error.get("message") or error.get("detail"), error.get("code"), error.get("type")]
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        found.append(metadata["raw"])
    return list(dict.fromkeys(str(one) for one in found if isinstance(one, str) and one not in ("", "error")))


def one_line(text: str) -> str:
    """Fit to be shown: one line, no control characters, no secret, not long."""
    from hermes.model.secrets import redact

    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _TELLING]).split())
    line = redact(line)[0].rstrip(" .")
    return line if len(line) <= _TELLING else line[: _TELLING - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `Retry-After` as a number or a date. None: the provider does not say."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        written = headers.get(header, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", written):
            return float(written) * unit
    if not headers.get("retry-after"):
        return None
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (ValueError, TypeError):
        return None
    return max(0.0, date.timestamp() - time.time())
