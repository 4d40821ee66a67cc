"""Loading: the four layers become one `Config`."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from hermes import paths
from hermes.config import document, environment, upgrades
from hermes.config.document import Broken, Document, KeyPath
from hermes.config.edits import Put, applied
from hermes.config.environment import Environment
from hermes.config.foreign import is_foreign
from hermes.config.resolve import DEFAULT, Origin, Problem, Resolver, plain
from hermes.config.settings import Settings
from hermes.config.upgrades import Step

_DEFAULTS = Settings()


class Findings(NamedTuple):
    """What loading came across; report.py puts it into words."""

    content: Document
    written: dict[str, Any]
    problems: list[Problem]
    unknown: list[KeyPath]
    steps: list[Step]
    origins: dict[KeyPath, Origin]

    @property
    def serious(self) -> bool:
        return bool(
            self.content.repeated
            or any(problem.serious for problem in self.problems)
            or any(not is_foreign(path) for path in self.unknown)
        )


class Config:
    """The settings in force, where each came from, and what there is to say about them."""

    def __init__(self, settings: Settings, variables: Environment, file: Path, findings: Findings) -> None:
        self.settings = settings
        self.environment = variables
        self.file = file
        self._findings = findings

    @cached_property
    def problems(self) -> list[Problem]:
        """Everything, in words; for `hermes config check`."""
        from hermes.config import report

        return report.problems(self._findings)

    @property
    def written(self) -> dict[str, Any]:
        """What the file says, in today's form; references as they are."""
        return self._findings.written

    @property
    def warnings(self) -> list[str]:
        """What every command tells the person, once each."""
        if not self._findings.serious:
            return []
        return [problem.text for problem in self.problems if problem.serious]

    def plain(self) -> dict[str, Any]:
        """All of it as sections and values, secrets included."""
        result: dict[str, Any] = plain(self.settings)
        return result

    def origin(self, path: KeyPath) -> Origin:
        """The layer of a value, or of the section it is inside."""
        origins = self._findings.origins
        return next((origins[path[:end]] for end in range(len(path), 0, -1) if path[:end] in origins), DEFAULT)


def load(
    overrides: Mapping[str, Any] | None = None,
    *,
    home: Path | None = None,
    process: Mapping[str, str] | None = None,
) -> Config:
    """The settings of a home. `overrides` are dotted keys (`{"model.default": "…"}`) and go before everything; one that
    does not fit raises ConfigError. Whatever is wrong with the file is a warning, and the defaults hold instead."""
    home = home or paths.hermes_home()
    file = paths.config_file(home)
    variables = environment.read(paths.dotenv_file(home), process)
    content, broken = _read(file)
    upgraded = upgrades.upgrade(content.tree)
    resolver = Resolver(variables)
    settings = resolver.area(_DEFAULTS, (), upgraded.tree, _tree(overrides or {}))
    problems = [*broken, *(Problem((), text) for text in variables.problems), *resolver.problems]
    findings = Findings(content, upgraded.tree, problems, resolver.unknown, upgraded.steps, resolver.origins)
    return Config(settings, variables, file, findings)


def _read(file: Path) -> tuple[Document, list[Problem]]:
    try:
        if os.path.lexists(file):
            return document.read(file), []
    except Broken as broken:
        where = f":{broken.where[0]}:{broken.where[1]}" if broken.where else ""
        text = (
            f"{file}{where}: {broken.reason}. The defaults are in force and the file is untouched; "
            "`hermes config edit` opens it."
        )
        return document.EMPTY, [Problem((), text)]
    return document.EMPTY, []


def _tree(overrides: Mapping[str, Any]) -> dict[str, Any]:
    if not overrides:
        return {}
    from hermes.config.keys import find

    for key in overrides:
        find(tuple(key.split(".")))
    return applied({}, [Put(tuple(key.split(".")), value) for key, value in overrides.items()])
