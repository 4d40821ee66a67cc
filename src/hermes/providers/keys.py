"""Which key a call is made with."""

from collections.abc import Sequence, Set
from typing import Protocol

from hermes.errors import ProviderError


class Keys(Protocol):
    def take(self, besides: Set[str]) -> str | None:
        """A key that can be used now and is not one of `besides`; None: there is none. "" for an endpoint without."""
        ...

    def failed(self, key: str, error: ProviderError) -> None:
        """The provider did not accept this key, or wants no more of it for a while."""
        ...


class GivenKeys:
    """Keys as they were given, the first first."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)

    def take(self, besides: Set[str]) -> str | None:
        return next((key for key in self._keys if key not in besides), None)

    def failed(self, key: str, error: ProviderError) -> None:
        pass
