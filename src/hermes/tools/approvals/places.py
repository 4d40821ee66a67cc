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
    inner = real(path)
    if inner.parent == real(paths.hermes_home()) and (inner.name.startswith("state.db") or inner.name in _OURS[:4]):
        return True
    for where in (path, real(path)):
        if any(fnmatch.fnmatch(where.name, pattern) for pattern in _PUBLIC):
            continue
        if any(fnmatch.fnmatch(where.name, pattern) for pattern in _SECRETS) or _SECRET_FOLDERS.search(str(where)):
            return True
    return False


def read_reasons(path: Path) -> tuple[str, ...]:
    return (f"{path} holds secrets",) if is_secret(path) else ()
