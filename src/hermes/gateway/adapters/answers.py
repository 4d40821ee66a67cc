"""Answers to programs, as JSON."""

import json
from typing import Any

from starlette.responses import JSONResponse


class Answer(JSONResponse):
    """Whatever the store holds: half a pair of surrogates, which UTF-8 cannot write, goes out as its escape."""

    def render(self, content: Any) -> bytes:
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False).encode()
