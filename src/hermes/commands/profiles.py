"""Profiles: homes of their own inside the main one, each with its own sessions, settings and keys."""

import shutil
from pathlib import Path

from hermes import paths
from hermes.commands.reply import Ask, Column, Reply, Table, count, said
from hermes.errors import BadInput, HermesError, NotFound
from hermes.store import SessionDB
from hermes.store.sqlite.holders import is_open_elsewhere

_COLUMNS = (Column("Profile", 20, least=8), Column("Size", 10, "bytes"), Column("Home", 40))
_RULE = 72


def profiles() -> Reply:
    """Every profile with its home and size; `*` marks the one in use."""
    here = paths.hermes_home().absolute()
    data = []
    for name in ("default", *paths.profile_names()):
        home = paths.profile_home(name)
        store = home / "state.db"
        size = store.stat().st_size if store.exists() else 0
        data.append({"profile": name, "home": str(home), "bytes": size, "in_use": home.absolute() == here})
    rows = tuple((("* " if one["in_use"] else "  ") + str(one["profile"]), one["bytes"], one["home"]) for one in data)
    return Reply((Table(_COLUMNS, rows, _RULE),), data=data)


def create(name: str, *, copy_settings: bool = False) -> Reply:
    """An empty home; with `copy_settings` it gets the settings in use, never the keys."""
    home = paths.profile_home(name)
    if name == "default":
        raise BadInput("The default profile is always there; choose another name.")
    if home.exists() or home.is_symlink():
        raise BadInput(f"Profile '{name}' exists already: hermes --profile {name} sessions list")
    try:
        for folder in (paths.profile_home("default"), paths.profiles_dir(), home):
            paths.make_private_folder(folder)
    except OSError as error:
        raise BadInput(f"{home} cannot be made ({error.strerror}).") from error
    if copy_settings:
        _copy_settings(home)
    return said(
        f"Created profile '{name}' in {home}",
        f"Use it: hermes --profile {name} sessions list",
        data={"profile": name, "home": str(home)},
    )


def _copy_settings(home: Path) -> None:
    settings = paths.config_file()
    if settings.is_file():
        paths.create_private_file(paths.config_file(home))
        shutil.copyfile(settings, paths.config_file(home))


def delete(name: str, *, yes: bool = False) -> Reply:
    """A profile with everything in it, for good."""
    home = paths.profile_home(name)
    if name == "default":
        raise BadInput("The default profile cannot be deleted; delete sessions with `hermes sessions prune`.")
    if not home.is_dir() or home.is_symlink():
        known = ", ".join(paths.profile_names()) or "none"
        raise NotFound(f"No profile '{name}' (there are: {known}).")
    if home.absolute() == paths.hermes_home().absolute():
        raise BadInput(f"Profile '{name}' is in use here; use another one to delete it: hermes --profile default …")
    held = _sessions(home)

    def go() -> Reply:
        if is_open_elsewhere(home / "state.db"):
            raise BadInput(f"Profile '{name}' is open in another process; end that first. Nothing was deleted.")
        shutil.rmtree(home)
        return said(f"Deleted profile '{name}' ({held}).", data={"profile": name, "home": str(home)})

    if yes:
        return go()
    return Reply(ask=Ask(f"Delete profile '{name}' ({held}) for good, with its settings and keys?", go))


def _sessions(home: Path) -> str:
    store = home / "state.db"
    if not store.exists() or store.stat().st_size == 0:
        return "no sessions"
    try:
        with SessionDB(store, read_only=True) as db:
            return count(db.session_count(), "session")
    except HermesError:
        return "a store that cannot be read"
