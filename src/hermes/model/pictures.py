"""Pictures as models take them."""

import base64
from typing import Any

LARGEST = 20_000_000  # bytes; no provider takes more
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def kind_of(start: bytes) -> str | None:
    """png, jpeg, gif or webp by the first 16 bytes; None: no picture that can be sent."""
    for beginning, kind in _KINDS.items():
        if start.startswith(beginning) and (kind != "webp" or start[8:12] == b"WEBP"):
            return kind
    return None


def as_part(content: bytes) -> dict[str, Any]:
    """The part of a message that holds a picture. ValueError when it is none."""
    kind = kind_of(content[:16])
    if kind is None:
        raise ValueError("no picture")
    url = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}
