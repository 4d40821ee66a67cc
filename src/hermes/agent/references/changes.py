"""What git knows: changes and commits. Git runs nothing that a repository's own settings name, and files that hold
keys are left out."""

import re
import subprocess
from pathlib import Path

from hermes.errors import ToolError

_SECONDS = 20.0
_LARGEST = 2_000_000  # bytes of output
_MOST_COMMITS = 20
_REVISION = re.compile(r"[A-Za-z0-9_][\w./~^@{}-]{0,200}")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--stat", "--patch")
_SECRETS = (".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa*", "id_ed25519*", "credentials.json", ".netrc")
_PATHS = ("--", ":(top)", *(f":(top,exclude,glob)**/{name}" for name in _SECRETS))


def diff(folder: Path, *, staged: bool) -> str:
    """What is changed and not staged, or what is staged."""
    text = _git(folder, "diff", *_PLAIN, *(["--staged"] if staged else []), *_PATHS)
    return text or ("[nothing is staged]" if staged else "[nothing is changed that is not staged]")


def commits(which: str, folder: Path) -> str:
    """The last commits (a number of at most two digits), or one by its name, each with its changes."""
    if re.fullmatch(r"\d{1,2}", which):
        number = max(1, min(int(which), _MOST_COMMITS))
        return _git(folder, "log", f"-{number}", *_PLAIN, *_PATHS)
    if not _REVISION.fullmatch(which):
        raise ToolError(f"'{which[:80]}' is not the name of a commit.")
    return _git(folder, "log", "-1", *_PLAIN, "--end-of-options", which, *_PATHS)


def recent(folder: Path, most: int = 10) -> list[tuple[str, str]]:
    """Names of the last commits, with what they say; none where there is no repository."""
    try:
        lines = _git(folder, "log", f"-{most}", "--format=%h%x09%s", "--no-color").splitlines()
    except ToolError:
        return []
    return [(name, subject) for name, _, subject in (line.partition("\t") for line in lines)]


def _git(folder: Path, *arguments: str) -> str:
    safe = ("--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
    command = ["git", *safe, *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        raise ToolError("git is not installed.") from None
    except (OSError, subprocess.TimeoutExpired):
        raise ToolError(f"git did not answer within {_SECONDS:.0f} s.") from None
    if done.returncode:
        raise ToolError(_why(done.stderr.decode("utf-8", "replace"), folder))
    return done.stdout[:_LARGEST].decode("utf-8", "replace").strip("\n")


def _why(said: str, folder: Path) -> str:
    if "not a git repository" in said.lower():
        return f"{folder} is in no git repository."
    return (said.strip().splitlines() or ["git failed"])[0][:200]
