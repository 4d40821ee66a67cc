"""Which session is meant: an id, a unique beginning of one, or a title."""

from hermes.errors import AmbiguousId, SessionNotFound
from hermes.model.titles import sanitize_title
from hermes.store import SessionDB
from hermes.store.base import ListQuery, Row

_MOST = 20


def to_read(db: SessionDB, words: str) -> str:
    """The id; of a numbered family of titles (`my project #3`) the newest."""
    return _chosen(db, words, db.resolve_session_by_title(words))


def to_change(db: SessionDB, words: str) -> str:
    """The id; a title means exactly that session first, so that nothing else is changed by mistake."""
    exact = db.get_session_by_title(words)
    return _chosen(db, words, exact["id"] if exact else db.resolve_session_by_title(words))


def _chosen(db: SessionDB, words: str, titled: str | None) -> str:
    ids = db.matching_session_ids(words, limit=_MOST)
    if words in ids:
        return words
    if titled is not None:
        return titled
    return _only(words, ids)


def in_trash(db: SessionDB, words: str) -> str:
    """The same among what was thrown away: the newest part of that conversation."""
    parts = [(part, row["id"]) for row in trashed(db) for part in db.get_lineage(row["id"])]
    title = _clean(words)
    exact = [tip for part, tip in parts if part["id"] == words or (title and part["title"] == title)]
    begun = [tip for part, tip in parts if part["id"].startswith(words)]
    return exact[0] if exact else _only(words, list(dict.fromkeys(begun)))


def trashed(db: SessionDB) -> list[Row]:
    return db.list_conversations(ListQuery(order="active", shelf="trash", limit=2**31 - 1))


def _only(words: str, ids: list[str]) -> str:
    if not ids:
        raise SessionNotFound(words)
    if len(ids) > 1:
        raise AmbiguousId(words, ids)
    return ids[0]


def _clean(words: str) -> str | None:
    try:
        return sanitize_title(words)
    except ValueError:
        return None


def named(row: Row) -> str:
    """How a sentence speaks of a session: 'id' and, where it has one, its title."""
    return f"'{row['id']}'" + (f" “{row['title']}”" if row["title"] else "")
