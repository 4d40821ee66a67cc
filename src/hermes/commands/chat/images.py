"""Pictures that go with a message."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes.errors import BadInput, NotFound
from hermes.model.pictures import LARGEST, as_part, kind_of


def checked(path: str) -> Path:
    """The file, if it is a picture that can be sent."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise NotFound(f"No picture at {path}.")
    if file.stat().st_size > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1_000_000} MB; no provider takes it.")
    with file.open("rb") as opened:
        if kind_of(opened.read(16)) is None:
            raise BadInput(f"{path} is no picture that can be sent: PNG, JPEG, GIF or WebP.")
    return file


def with_images(text: str, images: Sequence[Path]) -> str | list[dict[str, Any]]:
    """A message's content: the text alone, or the text and its pictures."""
    if not images:
        return text
    return [{"type": "text", "text": text}, *map(_part, images)]


def _part(file: Path) -> dict[str, Any]:
    try:
        return as_part(file.read_bytes())
    except ValueError:
        raise BadInput(f"{file} is no picture that can be sent: PNG, JPEG, GIF or WebP.") from None
