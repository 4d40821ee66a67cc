"""The documented import name for where Hermes lives on disk."""

from hermes.paths import hermes_home as get_hermes_home

__all__ = ["get_hermes_home"]
