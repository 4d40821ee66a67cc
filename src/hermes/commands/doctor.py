"""Is this home healthy? Each finding comes with the command that mends it; the exit code tells."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hermes import paths
from hermes.commands.reply import Reply, Span, Style, Text
from hermes.errors import (
    ConfigError,
    HermesError,
    StoreBusy,
    StoreCorrupt,
    StoreReplaced,
    StoreTooNew,
    StoreUnavailable,
)
from hermes.store import SessionDB

if TYPE_CHECKING:
    from hermes.config import Config

_LITTLE_SPACE = 200_000_000
_FAR_BEHIND = 5_000


@dataclass(frozen=True, slots=True)
class Finding:
    """`state`: well; worth knowing, though nothing fails; or a problem. `fix` is what to type."""

    subject: str
    state: Literal["ok", "advice", "problem"]
    what: str
    fix: str | None = None


_FIXES: dict[type, str] = {
    StoreTooNew: "pip install -U hermes",
    StoreBusy: "end the program that holds it, then: hermes doctor",
    StoreUnavailable: "export HERMES_HOME=<a folder of yours>",
    StoreReplaced: "end Hermes everywhere, then: hermes doctor",
}
Check = Callable[[Path], Iterator[Finding]]
_STYLES: dict[str, tuple[str, Style]] = {"ok": ("✓", "good"), "advice": ("!", "warn"), "problem": ("✗", "bad")}


def doctor(store: Path) -> Reply:
    """Every check, in order; one that fails does not stop the others."""
    found = [finding for check in CHECKS for finding in check(store)]
    problems = any(finding.state == "problem" for finding in found)
    parts = tuple(part for finding in found for part in _told(finding))
    return Reply(parts, data=[asdict(finding) for finding in found], exit_code=3 if problems else 0)


def _told(finding: Finding) -> Iterator[Text]:
    """What is there to be read, and below it what is there to be copied."""
    mark, style = _STYLES[finding.state]
    yield Text(((Span(mark, style), Span(f" {finding.subject}: {finding.what}")),), prose=True)
    if finding.fix:
        yield Text(((Span(f"    fix: {finding.fix}", "dim"),),))


def sqlite_version() -> str:
    import apsw

    return apsw.sqlite_lib_version()


def sqlite(_store: Path) -> Iterator[Finding]:
    from hermes.store.sqlite.connection import sqlite_warning

    warning = sqlite_warning()
    if warning:
        yield Finding("SQLite", "problem", warning, "pip install -U apsw")
    else:
        yield Finding("SQLite", "ok", f"{sqlite_version()}, without known faults")


def file_system(store: Path) -> Iterator[Finding]:
    from hermes.store.sqlite.connection import network_filesystem

    network = network_filesystem(store)
    if network:
        what = f"{store.parent} lies on a network file system ({network}): slower, and without a write-ahead log"
        yield Finding("File system", "advice", what, "export HERMES_HOME=<a folder on a local disk>")
    else:
        yield Finding("File system", "ok", "a local disk")


def permissions(store: Path) -> Iterator[Finding]:
    """Others on this machine must not read what was said."""
    home = paths.hermes_home()
    if not home.exists():
        yield Finding("Permissions", "ok", f"{home} does not exist yet")
        return
    wide = [path for path in _private(store) if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    foreign = [path for path in _private(store) if path.exists() and path.stat().st_uid != os.geteuid()]
    for path in wide:
        mode = "700" if path.is_dir() else "600"
        yield Finding("Permissions", "problem", f"{path} can be read by others", f"chmod {mode} '{path}'")
    for path in foreign:
        yield Finding("Permissions", "problem", f"{path} belongs to another user", f"sudo chown $(id -un) '{path}'")
    if not os.access(home, os.W_OK):
        yield Finding("Permissions", "advice", f"{home} cannot be written: nothing new is saved", f"chmod u+w '{home}'")
    elif not wide and not foreign:
        yield Finding("Permissions", "ok", "yours alone")


def _private(store: Path) -> list[Path]:
    beside = [store.with_name(store.name + suffix) for suffix in ("", "-wal", "-shm", ".lock")]
    beside += [paths.config_file(), paths.dotenv_file(), paths.credentials_file()]
    return [paths.hermes_home(), *beside, paths.logs_dir(), paths.sessions_dir(), *paths.copies_of(store)]


def folders(_store: Path) -> Iterator[Finding]:
    """A file in the place of a folder: what belongs there is lost, without a word."""
    for folder in (paths.logs_dir(), paths.sessions_dir(), paths.skills_dir(), paths.plugins_dir()):
        if folder.exists() and not folder.is_dir():
            what = f"{folder} is a file, and has to be a folder: nothing can be kept there"
            yield Finding("Folders", "problem", what, f"mv '{folder}' '{folder}.old'")


def opens(store: Path) -> Iterator[Finding]:
    """Schema, index and integrity, as far as the store can be opened. Nothing is changed."""
    if not store.exists() or store.stat().st_size == 0:
        yield Finding("Store", "ok", f"{store} is empty; it begins with the first session")
        return
    try:
        with SessionDB(store, read_only=True) as db:
            yield from _schema(store)
            yield from _index(db.index_lag())
            yield from _integrity(db)
    except StoreCorrupt as error:
        fix = "hermes sessions repair --salvage NEW, or hermes sessions restore-backup FILE"
        yield Finding("Store", "problem", str(error), fix)
    except HermesError as error:
        yield Finding("Store", "problem", str(error), _FIXES.get(type(error)))


def _schema(store: Path) -> Iterator[Finding]:
    from hermes.store.sqlite.connection import connect_read_only
    from hermes.store.sqlite.opening import state_of
    from hermes.store.sqlite.schema import SCHEMA_VERSION

    connection = connect_read_only(store)
    try:
        version, ours = state_of(connection)
    finally:
        connection.close()
    if version == SCHEMA_VERSION and ours:
        yield Finding("Schema", "ok", f"{version}, the current one")
    elif version is not None and version < SCHEMA_VERSION:
        what = f"{version}; upgraded to {SCHEMA_VERSION} at the next use, after a backup"
        yield Finding("Schema", "advice", what, "hermes sessions list")
    else:
        what = f"{version}, later than this Hermes knows ({SCHEMA_VERSION}); it can only be read"
        yield Finding("Schema", "problem", what, "pip install -U hermes")


def _index(behind: int) -> Iterator[Finding]:
    if behind > _FAR_BEHIND:
        what = f"{behind:,} messages behind; searches find them, more slowly"
        yield Finding("Index", "advice", what, "hermes sessions optimize")
    else:
        yield Finding("Index", "ok", f"{behind:,} messages behind" if behind else "up to date")


def _integrity(db: SessionDB) -> Iterator[Finding]:
    problems = db.check()
    for problem in problems[:10]:
        fix = "hermes sessions repair" if problem["mend"] else "hermes sessions repair --salvage NEW"
        yield Finding("Integrity", "problem", f"{problem['kind']}: {problem['what']}", fix)
    if len(problems) > 10:
        yield Finding("Integrity", "problem", f"and {len(problems) - 10} more", "hermes sessions check")
    if not problems:
        yield Finding("Integrity", "ok", "everything is as it should be")


def disk(store: Path) -> Iterator[Finding]:
    folder = store.parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < _LITTLE_SPACE:
        what = f"{free / 1e6:.0f} MB free"
        yield Finding("Disk", "advice", what, "hermes sessions prune --dry-run; hermes sessions optimize")
    else:
        yield Finding("Disk", "ok", f"{free / 1e9:.1f} GB free")


def settings(_store: Path) -> Iterator[Finding]:
    """What `hermes config check` would say."""
    from hermes.config import load

    config = load()
    for problem in config.problems:
        fix = "hermes config edit" if problem.serious else "hermes config check"
        fix = "hermes config upgrade" if "hermes config upgrade" in problem.text else fix
        yield Finding("Settings", "problem" if problem.serious else "advice", problem.text, fix)
    if not config.problems:
        there = "as they should be" if config.file.exists() else "all as they are by default"
        yield Finding("Settings", "ok", there)


def keys(_store: Path) -> Iterator[Finding]:
    """A key is only needed to talk to a model; sessions are looked after without one."""
    from hermes.commands.extended import load_extended
    from hermes.commands.setup import has_key, key_name, keys_present
    from hermes.providers.presets import PRESETS

    chosen = load_extended(paths.hermes_home()).settings.model
    present = keys_present(paths.hermes_home())
    needed = key_name(chosen.provider)
    if chosen.api_key or chosen.base_url or (chosen.provider in PRESETS and not PRESETS[chosen.provider].needs_key):
        yield Finding("Keys", "ok", f"{chosen.provider} needs none here, or has its own")
    elif needed and not has_key(paths.hermes_home(), chosen.provider):
        yield Finding("Keys", "advice", f"{chosen.provider} has no key ({needed})", f"hermes config set {needed}")
    elif present:
        yield Finding("Keys", "ok", ", ".join(present))
    else:
        yield Finding("Keys", "advice", "none yet: no model can answer, everything else works", "hermes setup")


def platforms(_store: Path) -> Iterator[Finding]:
    """Those of the gateway that are on, and what one of them still needs before it can be served."""
    from hermes.commands.extended import plugins_here
    from hermes.config import load
    from hermes.config.platforms import PLATFORMS, is_on, lacks, unknown

    config = load()
    on = [name for name in PLATFORMS if is_on(config, name)]
    wrong = unknown(config, plugins_here(config, Path.cwd()).platforms) if config.settings.platforms else []
    found = [Finding("Platforms", "problem", words, "hermes config edit") for words in wrong]
    for name in on:
        fix = lacks(config, name)
        mistake = "" if fix else _mistake(config, name)
        if fix or mistake:
            what = mistake or f"{name} is on, and cannot be served yet"
            found.append(Finding("Platforms", "problem", what, fix or "hermes config edit"))
    if on and not found:
        found.append(Finding("Platforms", "ok", ", ".join(on)))
    yield from found


def _mistake(config: "Config", name: str) -> str:
    """What is wrong in the settings of a platform; empty: nothing that can be told without serving it."""
    from hermes.config import listening
    from hermes.config.platforms import section

    try:
        if name == "api-server":
            listening.api_server(config)
        elif name == "webhook":
            listening.webhooks(config)
        else:
            section(config, name)
    except ConfigError as error:
        return str(error)
    return ""


def plugins(_store: Path) -> Iterator[Finding]:
    """Those that are on, and what keeps one of them from being used."""
    from hermes.commands.extended import plugins_here
    from hermes.config import load

    config = load()
    found = plugins_here(config, Path.cwd())
    warnings = found.news()
    for warning in warnings:
        yield Finding("Plugins", "problem", warning, "hermes plugins list")
    loaded = list(getattr(found, "loaded", ()))
    if loaded and not warnings:
        yield Finding("Plugins", "ok", ", ".join(loaded))


CHECKS: tuple[Check, ...] = (sqlite, file_system, permissions, folders, opens, disk, settings, keys, platforms, plugins)
