"""Pictures that go with a message."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes.errors import BadInput, NotFound

LARGEST = 20_000_000  # bytes; no provider takes more
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def checked(path: str) -> Path:
    """The file, if it is a picture that can be sent."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise NotFound(f"No picture at {path}.")
    if file.stat().st_size > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1_000_000} MB; no provider takes it.")
    with file.open("rb") as opened:
        _kind(opened.read(16), path)
    return file


def _kind(start: bytes, path: object) -> str:
    for beginning, kind in _KINDS.items():
        if start.startswith(beginning) and (kind != "webp" or start[8:12] == b"WEBP"):
            return kind
    raise BadInput(f"{path} is no picture that can be sent: PNG, JPEG, GIF or WebP.")


def with_images(text: str, images: Sequence[Path]) -> str | list[dict[str, Any]]:
    """A message's content: the text alone, or the text and its pictures."""
    if not images:
        return text
    return [{"type": "text", "text": text}, *map(_part, images)]


def _part(file: Path) -> dict[str, Any]:
    content = file.read_bytes()
    url = f"data:image/{_kind(content[:16], file)};base64,{base64.b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}
