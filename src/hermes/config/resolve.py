"""From four layers to typed settings: overrides, environment, file, defaults.

The highest layer that has a fitting value for a setting decides. A section is merged key by key, a list is taken whole.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hermes.config import kinds
from hermes.config.area import Area, Setting, fresh, inside
from hermes.config.document import KeyPath
from hermes.config.edits import MISSING
from hermes.config.environment import Environment
from hermes.config.references import expand
from hermes.errors import ConfigError

Tree = dict[str, Any]


class Origin(NamedTuple):
    """The layer a value came from, and the variables or the file that gave it."""

    layer: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.layer}: {self.detail}" if self.detail else self.layer


DEFAULT, FILE, OVERRIDE = Origin("default"), Origin("file"), Origin("override")


class Problem(NamedTuple):
    """Something to tell. `serious` is told with every command; the rest is for `hermes config check`."""

    path: KeyPath
    text: str
    serious: bool = True


class _Value(NamedTuple):
    value: Any
    origin: Origin
    missing: tuple[str, ...] = ()


class Resolver:
    """Builds the settings and takes down where each value came from and what did not fit."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.origins: dict[KeyPath, Origin] = {}
        self.problems: list[Problem] = []
        self.unknown: list[KeyPath] = []

    def area(self, default: Area, path: KeyPath, file: Any, override: Any) -> Any:
        file, override = self._section(path, file), self._section(path, override)
        values = {
            name: self.setting(
                known, getattr(default, name), (*path, name), file.get(name, MISSING), override.get(name, MISSING)
            )
            for name, known in type(default).settings.items()
        }
        self.unknown += [(*path, name) for name in file if name not in type(default).settings]
        return type(default)(**values)

    def setting(self, known: Setting, default: Any, path: KeyPath, file: Any, override: Any) -> Any:
        silent = file is MISSING and override is MISSING
        if isinstance(default, Area):
            return default if silent and not default.has_variables else self.area(default, path, file, override)
        if silent and known.env is None:
            return fresh(default)
        named = inside(known.kind, dict)
        if named is not None:
            return self._named(named(), path, file, override)
        return self._leaf(known, default, path, file, override)

    def _named(self, default: Area, path: KeyPath, file: Any, override: Any) -> Any:
        """Sections with names the person chose."""
        file, override = self._section(path, file), self._section(path, override)
        return {
            name: self.area(default, (*path, name), file.get(name, MISSING), override.get(name, MISSING))
            for name in {**file, **override}
        }

    def _leaf(self, known: Setting, default: Any, path: KeyPath, file: Any, override: Any) -> Any:
        misfits = []
        value, layer = fresh(default), ""
        for candidate in self._candidates(known, path, file, override):
            try:
                value = merged(default, self._fitted(known, path, candidate))
            except kinds.Misfit as misfit:
                misfits.append(self._misfit(known, path, candidate, str(misfit)))
                continue
            layer = candidate.origin.layer
            self.origins[path] = candidate.origin
            self._unset(path, candidate.missing)
            self._check_address(known, path, candidate._replace(value=value))
            break
        for text in misfits:
            in_force = f"what the {layer} says" if layer else f"the default {written(default)}"
            self.problems.append(Problem(path, f"{text}; {in_force} is in force."))
        return value

    def _candidates(self, known: Setting, path: KeyPath, file: Any, override: Any) -> Iterator[_Value]:
        """What the layers say, the highest first. An empty value in the file means: as if it were not there."""
        expanded = expand(file, self._environment)
        if override is not MISSING:
            yield _Value(merged(expanded.value, override), OVERRIDE)
        name = known.env.format(path[-2].upper()) if known.env else ""
        if name and self._environment.get(name):
            yield _Value(self._environment[name], self._variables((name,)))
        if file is not MISSING and file is not None:
            origin = self._variables(expanded.used) if expanded.used else FILE
            yield _Value(expanded.value, origin, expanded.missing)

    def _fitted(self, known: Setting, path: KeyPath, candidate: _Value) -> Any:
        inner = inside(known.kind, list)
        if inner is None or not isinstance(candidate.value, list):
            return kinds.fit(known, candidate.value)
        if not all(isinstance(item, dict) for item in candidate.value):
            raise kinds.Misfit("a list of sections")
        return [self.area(inner(), (*path, str(at)), item, MISSING) for at, item in enumerate(candidate.value)]

    def _section(self, path: KeyPath, value: Any) -> Tree:
        if value is MISSING or value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.problems.append(
            Problem(path, f"{'.'.join(path)} is {kinds.found(value)}, expected a section; the defaults are in force.")
        )
        return {}

    def _variables(self, names: tuple[str, ...]) -> Origin:
        return Origin(
            "environment",
            ", ".join(f"{name} (.env)" if self._environment.is_from_dotenv(name) else name for name in names),
        )

    def _misfit(self, known: Setting, path: KeyPath, candidate: _Value, wanted: str) -> str:
        """What a variable holds is not repeated: it may be a secret in the wrong place."""
        key = ".".join(path)
        if candidate.origin is OVERRIDE:
            raise ConfigError(f"{key} has to be {wanted}.")
        if candidate.missing:
            return f"{key} is ${{{candidate.missing[0]}}}, which is not set"
        if candidate.origin.detail:
            return f"{key} from {candidate.origin.detail} is not {wanted}"
        return f"{key} is {'something else' if known.secret else kinds.found(candidate.value)}, expected {wanted}"

    def _check_address(self, known: Setting, path: KeyPath, candidate: _Value) -> None:
        if not candidate.missing and kinds.is_no_address(known, candidate.value):
            told = self._misfit(known, path, candidate, kinds.expected(known))
            self.problems.append(Problem(path, f"{told}; it stays as it is written."))

    def _unset(self, path: KeyPath, names: tuple[str, ...]) -> None:
        for name in names:
            text = f"{'.'.join(path)} refers to ${{{name}}}, which is not set; it stays as it is written."
            self.problems.append(Problem(path, text, serious=False))


def merged(low: Any, high: Any) -> Any:
    """Two sections as one, key by key; of anything else the higher."""
    if not isinstance(low, dict) or not isinstance(high, dict):
        return high
    return {**low, **{key: merged(low.get(key), value) for key, value in high.items()}}


def written(value: Any) -> str:
    """A value as a person would write it."""
    import json

    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) or not value else value


def plain(value: Any) -> Any:
    """Settings as sections, lists and values."""
    if isinstance(value, Area):
        return {name: plain(getattr(value, name)) for name in type(value).settings}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
