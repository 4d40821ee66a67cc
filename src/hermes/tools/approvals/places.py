"""Which files may be touched without asking."""

import fnmatch
import os
import re
from pathlib import Path

from hermes import paths
from hermes.tools.approvals.naming import named

HARMLESS_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
# What a shell, a login, git or a scheduler runs or trusts by itself.
_TRUSTED = re.compile(
    r"/(\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.config/(autostart|systemd)|\.git/hooks|\.husky|cron\.[a-z]+)/"
    r"|/\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|gitconfig|netrc|npmrc|pypirc)$"
    r"|/\.git/config$|/authorized_keys$|/crontab$"
)
_OURS = ("config.yaml", ".env", "credentials.json", "approvals.json", "SOUL.md")
_SECRETS = named(
    """
    .env .env.* *.pem *.key *.p12 *.pfx *.kdbx *.keystore *.jks id_rsa* id_ed25519* id_ecdsa* id_dsa* .netrc .pgpass
    .npmrc .pypirc .htpasswd .git-credentials credentials credentials.json secrets.* shadow gshadow token.json
    kubeconfig service-account*.json
    """
)
_PUBLIC = ("*.pub", ".env.example", ".env.sample", ".env.template")
_SECRET_FOLDERS = re.compile(
    r"/(\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.password-store|\.config/gh)(/|$)|^/proc/[^/]+/environ$"
)


def real(path: Path) -> Path:
    """Where a path leads, links followed, whether it is there or not."""
    return Path(os.path.realpath(path))


def is_inside(path: Path, folder: Path) -> bool:
    return real(path).is_relative_to(real(folder))


def write_reasons(path: Path, workspace: Path) -> tuple[str, ...]:
    """Why writing here is asked about; empty: it is not."""
    if str(path) in HARMLESS_DEVICES:
        return ()
    where = real(path)
    home = real(paths.hermes_home())
    if where.is_relative_to(home) and (where.parent == home or where.name in _OURS):
        return (f"{path} belongs to Hermes itself",)
    if str(where).startswith("/dev/"):
        return (f"{path} is a device",)
    if _TRUSTED.search(str(where)) or _TRUSTED.search(str(path)):
        return (f"{path} is run or trusted by other programs",)
    if not is_inside(path, workspace):
        return (f"{path} is outside the workspace {workspace}",)
    return ()


def is_secret(path: Path) -> bool:
    """Whether a file holds keys, passwords or conversations, going by its name."""
    if _is_ours(_in_home(real(path))):
        return True
    for where in (path, real(path)):
        if any(fnmatch.fnmatch(where.name, pattern) for pattern in _PUBLIC):
            continue
        if any(fnmatch.fnmatch(where.name, pattern) for pattern in _SECRETS) or _SECRET_FOLDERS.search(str(where)):
            return True
    return False


def _in_home(where: Path) -> tuple[str, ...] | None:
    """The parts of a path behind the home, of whatever profile, that it lies in; None: it lies in none."""
    main = real(paths.profiles_dir().parent)
    if not where.is_relative_to(main):
        return None
    parts = where.relative_to(main).parts
    return parts[2:] if parts[:1] == ("profiles",) else parts


def _is_ours(parts: tuple[str, ...] | None) -> bool:
    """Keys, and what people said, to whomever: the store, transcripts, and what was noted about others."""
    if not parts:
        return False
    kept = parts[0].startswith("state.db") or parts[0] in (*_OURS[:4], "chat_history")
    return (kept and len(parts) == 1) or parts[0] == "sessions" or parts[:2] == ("memories", "of")


def read_reasons(path: Path) -> tuple[str, ...]:
    """Why reading this file, or everything in this folder, is asked about; empty: it is not."""
    return (f"{path} holds secrets",) if is_secret(path) or _in_home(real(path)) == () else ()
