"""The only module that knows where things live on disk.

Everything sits under one home folder: `HERMES_HOME`, or `~/.hermes`. The environment is read
at call time, so a test or a profile can point elsewhere.
"""

import glob
import os
import re
from pathlib import Path

from hermes.errors import BadInput, NotFound

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
_PROFILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def hermes_home() -> Path:
    """The home folder: `$HERMES_HOME` when set and not empty, `~/.hermes` otherwise."""
    return Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes").expanduser()


def state_db() -> Path:
    """The store."""
    return hermes_home() / "state.db"


def sessions_dir() -> Path:
    """Gateway transcripts and their index."""
    return hermes_home() / "sessions"


def logs_dir() -> Path:
    return hermes_home() / "logs"


def scripts_dir() -> Path:
    """Scripts of the operator's own that scheduled jobs run."""
    return hermes_home() / "scripts"


def received_dir(platform: str) -> Path:
    """Files that people sent to the agent."""
    return hermes_home() / "received" / platform


def tool_results_dir() -> Path:
    """What tools said at length, for the model to read in parts."""
    return hermes_home() / "tool-results"


def mcp_tools_file() -> Path:
    """What MCP servers offered when they were last asked."""
    return hermes_home() / "mcp-tools.json"


def approvals_file() -> Path:
    """What was allowed for good."""
    return hermes_home() / "approvals.json"


def approvals_log() -> Path:
    """What was decided about dangerous commands, a line each."""
    return logs_dir() / "approvals.jsonl"


def memories_dir(owner: str = "local", home: Path | None = None) -> Path:
    """Notes the agent keeps: those of this machine's operator, or of somebody else who talks to it."""
    folder = (home or hermes_home()) / "memories"
    if owner == "local":
        return folder
    from urllib.parse import quote  # only who serves other people pays

    return folder / "of" / quote(owner, safe="")


def skills_dir(home: Path | None = None) -> Path:
    """Skills of the person's own."""
    return (home or hermes_home()) / "skills"


def skills_usage(home: Path | None = None) -> Path:
    """How often each was used."""
    return skills_dir(home) / ".usage.json"


def skills_pins(home: Path | None = None) -> Path:
    """Those no review proposes anything about."""
    return skills_dir(home) / ".pins.json"


def curator_dir(home: Path | None = None) -> Path:
    """What the last review of one's own skills proposes, and copies of them."""
    return (home or hermes_home()) / "curator"


def plugins_dir(home: Path | None = None) -> Path:
    """Plugins of the person's own."""
    return (home or hermes_home()) / "plugins"


def plugin_data(name: str) -> Path:
    """What a plugin keeps from one start to the next."""
    return hermes_home() / "plugin-data" / name


def config_file(home: Path | None = None) -> Path:
    """The settings a person wrote."""
    return (home or hermes_home()) / "config.yaml"


def dotenv_file(home: Path | None = None) -> Path:
    """Variables, above all secrets, that belong to this home."""
    return (home or hermes_home()) / ".env"


def credentials_file(home: Path | None = None) -> Path:
    """Keys of providers, when there are several of one, and which of them rest."""
    return (home or hermes_home()) / "credentials.json"


def profiles_dir() -> Path:
    """Where profiles are: homes of their own inside the main one. The same folder when the home is itself a profile."""
    home = hermes_home()
    return home.parent if home.parent.name == "profiles" else home / "profiles"


def profile_home(name: str) -> Path:
    """The home of a profile, whether it exists or not; `default` is the main home."""
    if name == "default":
        return profiles_dir().parent
    if not _PROFILE.fullmatch(name):
        raise BadInput(f"'{name}' cannot be a profile: small letters, digits, - and _, at most 64 of them.")
    return profiles_dir() / name


def profile_name() -> str:
    """The profile this process works in."""
    home = hermes_home()
    return home.name if home.parent.name == "profiles" else "default"


def profile_names() -> list[str]:
    """The profiles there are, without `default`."""
    folder = profiles_dir()
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and _PROFILE.fullmatch(path.name))


def use_profile(name: str) -> None:
    """Make an existing profile the home of this process and of every program it starts."""
    home = profile_home(name)
    if name != "default" and not home.is_dir():
        known = ", ".join(["default", *profile_names()])
        raise NotFound(f"No profile '{name}' (there are: {known}); `hermes profile create {name}` makes it.")
    os.environ["HERMES_HOME"] = str(home)


def make_private_folder(folder: Path) -> None:
    """Create `folder` (and parents) readable by its owner alone, whatever the umask says.

    The Hermes home itself is tightened when it is wider; a folder that was there before and is
    not the home (say `/tmp`) is left as it is.
    """
    missing = []
    current = folder
    while not current.exists():
        missing.append(current)
        current = current.parent
    for path in reversed(missing):
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        path.chmod(PRIVATE_FOLDER)
        _sync_folder(path.parent)  # SQLite syncs the folder of its files, but not the way there
    if folder == hermes_home() and folder.stat().st_uid == os.geteuid():
        folder.chmod(PRIVATE_FOLDER)


def create_private_file(path: Path) -> None:
    """Create an empty 0600 file if nothing is there. Never opens an existing one: closing a file
    that SQLite has open in this process would drop SQLite's locks on it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, PRIVATE_FILE))
    except FileExistsError:
        pass


def tighten(path: Path) -> None:
    """Make an existing file 0600 when it is ours and wider."""
    try:
        info = path.stat()
    except FileNotFoundError:
        return
    if info.st_uid == os.geteuid() and info.st_mode & 0o077:
        path.chmod(PRIVATE_FILE)


def _sync_folder(folder: Path) -> None:
    try:
        flush(folder)
    except OSError:
        pass  # one that cannot be listed; and not every file system can


def sync(path: Path) -> None:
    """Have a finished file, and its name in the folder, on disk. Not for files that SQLite has open here."""
    for name in (path, path.parent):
        flush(name)


def flush(path: Path) -> None:
    """Have the content of a file, or the names in a folder, on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copies_of(store: Path) -> list[Path]:
    """Older copies of a store that lie beside it: upgrade backups, rescued and set-aside files, backups."""
    kinds = (".v*-backup-*", ".upgraded-*", ".rescued-*", ".aside-*", ".damaged-*", ".backup-*")
    return sorted(path for kind in kinds for path in store.parent.glob(glob.escape(store.name) + kind))


def gateway_file() -> Path:
    """Who serves this home's chats; locked as long as that is so."""
    return hermes_home() / "gateway.json"


def user_units() -> Path:
    """Where systemd looks for units of this user."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"


def api_key_file() -> Path:
    """The key of the API server, where it made one itself."""
    return hermes_home() / "api-server.key"


def chat_history() -> Path:
    """What was typed at the prompt of a chat, for the arrow keys."""
    return hermes_home() / "chat_history"


def live_chats() -> Path:
    """A file for each conversation that is open at a terminal, locked as long as it is."""
    return hermes_home() / "live"
