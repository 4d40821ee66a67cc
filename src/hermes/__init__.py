"""Hermes: a personal AI agent that never forgets."""

__version__ = "0.1.0"
