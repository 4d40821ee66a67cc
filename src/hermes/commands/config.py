"""Settings: show, get, set, unset, check, upgrade. Secrets are masked in everything that is shown."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.commands.reply import Line, Reply, Span, Text, count, said
from hermes.config import Config, Settings, load, save, values
from hermes.config.area import MASK
from hermes.config.document import KeyPath
from hermes.config.edits import MISSING, Drop, Put, at
from hermes.config.keys import find
from hermes.config.masking import masked
from hermes.config.references import expand
from hermes.config.resolve import DEFAULT, plain
from hermes.config.rewrite import rendered
from hermes.config.save import Saved
from hermes.errors import NotFound

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_FIRST_LINES = (
    "# Settings of Hermes. Every key can be left out; `hermes config show` lists them all with their values.\n"
)


def show(home: Path, key: str | None = None, *, sources: bool = False, changed: bool = False) -> Reply:
    """The settings in force as YAML: all of them, or one section. `sources` adds the layer each value came from,
    `changed` leaves out what is as it is by default."""
    config = load(home=home)
    path = _path(key) if key else ()
    if path:
        find(path)
    tree = masked(at(config.plain(), path), path[-1] if path else "")
    if tree is MISSING:
        raise NotFound(f"{key} is not set.")
    leaves = [(leaf, value) for leaf, value in _leaves(tree, path) if not changed or config.origin(leaf) != DEFAULT]
    data: Any = tree
    if sources or changed:
        data = {".".join(leaf): _entry(config, leaf, value, sources=sources) for leaf, value in leaves}
    lines = tuple(_yaml(config, leaves, sources=sources)) or ("Everything is as it is by default.",)
    return Reply((Text(lines),), tuple(config.warnings), data)


def get(home: Path, key: str) -> Reply:
    """One value, bare, so that a script can use it; a section as YAML."""
    if _VARIABLE.fullmatch(key):
        return _get_variable(load(home=home), key)
    path = _path(key)
    known = find(path)
    config = load(home=home)
    value = at(config.plain(), path)
    if value is MISSING:
        raise NotFound(f"{key} is not set.")
    value = masked(value, known.name)
    if isinstance(value, dict) and value:
        lines: tuple[Line, ...] = tuple(_yaml(config, list(_leaves(value, path)), sources=False, under=len(path)))
    else:
        lines = (value if isinstance(value, str) else rendered(value),)
    data = [value] if isinstance(value, list) else value  # one value, not a line for each entry
    return said(*lines, data=data, notices=tuple(config.warnings))


def set_value(home: Path, key: str, text: str) -> Reply:
    """Write one setting to config.yaml; a variable such as OPENROUTER_API_KEY goes to .env."""
    if _VARIABLE.fullmatch(key):
        save.change_variable(paths.dotenv_file(home), key, text)
        return said(f"{key} is saved in {paths.dotenv_file(home)}.", data={"key": key}, notices=_outranked(home, key))
    path = _path(key)
    known = find(path)
    value = values.typed(known, path, text)
    before = load(home=home)
    saved = save.change(before.file, [Put(path, value)])
    after = load(home=home)
    shown, old = (rendered(masked(one, known.name)) for one in (value, _written(before, path)))
    line = f"{key} is {shown}." if shown == old else f"{key} is now {shown} (it was {old})."
    notices = (*_upgraded(saved), *_hidden(after, path, value))
    return said(line, data={"key": key, "value": masked(value, known.name)}, notices=notices)


def unset(home: Path, key: str) -> Reply:
    """Take a setting out of config.yaml, so that its default holds again; or a variable out of .env."""
    if _VARIABLE.fullmatch(key):
        save.change_variable(paths.dotenv_file(home), key, None)
        return said(f"{key} is not in {paths.dotenv_file(home)} any more.", data={"key": key})
    path = _path(key)
    before = load(home=home)
    if at(before.written, path) is MISSING:
        known = find(path)
        return said(
            f"{key} is not in {before.file}.", data={"key": key, "value": masked(_in_force(before, path), known.name)}
        )
    saved = save.change(before.file, [Drop(path)])
    value = masked(_in_force(load(home=home), path), path[-1])
    shown = "" if value is None or isinstance(value, dict) else f"; {rendered(value)} is in force"
    return said(
        f"{key} is out of {before.file}{shown}.", data={"key": key, "value": value}, notices=tuple(_upgraded(saved))
    )


def upgrade(home: Path) -> Reply:
    """Write an old file in today's form; the old one is kept."""
    saved = save.change(paths.config_file(home), [])
    if saved.kept is None:
        return said("Nothing to upgrade.", data={"steps": [], "kept": None})
    return said(*_upgraded(saved), data={"steps": [step.name for step in saved.steps], "kept": str(saved.kept)})


def check(home: Path) -> Reply:
    """Everything there is to say about config.yaml and .env. The exit code is 2 when something needs attention."""
    config = load(home=home)
    found = [*((problem.serious, problem.text) for problem in config.problems), *_open_to_others(home)]
    lines: list[Line] = [
        (Span("✗" if serious else "!", "bad" if serious else "warn"), Span(f" {text}")) for serious, text in found
    ]
    serious = any(is_serious for is_serious, _ in found)
    if not serious:
        own = len([leaf for leaf, _ in _leaves(config.plain(), ()) if config.origin(leaf) != DEFAULT])
        where = config.file if config.file.exists() else f"{config.file} (not there yet)"
        lines.append((Span("✓", "good"), Span(f" {where}: {count(own, 'setting')} of your own, nothing wrong.")))
    data = [{"serious": is_serious, "what": text} for is_serious, text in found]
    return Reply((Text(tuple(lines)),), data=data, exit_code=2 if serious else 0)


def begin(home: Path) -> Path:
    """The file to edit, made when there is none."""
    file = paths.config_file(home)
    if not file.exists():
        paths.make_private_folder(home)
        save.replace(file, _FIRST_LINES)
    return file


# -- reading


def _path(key: str) -> KeyPath:
    path = tuple(key.split("."))
    if not all(path):
        raise NotFound(f"'{key}' is not a setting; keys look like sessions.retention_days.")
    return path


def _written(config: Config, path: KeyPath) -> Any:
    """What stands in the file, or the default."""
    value = at(config.written, path)
    value = at(plain(Settings()), path) if value is MISSING else value
    return None if value is MISSING else value


def _in_force(config: Config, path: KeyPath) -> Any:
    value = at(config.plain(), path)
    return None if value is MISSING else value


def _leaves(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    else:
        yield path, value


def _entry(config: Config, leaf: KeyPath, value: Any, *, sources: bool) -> Any:
    return {"value": value, "source": str(config.origin(leaf))} if sources else value


def _yaml(config: Config, leaves: list[tuple[KeyPath, Any]], *, sources: bool, under: int = 0) -> Iterator[Line]:
    """Leaves as a YAML tree; the source of each as a comment."""
    above: KeyPath = ()
    for leaf, value in leaves:
        same = next((at for at, (old, new) in enumerate(zip(above, leaf[:-1], strict=False)) if old != new), len(above))
        for depth in range(max(under, min(same, len(leaf) - 1)), len(leaf) - 1):
            yield f"{'  ' * (depth - under)}{rendered(leaf[depth])}:"
        above = leaf[:-1]
        text = f"{'  ' * (len(leaf) - 1 - under)}{rendered(leaf[-1])}: {rendered(value)}"
        yield (Span(text), Span(f"  # {config.origin(leaf)}", "dim")) if sources else text


def _get_variable(config: Config, name: str) -> Reply:
    if name not in config.environment:
        raise NotFound(f"{name} is not set, neither in the environment nor in .env.")
    where = ".env" if config.environment.is_from_dotenv(name) else "environment"
    return said(MASK if config.environment[name] else "", data={"key": name, "source": where})


# -- what is said beside a change


def _upgraded(saved: Saved) -> Iterator[str]:
    for step in saved.steps:
        yield f"{step.about} now ({step.name})."
    if saved.kept:
        yield f"The file as it was: {saved.kept}"


def _hidden(config: Config, path: KeyPath, value: Any) -> Iterator[str]:
    """A variable goes before the file; somebody who sets a value wants to know."""
    origin = config.origin(path)
    if origin.layer == "environment" and not expand(value, {}).missing:  # it may name the variable itself
        yield f"{origin.detail} is set and goes before it."


def _outranked(home: Path, name: str) -> tuple[str, ...]:
    if load(home=home).environment.is_from_dotenv(name):
        return ()
    return (f"{name} is set in the environment too, and that goes before .env.",)


def _open_to_others(home: Path) -> Iterator[tuple[bool, str]]:
    for file in (paths.config_file(home), paths.dotenv_file(home)):
        if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield True, f"{file} can be read by others; chmod 600 '{file}'"
