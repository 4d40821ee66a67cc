"""The documented import name of the store."""

from hermes.store import SessionDB

__all__ = ["SessionDB"]
