"""Titles: set, get, find again, number."""

from hermes.errors import TitleInUse
from hermes.model import titles
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
        clean = titles.sanitize_title(title)

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
        clean = titles.sanitize_title(title[: titles.MAX_TITLE_LENGTH])

        def name(writer: Writer) -> str | None:
            session = writer.session(session_id)
            if session is None or clean is None:
                return None
            holder = title_holder(writer, clean, session["owner"])
            free = clean if holder in (None, session_id) else next_free_title(writer, clean, session["owner"])
            writer.update_session(session_id, {"title": free})
            return free

        return self._write(name)

    def get_session_title(self, session_id: str) -> str | None:
        with self._read() as reader:
            session = reader.session(session_id)
        return session["title"] if session else None

    def get_session_by_title(self, title: str) -> Row | None:
        """The session with exactly this title."""
        clean = titles.sanitize_title(title[:1000])
        if clean is None:
            return None
        with self._read() as reader:
            row = reader.titled(clean)
        return row and public(row)

    def resolve_session_by_title(self, title: str) -> str | None:
        """The newest of the numbered family `title #N`, else the session with exactly this title."""
        clean = titles.sanitize_title(title[:1000])
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
        """`my project` → `my project #2`, whatever numbers are taken; fits in 100 characters."""
        clean = titles.sanitize_title(base_title) or ""
        with self._read() as reader:
            base, _ = titles.split_number(clean)
            family = [row["title"] for row in reader.title_family(base)]
        return titles.next_title(clean, family) if family else clean


def title_holder(reader: Reader, title: str, owner: str) -> str | None:
    """The session of this owner that has exactly this title."""
    return next((str(row["id"]) for row in reader.title_family(title, owner) if row["title"] == title), None)


def next_free_title(reader: Reader, title: str, owner: str) -> str:
    base, _ = titles.split_number(title)
    return titles.next_title(title, [row["title"] for row in reader.title_family(base, owner)])
