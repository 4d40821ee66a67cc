"""What a Matrix homeserver answers, as a result or as an error."""

from typing import Any

import aiohttp
import nio

# Trying again does not help.
FINAL = ("M_FORBIDDEN", "M_NOT_FOUND", "M_TOO_LARGE", "M_BAD_JSON", "M_NOT_JSON", "M_INVALID_PARAM")


class Refused(Exception):
    """The homeserver answered with an error."""

    def __init__(self, answer: nio.ErrorResponse) -> None:
        super().__init__(f"{answer.message} ({answer.status_code or 'unknown'})")
        self.code = answer.status_code or ""
        self.status = getattr(answer.transport_response, "status", 0)
        self.seconds = (answer.retry_after_ms or 0) / 1000 or None

    @property
    def busy(self) -> bool:
        return self.code == "M_LIMIT_EXCEEDED" or self.status == 429


TROUBLE = (Refused, aiohttp.ClientError, TimeoutError, OSError)


def answer(given: Any) -> Any:
    if isinstance(given, nio.ErrorResponse):
        raise Refused(given)
    return given
