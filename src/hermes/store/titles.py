"""Titles: set, get, find again, number."""

from hermes.errors import BadInput, TitleInUse
from hermes.model import titles
from hermes.model.ids import sought_id
from hermes.store.base import Reader, Row, Writer
from hermes.store.operations import Operations, public


class TitleOperations(Operations):
    MAX_TITLE_LENGTH = titles.MAX_TITLE_LENGTH

    @staticmethod
    def sanitize_title(title: str | None) -> str | None:
        """The title as it would be stored; None when nothing visible is left. ValueError past 100 characters."""
        return titles.sanitize_title(title)

    def set_session_title(self, session_id: str, title: str | None) -> bool:
        """Name a session; blank clears. False when there is no such session; ValueError when the title is
        too long, or in use (the message names the session that has it)."""
        session_id, clean = sought_id(session_id), titles.sanitize_title(title)

        def rename(writer: Writer) -> bool:
            session = writer.session(session_id)
            if session is None:
                return False
            if clean is not None:
                holder = title_holder(writer, clean, session["owner"])
                if holder is not None and holder != session_id:
                    raise TitleInUse(clean, holder)
            return writer.update_session(session_id, {"title": clean})

        return self._write(rename)

    def set_free_title(self, session_id: str, title: str) -> str | None:
        """Name a session, taking the next free number when the title is in use. Returns the title it got;
        None when there is no such session, or nothing visible in the title."""
        session_id, clean = sought_id(session_id), titles.fitting_title(title)

        def name(writer: Writer) -> str | None:
            session = writer.session(session_id)
            if session is None or clean is None:
                return None
            free = free_title(writer, clean, session["owner"], session_id)
            writer.update_session(session_id, {"title": free})
            return free

        return self._write(name)

    def get_session_title(self, session_id: str) -> str | None:
        session_id = sought_id(session_id)
        with self._read() as reader:
            session = reader.session(session_id)
        return session["title"] if session else None

    def get_session_by_title(self, title: str) -> Row | None:
        """The session with exactly this title."""
        clean = _sought(title)
        if clean is None:
            return None
        with self._read() as reader:
            row = reader.titled(clean)
        return row and public(row)

    def resolve_session_by_title(self, title: str) -> str | None:
        """The newest of the numbered family `title #N`, else the session with exactly this title."""
        clean = _sought(title)
        if clean is None:
            return None
        with self._read() as reader:
            family = reader.title_family(clean)
            numbered = [
                row for row in family if row["title"] != clean and titles.split_number(row["title"])[0] == clean
            ]
            if numbered:
                return str(
                    max(numbered, key=lambda row: (row["started_at"], titles.split_number(row["title"])[1]))["id"]
                )
            exact = reader.titled(clean)
        return str(exact["id"]) if exact else None

    def get_next_title_in_lineage(self, base_title: str) -> str:
        """`my project` → `my project #2`, whatever numbers are taken; `my project` itself when none of the family
        is. Fits in 100 characters."""
        clean = titles.sanitize_title(base_title) or ""
        base, _ = titles.split_number(clean)
        with self._read() as reader:
            taken = [row["title"] for row in reader.title_family(base)]
        family = [title for title in taken if titles.split_number(title)[0] == base]
        return titles.next_title(clean, taken) if family else base


def _sought(title: object) -> str | None:
    """A title as it would be stored; None for one that no session can have."""
    if not isinstance(title, str):
        raise BadInput("A title must be text.")
    try:
        return titles.sanitize_title(title)
    except BadInput:
        return None


def title_holder(reader: Reader, title: str, owner: str) -> str | None:
    """The session of this owner that has exactly this title."""
    return next((str(row["id"]) for row in reader.title_family(title, owner) if row["title"] == title), None)


def free_title(reader: Reader, title: str, owner: str, session_id: str) -> str:
    """This title when nobody else of the owner has it, else the next number."""
    holder = title_holder(reader, title, owner)
    return title if holder in (None, session_id) else next_free_title(reader, title, owner)


def next_free_title(reader: Reader, title: str, owner: str) -> str:
    base, _ = titles.split_number(title)
    return titles.next_title(title, [row["title"] for row in reader.title_family(base, owner)])
