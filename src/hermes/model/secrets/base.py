"""A secret that was found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """`text[start:end]` is a secret; its first `shown` characters are a public prefix and stay readable."""

    kind: str
    start: int
    end: int
    shown: int = 0
