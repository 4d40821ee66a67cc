"""Session ids: how new ones look, and what is accepted as one.

New ids are `YYYYMMDD_HHMMSS_<hex>`: six hex digits from a terminal, eight from the gateway, and
`cron_<job>_<time>` from cron. Any other id a caller brings is accepted as long as it can never be
mistaken for a path, a glob or a line of its own: ids name transcript files and appear in commands.
"""

import re
from typing import TYPE_CHECKING

from hermes.errors import BadInput
from hermes.model.text import is_storable

if TYPE_CHECKING:
    from datetime import datetime

MAX_ID_LENGTH = 200
_FORBIDDEN = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029*?\[\]]")


def new_session_id(now: "datetime", *, digits: int = 6) -> str:
    import secrets

    return f"{now:%Y%m%d_%H%M%S}_{secrets.token_hex(digits // 2)}"


def new_cron_id(job: str, now: "datetime") -> str:
    return check_id(f"cron_{job}_{now:%Y%m%d_%H%M%S}")


def sought_id(session_id: object) -> str:
    """An id to look a session up by: any text will do, and one that no session has simply finds none."""
    if not isinstance(session_id, str) or not is_storable(session_id):
        raise BadInput("A session id must be text, without NUL or half a surrogate pair.")
    return session_id


def check_id(session_id: object) -> str:
    """The id itself, or BadInput that says why it cannot be one."""
    if not isinstance(session_id, str) or not session_id:
        raise BadInput("A session id must be a non-empty text.")
    if len(session_id) > MAX_ID_LENGTH:
        raise BadInput(f"A session id has at most {MAX_ID_LENGTH} characters.")
    if _FORBIDDEN.search(session_id) or session_id.startswith(("-", ".")) or session_id != session_id.strip():
        raise BadInput(
            f"{session_id!r} cannot be a session id: no slashes, wildcards, brackets, control characters "
            "or outer spaces, and no '.' or '-' in front."
        )
    return session_id
