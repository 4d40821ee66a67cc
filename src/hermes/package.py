"""A skill or a plugin from elsewhere, read into memory: nothing of it touches the disk before it was looked through.

A folder, an archive (.zip, .tar, .tar.gz, .tgz …) or a git URL. What leads out of its folder is refused: absolute
paths, `..`, links, devices; so is what is too large.
"""

import hashlib
import io
import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hermes import paths
from hermes.config import environment
from hermes.errors import BadInput, NotFound

MOST_BYTES, MOST_FILES = 20_000_000, 500
_GIT_SECONDS = 120
_GIT = re.compile(r"(?:https?|ssh|git|file)://\S+|[\w.-]+@[\w.-]+:\S+")
_PASSED_BY = (".git", "__pycache__", ".DS_Store", "__MACOSX")


class Content(NamedTuple):
    data: bytes
    executable: bool = False


Files = dict[PurePosixPath, Content]


def is_git(source: str) -> bool:
    return _GIT.fullmatch(source) is not None and not source.endswith((".zip", ".tar.gz", ".tgz", ".tar"))


def fetch(source: str, mark: str) -> dict[str, Files]:
    """Every folder at the source that has a file named `mark`: its name, and its files by their path inside it."""
    if source.startswith("-"):
        raise BadInput(f"'{source}' is no folder, archive or git URL.")
    if is_git(source):
        return _marked(_cloned(source), source, mark)
    path = Path(source).expanduser()
    if path.is_dir():
        return _marked(_of_folder(path.resolve()), source, mark)
    if path.is_file():
        return _marked(_of_archive(path), source, mark)
    raise NotFound(f"There is no folder, archive or git URL '{source}'.")


def _marked(files: Files, source: str, mark: str) -> dict[str, Files]:
    tops = sorted({path.parent for path in files if path.name == mark}, key=lambda top: (len(top.parts), top))
    outer = [top for top in tops if not any(other != top and top.is_relative_to(other) for other in tops)]
    if not outer:
        raise NotFound(f"There is no {mark} in {source}.")
    found = {}
    for top in outer:
        inside = {path.relative_to(top): content for path, content in files.items() if path.is_relative_to(top)}
        found[top.name or Path(source.rstrip("/")).name.removesuffix(".git")] = inside
    return found


# -- three kinds of sources


def _of_folder(folder: Path) -> Files:
    taken = _Taken()
    for parent, folders, names in os.walk(folder, followlinks=False):
        folders[:] = [name for name in folders if name not in _PASSED_BY]
        for name in (*folders, *names):
            path = Path(parent, name)
            info = path.lstat()
            relative = str(path.relative_to(folder))
            if stat.S_ISDIR(info.st_mode):
                continue
            if not stat.S_ISREG(info.st_mode):
                raise _refused(relative, "is a link or a device")
            taken.announce(relative, info.st_size)
            taken.add(relative, path.read_bytes(), bool(info.st_mode & 0o100))
    return taken.files


def _of_archive(path: Path) -> Files:
    try:
        data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None
    if not data:
        raise BadInput(f"{path} is empty, or larger than {MOST_BYTES // 1_000_000} MB.")
    try:
        return _of_zip(data) if zipfile.is_zipfile(io.BytesIO(data)) else _of_tar(data)
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} is no archive that can be read ({type(error).__name__}).") from None


def _of_zip(data: bytes) -> Files:
    taken = _Taken()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                continue
            if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
                raise _refused(info.filename, "is a link or a device")
            taken.announce(info.filename, info.file_size)
            with archive.open(info) as file:
                taken.add(info.filename, file.read(MOST_BYTES + 1), bool(mode & 0o100))
    return taken.files


def _of_tar(data: bytes) -> Files:
    taken = _Taken()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isdir():
                continue
            if not member.isreg():
                raise _refused(member.name, "is a link or a device")
            taken.announce(member.name, member.size)
            file = archive.extractfile(member)
            taken.add(member.name, file.read(MOST_BYTES + 1) if file else b"", bool(member.mode & 0o100))
    return taken.files


def _cloned(url: str) -> Files:
    """The newest state of a repository. Nothing in it is run: no hooks, no filters, no other repositories."""
    with tempfile.TemporaryDirectory(prefix="hermes-clone-") as place:
        folder = Path(place) / "clone"
        safe = ("core.hooksPath=/dev/null", "protocol.ext.allow=never", "core.symlinks=true", "filter.lfs.smudge=")
        options = [part for one in safe for part in ("-c", one)]
        command = ["git", *options, "clone", "-q", "--depth", "1", "--no-recurse-submodules", "--", url, str(folder)]
        variables = {**environment.of_process(), "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
        try:
            done = subprocess.run(
                command, env=variables, capture_output=True, timeout=_GIT_SECONDS, stdin=subprocess.DEVNULL, check=False
            )
        except FileNotFoundError:
            raise BadInput("git is not installed; give a folder or an archive instead.") from None
        except subprocess.TimeoutExpired:
            raise BadInput(f"{url} took longer than {_GIT_SECONDS} s.") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise BadInput(f"{url} could not be fetched: {said[-1] if said else 'git failed'}")
        return _of_folder(folder)


# -- what may come in


class _Taken:
    """Files so far, within the limits."""

    def __init__(self) -> None:
        self.files: Files = {}
        self._bytes = 0

    def announce(self, name: str, size: int) -> None:
        """Before it is read: what an archive says of itself is checked here, and what it holds in `add`."""
        _checked(name)
        if self._bytes + size > MOST_BYTES or len(self.files) >= MOST_FILES:
            raise BadInput(f"It is too large: at most {MOST_FILES} files, {MOST_BYTES // 1_000_000} MB together.")

    def add(self, name: str, data: bytes, executable: bool) -> None:
        path = _checked(name)
        if any(part in _PASSED_BY for part in path.parts):
            return
        self._bytes += len(data)
        self.announce(name, 0)
        if path in self.files:
            raise _refused(name, "stands there twice")
        self.files[path] = Content(data, executable)


def _checked(name: str) -> PurePosixPath:
    path = PurePosixPath(name.removeprefix("./"))
    if path.is_absolute() or ".." in path.parts or "\\" in name or re.match(r"[A-Za-z]:", name):
        raise _refused(name, "leads out of its folder")
    if not path.parts or not name.isprintable() or len(name) > 300:
        raise _refused(name, "is no name for a file")
    return path


def _refused(name: str, why: str) -> BadInput:
    return BadInput(f"It is refused, and nothing was installed: {name[:100]!r} {why}.")


# -- out to the disk


def place(target: Path, files: Files) -> Path:
    """Write the files to a folder, all of them or nothing; what was there before is gone then."""
    top = target.parent
    paths.make_private_folder(top)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=top))
    try:
        for path, content in files.items():
            _write(new / path, content)
        old = Path(tempfile.mkdtemp(prefix=".old-", dir=top))
        if target.exists():
            os.rename(target, old / "old")
        os.rename(new, target)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(new, ignore_errors=True)
        raise BadInput(f"{target} cannot be written: {error.strerror}; nothing was installed.") from None
    return target


def _write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.data)
    path.chmod(0o700 if content.executable else paths.PRIVATE_FILE)


def digest(files: Files) -> str:
    """The same for the same bytes under the same names."""
    found = hashlib.sha256()
    for path, content in sorted(files.items()):
        found.update(f"{path}\0{len(content.data)}\0".encode())
        found.update(content.data)
    return found.hexdigest()
