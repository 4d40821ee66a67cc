"""The credential pool: several keys of a provider, which take turns, and rest when the provider wants no more of them.

The file has the keys that were added, and for every key that is in use (those of the environment too, by a fingerprint)
how often it was taken and how long it rests. It is private, changed by one process at a time, all or nothing.
"""

import hashlib
import json
import random
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hermes import paths
from hermes.config import save
from hermes.errors import BadInput, ConfigError, NotFound, ProviderError, QuotaSpent, RateLimited

_VERSION = 1
_LONGEST_REST = 24 * 3600.0
_REST = 3600.0  # after a refusal that does not say how long
_REST_OF_LIMIT = 60.0


class Entry(NamedTuple):
    """A key that was added."""

    provider: str
    label: str
    key: str
    added: float


class State(NamedTuple):
    """How a key has done."""

    used: int = 0
    rests_until: float = 0.0
    why: str = ""

    def rests(self, now: float) -> bool:
        return self.rests_until > now


class Pool:
    def __init__(self, file: Path | None = None) -> None:
        self._file = file or paths.credentials_file()

    def entries(self, provider: str | None = None) -> list[Entry]:
        """The keys that were added, in order."""
        entries = [Entry(**entry) for entry in self._read()["keys"]]
        return [entry for entry in entries if provider in (None, entry.provider)]

    def states(self, keys: Sequence[str]) -> list[State]:
        known = self._read()["states"]
        return [State(**known.get(fingerprint(key), {})) for key in keys]

    def add(self, provider: str, key: str, label: str = "") -> Entry:
        check_key(key)
        with self._changing() as content:
            there = [entry for entry in content["keys"] if entry["provider"] == provider]
            label = label or f"key {len(there) + 1}"
            if any(entry["key"] == key for entry in there):
                raise BadInput(f"{provider} has this key already.")
            if any(entry["label"] == label for entry in there):
                raise BadInput(f"{provider} has a key '{label}' already; give this one another --label.")
            entry = Entry(provider, label, key, time.time())
            content["keys"].append(entry._asdict())
            return entry

    def remove(self, provider: str, which: str) -> Entry:
        """Take out the key with this label, or with this number in the list of the provider."""
        with self._changing() as content:
            entry = _chosen([entry for entry in content["keys"] if entry["provider"] == provider], provider, which)
            content["keys"].remove(entry)
            content["states"].pop(fingerprint(entry["key"]), None)
            return Entry(**entry)

    def find(self, provider: str, which: str) -> Entry:
        return Entry(**_chosen([entry._asdict() for entry in self.entries(provider)], provider, which))

    def reset(self, keys: Sequence[str] | None = None) -> int:
        """Let keys (all: None) rest no longer, and forget how often they were taken. How many rested."""
        with self._changing() as content:
            wanted = set(content["states"]) if keys is None else {fingerprint(key) for key in keys}
            states = {name: content["states"].pop(name) for name in wanted if name in content["states"]}
            return sum(State(**state).rests(time.time()) for state in states.values())

    def rest(self, key: str, seconds: float, why: str) -> None:
        with self._changing() as content:
            state = State(**content["states"].get(fingerprint(key), {}))
            state = state._replace(rests_until=time.time() + min(seconds, _LONGEST_REST), why=why)
            content["states"][fingerprint(key)] = state._asdict()

    def take(self, provider: str, strategy: str, keys: Sequence[str]) -> str:
        """One of several keys, by the strategy; the choice is noted, so that other processes take the next."""
        with self._changing() as content:
            known = content["states"]
            states = [State(**known.get(fingerprint(key), {})) for key in keys]
            at = _by_strategy(strategy, keys, states, content["last"].get(provider, ""))
            known[fingerprint(keys[at])] = states[at]._replace(used=states[at].used + 1)._asdict()
            content["last"][provider] = fingerprint(keys[at])
            return keys[at]

    def _read(self) -> dict[str, Any]:
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {"version": _VERSION, "keys": [], "states": {}, "last": {}}
        except (OSError, UnicodeDecodeError):
            raise ConfigError(f"{self._file} cannot be read; check who owns it.") from None
        paths.tighten(self._file)
        return _checked(text, self._file)

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        with save.alone(self._file):
            content = self._read()
            yield content
            save.replace(self._file, json.dumps(content, indent=1) + "\n")


class PooledKeys:
    """The keys of a provider: those given by settings and variables first, then those of the pool."""

    def __init__(self, pool: Pool, provider: str, strategy: str, given: Sequence[str]) -> None:
        self._pool = pool
        self._provider = provider
        self._strategy = strategy or "fill_first"
        self._given = given

    def all(self) -> list[str]:
        try:
            added = [entry.key for entry in self._pool.entries(self._provider)]
        except ConfigError:
            if not self._given:
                raise
            added = []  # a damaged pool is no reason not to use the key at hand
        return list(dict.fromkeys([*self._given, *added]))

    def take(self, besides: Set[str]) -> str | None:
        """A key that does not rest. When all do, the first to wake gets a try, unless this call tried others before."""
        keys = [key for key in self.all() if key not in besides]
        if len(keys) < 2 and not besides:
            return keys[0] if keys else None
        try:
            states = self._pool.states(keys)
            awake = [key for key, state in zip(keys, states, strict=True) if not state.rests(time.time())]
            if len(awake) > 1 and self._strategy != "fill_first":
                return self._pool.take(self._provider, self._strategy, awake)
        except ConfigError:
            return keys[0] if keys else None
        if awake or besides or not keys:
            return awake[0] if awake else None
        return min(zip(states, keys, strict=True), key=lambda pair: pair[0].rests_until)[1]

    def failed(self, key: str, error: ProviderError) -> None:
        rest = _REST_OF_LIMIT if isinstance(error, RateLimited) else _REST
        why = "429" if isinstance(error, RateLimited) else "402" if isinstance(error, QuotaSpent) else "401"
        try:
            self._pool.rest(key, rest if error.seconds is None else error.seconds, why)
        except ConfigError:
            pass  # it is tried again sooner than it should be


def check_key(key: str) -> None:
    if not key or not key.isascii() or not key.isprintable() or " " in key or len(key) > 10_000:
        raise BadInput("That is not a key: one word of plain letters, digits and signs, without spaces.")


def fingerprint(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def masked(key: str) -> str:
    """Enough to tell keys apart."""
    return f"…{key[-4:]}" if len(key) >= 16 else "…"


def _by_strategy(strategy: str, keys: Sequence[str], states: Sequence[State], last: str) -> int:
    if strategy == "random":
        return random.randrange(len(keys))
    if strategy == "least_used":
        return min(range(len(keys)), key=lambda at: states[at].used)
    after = next((at + 1 for at, key in enumerate(keys) if fingerprint(key) == last), 0)
    return after % len(keys) if strategy == "round_robin" else 0


def _chosen(entries: list[dict[str, Any]], provider: str, which: str) -> dict[str, Any]:
    found = [entry for entry in entries if entry["label"] == which]
    if not found and which.isdecimal() and 1 <= int(which) <= len(entries):
        found = [entries[int(which) - 1]]
    if not found:
        raise NotFound(f"{provider} has no key '{which}' in the pool; `hermes auth list {provider}` shows them.")
    return found[0]


def _checked(text: str, file: Path) -> dict[str, Any]:
    try:
        content = json.loads(text)
        newer = content["version"] > _VERSION
        if not newer:
            for entry in content["keys"]:
                Entry(**entry)
            for state in content["states"].values():
                State(**state)
            content["last"].items()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ConfigError(f"{file} is damaged; move it away and add the keys again with `hermes auth add`.") from None
    if newer:
        raise ConfigError(f"{file} was written by a later Hermes; upgrade this one.")
    return dict(content)
