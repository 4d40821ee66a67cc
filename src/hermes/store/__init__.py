"""The store: every conversation, safe the moment it was said. Start with base.py."""

from hermes.store.db import SessionDB, open_store

__all__ = ["SessionDB", "open_store"]
