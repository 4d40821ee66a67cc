"""Pictures and files of Matrix rooms, in and out."""

import asyncio
import base64
import logging
import mimetypes
import re
from pathlib import Path
from typing import Any

from hermes.gateway.adapters import matrix_text
from hermes.gateway.adapters.matrix_calls import TROUBLE, answer
from hermes.gateway.adapters.matrix_events import Media
from hermes.gateway.adapters.received import kept, plain_name

log = logging.getLogger("hermes.gateway")
_LARGEST_PICTURE = 10_000_000
_LARGEST_FILE = 20_000_000
_SECONDS = 60.0
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_ADDRESS = re.compile(r"mxc://([\w.:\[\]-]{1,255})/([\w-]{1,255})")


async def received(client: Any, platform: str, event: str, media: Media) -> tuple[tuple[str, ...], str]:
    """A picture for the model; or a line about a file, which is kept where the agent can read it."""
    name = plain_name(media.name)
    if media.size > _LARGEST_FILE:
        return (), f"[The file {name} is too large to be fetched: {media.size:,} bytes.]"
    try:
        data, kind = await _fetched(client, media.address)
    except TROUBLE as error:
        log.warning("a file could not be fetched: %s", error)
        return (), f"[The file {name} could not be fetched.]"
    kind = next((one for one in (media.type, kind) if one in _PICTURES), "")
    if media.kind == "m.image" and kind and len(data) <= _LARGEST_PICTURE:
        return (f"data:{kind};base64,{base64.b64encode(data).decode()}",), ""
    return (), await asyncio.get_running_loop().run_in_executor(None, kept, platform, event, media.name, data)


async def _fetched(client: Any, address: str) -> tuple[bytes, str]:
    """The content of an mxc:// address, and its type. OSError: there is none, or more than wanted."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise OSError("no address of a file")
    path = f"/_matrix/client/v1/media/download/{found[1]}/{found[2]}"
    headers = {"Authorization": f"Bearer {client.access_token}"}
    async with await client.send("GET", path, headers=headers, timeout=_SECONDS) as got:
        if got.status != 200:
            raise OSError(f"the homeserver answered {got.status}")
        data = bytearray()
        async for part in got.content.iter_chunked(65_536):
            data += part
            if len(data) > _LARGEST_FILE:
                raise OSError("it is larger than wanted")
        return bytes(data), got.content_type


async def uploaded(client: Any, file: Path, text: str, thread: str) -> dict[str, Any]:
    """Give a file to the homeserver; what to say in the room then."""
    kind, size = mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.stat().st_size
    given, _ = await client.upload(lambda *_: file, kind, file.name, filesize=size)
    info = {"mimetype": kind, "size": size}
    return matrix_text.file(answer(given).content_uri, file.name, info, text, thread)
