"""Key/value pairs, and who is who."""

from hermes.store.sqlite.table import Table


class MetaTable(Table):
    def meta(self, key: str) -> str | None:
        value: str | None = self.one("SELECT value FROM state_meta WHERE key = ?", (key,))
        return value

    def meta_keys(self, prefix: str) -> list[str]:
        sql = "SELECT key FROM state_meta WHERE substr(key, 1, ?) = ? ORDER BY key"
        return [row[0] for row in self.connection.execute(sql, (len(prefix), prefix))]

    def set_meta(self, key: str, value: str | None) -> None:
        if value is None:
            self.connection.execute("DELETE FROM state_meta WHERE key = ?", (key,))
        else:
            self.connection.execute("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)", (key, value))

    def linked_owners(self, owner: str) -> frozenset[str]:
        sql = """SELECT owner FROM identity_links
                 WHERE person = (SELECT person FROM identity_links WHERE owner = ?)"""
        return frozenset({owner, *(row[0] for row in self.connection.execute(sql, (owner,)))})

    def link_owner(self, owner: str, person: str | None) -> None:
        if person is None:
            self.connection.execute("DELETE FROM identity_links WHERE owner = ?", (owner,))
        else:
            self.connection.execute(
                "INSERT OR REPLACE INTO identity_links (owner, person) VALUES (?, ?)", (owner, person)
            )
