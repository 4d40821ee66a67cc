"""The store: every conversation, safe the moment it was said. Start with base.py."""

from hermes.store.db import SessionDB

__all__ = ["SessionDB"]
