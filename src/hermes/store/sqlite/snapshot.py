"""What a read and a write transaction are given: the questions and the changes of every table, on one connection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hermes.store.encode import EncodedMessage
from hermes.store.sqlite.behind import BehindTable
from hermes.store.sqlite.care import CareTable
from hermes.store.sqlite.insights import InsightTable
from hermes.store.sqlite.lists import ListTable
from hermes.store.sqlite.messages import MessageTable
from hermes.store.sqlite.meta import MetaTable
from hermes.store.sqlite.routing import RoutingTable
from hermes.store.sqlite.usage import UsageTable

if TYPE_CHECKING:
    from hermes.store.sqlite.recall import RecallTable as Searching
else:

    class Searching(BehindTable):
        """Search and recall are half of the engine's code: they are loaded when they are asked for the first time, and
        who only lists never waits for them."""

        def __getattr__(self, name: str) -> Any:
            from hermes.store.sqlite.recall import RecallTable

            return getattr(RecallTable(self.connection, self.scope), name)


class SqliteReader(ListTable, MessageTable, UsageTable, InsightTable, MetaTable, CareTable, RoutingTable, Searching):
    """Every table's questions, on one snapshot."""


class SqliteWriter(SqliteReader):
    """Every table's changes too, in one transaction."""

    deletes = False
    inserts = False

    def delete_messages(self, session_id: str, from_id: int = 0) -> int:
        self.deletes = True
        return super().delete_messages(session_id, from_id)

    def insert_messages(self, session_id: str, messages: Sequence[EncodedMessage]) -> list[int]:
        self.inserts = True
        return super().insert_messages(session_id, messages)
