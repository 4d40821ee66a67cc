"""How far the index is behind. Apart from the index itself: every open asks this, and most never search."""

from hermes.store.sqlite.table import Table

BATCH_ROWS = 256
INDEX_VERSION = "2"  # what we feed to the tables; an index of another one is made anew


class BehindTable(Table):
    def indexed_through(self) -> int:
        """Up to which message the index can be trusted; 0 when it was made by other rules."""
        sql = f"""SELECT value FROM state_meta WHERE key = 'indexed_through'
                  AND EXISTS (SELECT 1 FROM state_meta WHERE key = 'index_version' AND value = '{INDEX_VERSION}')"""
        return int(self.one(sql) or 0)

    def index_lag(self) -> int:
        """How many rows the index is behind, at most: the tail, and what waits in the queue."""
        newest = self.one("SELECT MAX(id) FROM messages") or 0
        queued = self.one("SELECT COUNT(*) FROM index_queue")
        return int(max(0, newest - self.indexed_through()) + queued)
